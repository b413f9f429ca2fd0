import getPort from 'get-port';
import { wrongAddressOf } from '../../api/bind.ts';

/** The wanted port if it is free; otherwise a free one, unless the port was set explicitly. */
export async function choosePort(wanted: number, isExplicit: boolean, host: string): Promise<number> {
  const port = await getPort({ port: wanted, host }).catch((error: unknown) => {
    throw wrongAddressOf(error, { port: wanted, host }) ?? error;
  });
  if (isExplicit && wanted !== 0 && port !== wanted)
    throw new Error(`port ${wanted} is in use, or not allowed: set PORT to another one`);
  return port;
}
