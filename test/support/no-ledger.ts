import { makeModel } from '../../workers/model/model.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import type { Spender, SpendLedger } from '../../workers/model/spender.ts';

/** Counts nothing. */
export const noLedger: SpendLedger = {
  costOf: () => undefined,
  open: async () => ({ settle: async () => {} }),
  close: async () => {},
};

/** The model `m` at this address, as workers ask it. */
export const modelAt = (
  { baseURL }: { readonly baseURL: string },
  parts: Partial<Parameters<typeof makeModel>[0]> = {},
) => {
  const provider = makeOpenAiProvider('main', { baseURL });
  return makeModel({
    directory: { providerOf: async () => provider },
    defaultModel: 'm',
    ledger: noLedger,
    ...parts,
  });
};

/** A host without a budget. */
export const spenderOf = (hostId: string): Spender => ({
  hostId,
  hasBudget: false,
  remainingMs: () => 10_000,
});
