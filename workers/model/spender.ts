import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { CallOptions } from './provider.ts';

/** On whose behalf models are called. */
export interface Spender {
  readonly hostId: string;
  /** Of a turn. */
  readonly avatarId?: string;
  /** Each call then reserves the most that it can cost. */
  readonly hasBudget: boolean;
  /** What an earlier attempt of the turn has reserved and left behind ends. */
  readonly turn?: { readonly turnId: string; readonly attempt: number };
  /** How long a call may take at most. */
  remainingMs(): number;
  /** Why a call was refused last; set by the ledger. */
  refusal?: SpendRefusal;
}

export type SpendRefusal =
  /** The budget is used up for so many seconds. */
  | { readonly kind: 'over-budget'; readonly retryAfter: number }
  | { readonly kind: 'no-price'; readonly model: string };

/** The budget of the host does not allow the call, which is not made. */
export class SpendRefusedError extends Error {
  readonly hostId: string;
  readonly refusal: SpendRefusal;

  constructor(hostId: string, refusal: SpendRefusal) {
    super(refusal.kind);
    this.hostId = hostId;
    this.refusal = refusal;
  }
}

/** The failure of work that ended because of the budget; undefined where no call was refused. */
export function findSpendFailure(
  { refusal }: Spender,
  details: { turnId?: string } = {},
): Failure | undefined {
  if (!refusal) return undefined;
  if (refusal.kind === 'no-price') {
    const hint = `MODEL_PRICES has no price for "${refusal.model}"`;
    return failure('model-without-price', { ...details, hint });
  }
  return failure('budget-exceeded', { ...details, retryAfter: refusal.retryAfter });
}

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
  readonly purpose: CallOptions['purpose'] | 'embedding';
  readonly signal: AbortSignal;
  maxTokens(): number;
}

export interface CallAccount {
  /** The tokens as reported; undefined where the provider may bill what it did not report: then the most counts. Only the first call counts. */
  settle(tokens: number | undefined): Promise<void>;
}

/** The database did not answer. */
export class LedgerError extends Error {}
