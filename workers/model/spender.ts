import type { ExceededBudget } from '../../db/hosts/spend.ts';
import type { TokenUsage } from './prices.ts';
import type { CallOptions } from './provider.ts';
import type { MeasuredUsage } from './usage-meter.ts';

/** On whose behalf models are called. */
export interface Spender {
  readonly hostId: string;
  /** Set where a turn is paid for. */
  readonly avatarId?: string;
  /** Each call then reserves the most that it can cost. */
  readonly hasBudget: boolean;
  /** A reservation that an earlier attempt of this turn left behind ends. */
  readonly turn?: { readonly turnId: string; readonly attempt: number };
  /** How long a call may take at most. */
  remainingMs(): number;
}

export type SpendRefusal =
  | ({ readonly kind: 'over-budget' } & ExceededBudget)
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

export interface SpendLedger {
  /** A decimal; undefined for a model without a price. The offline model costs nothing. */
  costOf(model: string, usage: TokenUsage): string | undefined;
  /**
   * Opens the account of a call, before it is sent. Rejects with `SpendRefusedError` where the budget does not allow the
   * most that it can cost, with `LedgerError` where that cannot be found out, and when the signal is aborted: then nothing is spent.
   */
  open(spender: Spender, call: PlannedCall): Promise<CallAccount>;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

export interface PlannedCall {
  readonly model: string;
  readonly purpose: CallOptions['purpose'] | 'embedding' | 'transcription';
  readonly signal: AbortSignal;
  /** The host pays with a key of its own: no budget limits it. */
  readonly isOwn: boolean;
  /** The most that it can take. */
  most(): TokenUsage;
}

export interface CallAccount {
  /** What the call took; undefined where it is not billed. Only the first settlement counts. */
  settle(usage: MeasuredUsage | undefined): Promise<void>;
}

/** The database did not answer. */
export class LedgerError extends Error {}
