import { findHost } from '../../db/hosts.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure } from '../../queues/failure.ts';
import { instantOf } from '../domain/instant.ts';

/** When a dataset is to expire: `at` is undefined where nothing was said. */
export async function expiryOf(
  scope: HostScope,
  expires: string | undefined,
): Promise<{ readonly at: Date | undefined } | Failure> {
  if (expires === undefined) return { at: undefined };
  const at = instantOf(expires, (await findHost(scope))?.timeZone ?? 'UTC');
  if (at) return { at };
  return failure('body-invalid', { fields: [{ path: 'expires', message: 'must be a date or a date-time' }] });
}
