import { findHost } from '../../db/hosts/hosts.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { fieldError } from '../../platform/field-error.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { instantOf } from '../domain/time/instant.ts';

/**
 * Reads these fields of a body as instants, in the host's time zone if they name no offset; undefined for a field that is not
 * given. A failure names the fields that are no date or time.
 */
export async function readInstants<N extends string>(
  scope: HostScope,
  texts: { readonly [name in N]: string | undefined },
): Promise<{ readonly [name in N]: Date | undefined } | Failure> {
  const given = Object.entries<string | undefined>(texts).flatMap(([path, text]) =>
    text === undefined ? [] : [{ path, text }],
  );
  const timeZone = given.length > 0 ? (await findHost(scope))?.timeZone : undefined;
  const read = given.map(({ path, text }) => ({ path, at: instantOf(text, timeZone ?? 'UTC') }));
  const wrong = read.flatMap(({ path, at }) => (at === undefined ? [fieldError(path, 'date')] : []));
  if (wrong.length > 0) return failure('body-invalid', { fields: wrong });
  return Object.fromEntries(read.map(({ path, at }) => [path, at])) as { [name in N]: Date | undefined };
}
