import { isGiven, type Validity } from '../../db/knowledge/validity.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import { dayAfter } from '../domain/time/instant.ts';
import { readInstants } from './read-instants.ts';

interface SentValidity {
  readonly valid_from?: string | null | undefined;
  readonly valid_until?: string | null | undefined;
}

/**
 * Reads from when until when a text is valid, in the host's time zone where no offset is named: a date alone is its first instant
 * as the beginning, and its last as the end. `stored` has the end that is not given.
 */
export async function readValidity(
  scope: HostScope,
  { valid_from, valid_until }: SentValidity,
  stored: Validity = {},
): Promise<Validity | Failure> {
  const times = await readInstants(scope, {
    valid_from: valid_from ?? undefined,
    valid_until: valid_until ? dayAfter(valid_until) : undefined,
  });
  if (isFailure(times)) return times;
  const validity = {
    from: valid_from && times.valid_from,
    until: valid_until && times.valid_until,
  } as Validity;
  const { from = stored.from, until = stored.until } = validity;
  if (isGiven(validity) && from && until && from >= until)
    return fieldFailure('valid_until', 'after', { values: ['valid_from'] });
  return validity;
}
