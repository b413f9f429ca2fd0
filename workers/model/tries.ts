import { linkSignals } from '../../platform/link-signals.ts';
import type { TokenUsage } from './prices.ts';
import { LedgerError, type PlannedCall, type SpendRefusal } from './spender.ts';
import type { MeasuredUsage } from './usage-meter.ts';

/** The abort reason of work that stops waiting for a model, and goes on without its answer. */
export const GIVEN_UP = 'given up';

/** Work that ends with the signal, or gives its model up after a time. */
export function giveUpAfter(signal: AbortSignal, ms: number): { readonly signal: AbortSignal } & Disposable {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(GIVEN_UP), ms);
  const linked = linkSignals(signal, limit.signal);
  return {
    signal: linked.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      linked[Symbol.dispose]();
    },
  };
}

/** One call to a model, for the receipt and for `restStatus`. */
export interface ModelCall {
  readonly name: string;
  readonly purpose: PlannedCall['purpose'];
  readonly status: number;
  readonly startedAt: string;
  readonly durationMs: number;
  /** The tokens of the answer and its prompt; 0 without an answer. */
  readonly tokens: number;
  /** Billed tokens, even if there was no answer. */
  readonly usage: TokenUsage;
  /** A decimal; '0' for a model without a price. */
  readonly cost: string;
  readonly error?: string;
  /** Set where the host's budget did not allow the call, which was not made. */
  readonly refusal?: SpendRefusal;
  /** Set where the host called its own provider. */
  readonly isOfHost?: true;
}

/** The tries of one call, until one gives an answer. */
export interface Tries {
  /** Those that have ended. */
  readonly calls: readonly ModelCall[];
  /** Adds a call, and passes it on if it was made. */
  onCall(call: ModelCall): void;
  /**
   * Returns what is billed of a failed try. All that a provider reports is, but of what is only guessed no more than one try: an
   * outage of three turns, each of four tries that might have written the longest answer, used up most of a day's budget.
   */
  billOf(failed: MeasuredUsage | undefined): MeasuredUsage | undefined;
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Throws what ends the work of the call: the abort reason, what the database said, or a bug. Returns where the work goes on
   * without an answer, once the try that was given up has told what it took.
   */
  failWith(error: unknown, signal: AbortSignal): Promise<void>;
}

export function openTries(onCall: (call: ModelCall) => void): Tries {
  const calls: ModelCall[] = [];
  let hasGuess = false;
  let running = Promise.resolve();
  return {
    calls,
    onCall(call) {
      calls.push(call);
      if (!call.refusal) onCall(call);
    },
    billOf(failed) {
      if (!failed?.isEstimated) return failed;
      if (hasGuess) return undefined;
      hasGuess = true;
      return failed;
    },
    run(work) {
      const run = work();
      running = run.then(
        () => {},
        () => {},
      );
      return run;
    },
    async failWith(error, signal) {
      if (signal.reason === GIVEN_UP) return running;
      signal.throwIfAborted();
      if (error instanceof LedgerError) throw error.cause;
      if (!(error instanceof Error)) throw error;
    },
  };
}
