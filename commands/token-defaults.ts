import { DAY_MS } from '../workers/domain/time/instant.ts';

const YEAR_MS = 365 * DAY_MS;

/** The end of a console session: a person signs in again each day. */
export function makeWorkdayExpiry(): Date {
  return new Date(Date.now() + DAY_MS / 2);
}

export function makeOrdinaryExpiry(): Date {
  return new Date(Date.now() + YEAR_MS);
}
