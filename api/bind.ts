import { once } from 'node:events';
import type { Server } from 'node:http';
import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { errorCodeOf } from '../platform/error-reason.ts';
import { SettingError } from '../platform/field-error.ts';

export interface Address {
  readonly port: number;
  /** Undefined: all addresses. */
  readonly host?: string | undefined;
}

/** Retries for five seconds: a process that was killed or is being replaced may still hold the port. */
const whileInUse = retry(
  handleWhen(error => errorCodeOf(error) === 'EADDRINUSE'),
  { maxAttempts: 20, backoff: new ConstantBackoff(250) },
);

/** Resolves when the server listens. An address that the machine lacks is a wrong setting. */
export async function bind(server: Server, { port, host }: Address): Promise<void> {
  const listenOnce = async () => {
    server.listen(host === undefined ? { port } : { port, host });
    await once(server, 'listening');
  };
  await whileInUse.execute(listenOnce).catch((error: Error) => {
    throw wrongAddressOf(error, { port, host }) ?? error;
  });
}

/** Undefined for any other error. */
export function wrongAddressOf(error: unknown, { port, host }: Address): SettingError | undefined {
  switch (errorCodeOf(error)) {
    case 'EADDRINUSE':
      return new SettingError(`setting "PORT": another program uses port ${port}`);
    case 'EACCES':
      return new SettingError(`setting "PORT": this user may not use port ${port}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SettingError(`setting "HOST": ${host} is not an address of this machine`);
    default:
      return undefined;
  }
}
