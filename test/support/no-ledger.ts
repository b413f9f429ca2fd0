import type { Spender, SpendLedger } from '../../workers/model/spender.ts';

/** Counts nothing. */
export const noLedger: SpendLedger = {
  costOf: () => undefined,
  open: async () => ({ settle: async () => {} }),
  close: async () => {},
};

/** A host without a budget. */
export const spenderOf = (hostId: string): Spender => ({
  hostId,
  hasBudget: false,
  remainingMs: () => 10_000,
});
