import type { ExceededBudget } from '../../db/hosts/spend.ts';
import type { TokenUsage } from './prices.ts';
import type { CallOptions } from './provider.ts';
import type { MeasuredUsage } from './usage-meter.ts';

/** The host, and where known the turn, that pays for model calls. */
export interface Spender {
  readonly hostId: string;
  /** Set for calls of a turn. */
  readonly avatarId?: string;
  /** If true, each call reserves the most that it can cost. */
  readonly hasBudget: boolean;
  /** Ends a reservation that an earlier attempt of this turn left behind. */
  readonly turn?: { readonly turnId: string; readonly attempt: number };
  /** The longest time that a call may take. */
  remainingMs(): number;
}

export type SpendRefusal =
  | ({ readonly kind: 'over-budget' } & ExceededBudget)
  | { readonly kind: 'no-price'; readonly model: string };

/** Thrown when the host's budget does not allow the call, which is not made. */
export class SpendRefusedError extends Error {
  readonly hostId: string;
  readonly refusal: SpendRefusal;

  constructor(hostId: string, refusal: SpendRefusal) {
    super(refusal.kind);
    this.hostId = hostId;
    this.refusal = refusal;
  }
}

export interface SpendLedger {
  /** Returns a decimal; undefined for a model without a price. The offline model costs nothing. */
  costOf(model: string, usage: TokenUsage): string | undefined;
  /**
   * Opens the account of a call, before it is sent. Rejects with `SpendRefusedError` if the budget does not allow the most that
   * it can cost, with `LedgerError` if that cannot be found out, and when the signal is aborted: then nothing is spent.
   */
  open(spender: Spender, call: PlannedCall): Promise<CallAccount>;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

export interface PlannedCall {
  readonly model: string;
  readonly purpose: CallOptions['purpose'] | 'embedding' | 'transcription';
  readonly signal: AbortSignal;
  /** Set when the host pays with its own key: no budget limits the call. */
  readonly isOwn: boolean;
  /** The most that the call can take. */
  most(): TokenUsage;
}

export interface CallAccount {
  /** Records what the call took; undefined if it is not billed. Only the first settlement counts. */
  settle(usage: MeasuredUsage | undefined): Promise<void>;
}

/** Thrown when the database did not answer. */
export class LedgerError extends Error {}
