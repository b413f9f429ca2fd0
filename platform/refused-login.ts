import { errorCodeOf, messageOf } from './error-reason.ts';
import { SettingError } from './field-error.ts';

/** PostgreSQL refuses the user or the password (class 28), or has no such database. */
const refusedByPostgres = /^(28|3D)/;
/** Node cannot agree on TLS with the server, or does not trust its certificate. */
const refusedTls = /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/;
/** The error of pg has no code. */
const WITHOUT_TLS = 'The server does not support SSL connections';
const refusedByRedis: readonly (readonly [code: string, reason?: string])[] = [
  ['NOAUTH', 'it asks for a password'],
  ['WRONGPASS', 'the user or the password is wrong'],
  ['NOPERM'],
];

/**
 * The error of a server to which this setting leads. Where the server refuses the login itself, each further attempt would be
 * refused, too: then it is the error of the setting.
 */
export function errorOfLogin(setting: 'DATABASE_URL' | 'REDIS_URL', error: unknown): unknown {
  const reason = refusalOf(error);
  return reason === undefined
    ? error
    : new SettingError(`setting "${setting}" is refused by the server: ${reason.replaceAll(/\s+/g, ' ')}`);
}

/** Whether an error of this code says that there is no TLS with the server, or none that can be trusted. */
export function isRefusedTls(code: unknown): boolean {
  return typeof code === 'string' && refusedTls.test(code);
}

function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const byRedis = refusedByRedis.find(([code]) => error.message.startsWith(`${code} `));
  if (byRedis) return byRedis[1] ?? error.message;
  const code = errorCodeOf(error);
  const isRefused = isRefusedTls(code) || (typeof code === 'string' && refusedByPostgres.test(code));
  return isRefused || error.message.endsWith(WITHOUT_TLS) ? messageOf(error) : undefined;
}
