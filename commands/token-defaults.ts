import type { TokenScope } from '../queues/contract/operation.ts';
import { DAY_MS } from '../workers/domain/time/instant.ts';

/** The default scopes of a token. */
export const ORDINARY_SCOPES: readonly TokenScope[] = ['reason', 'manage', 'report', 'intake', 'search'];

const YEAR_MS = 365 * DAY_MS;

/** The end of a console session: a person signs in again each day. */
export function makeWorkdayExpiry(): Date {
  return new Date(Date.now() + DAY_MS / 2);
}

export function makeOrdinaryExpiry(): Date {
  return new Date(Date.now() + YEAR_MS);
}
