import type { Spender } from './spender.ts';

/** Price of a million tokens by model. */
export type ModelPrices = Readonly<Record<string, number>>;

export interface SpendLedger {
  /** Undefined: unknown. The offline model costs nothing. */
  priceOf(model: string): number | undefined;
  /**
   * Opens the account of a call, before it is sent. Rejects with `SpendRefusedError` where the budget does not allow the
   * most tokens that it can take, and with `LedgerError` where that cannot be found out.
   */
  open(spender: Spender, call: PlannedCall): Promise<CallAccount>;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

export interface PlannedCall {
  readonly model: string;
  readonly purpose: 'turn' | 'insight' | 'agent' | 'embedding';
  readonly signal: AbortSignal;
  maxTokens(): number;
}

export interface CallAccount {
  /** The tokens as reported; undefined where the provider may bill what it did not report: then the most counts. Only the first call counts. */
  settle(tokens: number | undefined): Promise<void>;
}

/** The database did not answer. */
export class LedgerError extends Error {}
