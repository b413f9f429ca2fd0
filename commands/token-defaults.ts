import type { TokenScope } from '../queues/contract/operation.ts';

/** The default scopes of a token. */
export const ORDINARY_SCOPES: readonly TokenScope[] = ['reason', 'manage', 'report', 'intake', 'search'];

const YEAR_MS = 365 * 86_400_000;

export function makeOrdinaryExpiry(): Date {
  return new Date(Date.now() + YEAR_MS);
}
