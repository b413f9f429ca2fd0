import type { BurstSetting } from '../hosts/hosts.ts';

/** What a turn says of itself when it claims its conversation. */
export interface TurnClaim {
  readonly turnId: string;
  readonly conversationId: string;
  /** Creates the conversation where the host has none of this id. */
  readonly opensConversation?: boolean;
  /** The avatar that answers: without it the turn is not claimed. Undefined: the default of the host. */
  readonly subSlug?: string | undefined;
  /** Milliseconds with fractions; used only to order arrivals. */
  readonly arrivedAt: number;
  /** Remaining time until the deadline. A duration, because clocks of machines differ. */
  remainingMs(): number;
  /** Undefined where the assistant writes first. */
  readonly question: string | undefined;
  /** It runs to read what is attached, which is its question: it ends no turn, and no turn ends it. Then it claims again. */
  readonly isReading?: boolean;
  /** A test of the assistant: not counted in reports, without an insight. */
  readonly isRehearsal?: boolean;
  /** Whether its question supersedes the turns before it. When absent: the setting of the host. */
  readonly burst?: BurstSetting | undefined;
  /** A newer turn that supersedes this one stores its reply under the key. */
  readonly request?: { readonly idempotencyKey?: string | undefined; readonly bodyMac?: string | undefined };
  readonly leaseMs: number;
  /**
   * The job is a new one. Another of the same key may run the turn, and is paid for its answer: it is waited for as long as its lease
   * lasts. The queue runs a job again only when its worker is gone: that takes the turn over at once.
   */
  readonly isNewJob?: boolean;
}
