import { linkSignals, whenAborted } from '../../platform/link-signals.ts';
import { makeRetryPolicy } from './model.ts';
import { MAX_ANSWER_LENGTH, startCall } from './model-call.ts';
import { runInModelSpan } from './model-span.ts';
import { NO_TOKENS } from './prices.ts';
import { ModelError, type Provider, type Recording } from './provider.ts';
import { type Spender, type SpendLedger } from './spender.ts';
import { type ModelCall, openTries, type Tries } from './tries.ts';

export type Transcription = { readonly calls: readonly ModelCall[] } & (
  | { readonly kind: 'text'; readonly text: string }
  /** The model never takes this recording, however often it is asked. */
  | { readonly kind: 'refused' }
  /** The calls tell why. */
  | { readonly kind: 'failed' }
);

export interface TranscribeOptions {
  readonly spender: Spender;
  readonly signal: AbortSignal;
  remainingMs(): number;
}

export interface Transcriber {
  /**
   * Returns the words of a recording, with retries while time is left. Each call is paid for by its minutes. Rejects only when
   * the signal is aborted, but for `GIVEN_UP`, or without the database.
   */
  transcribe(recording: Recording, options: TranscribeOptions): Promise<Transcription>;
}

/** Finds who transcribes for a host: its own provider and no other, if it has one, or the installation's. Undefined: nobody. */
export type TranscriberOf = (hostId: string) => Promise<Transcriber | undefined>;

const purpose = 'transcription' as const;
const REFUSED_STATUSES = [400, 413, 415, 422];

export function makeTranscriber(
  model: string,
  provider: Provider,
  { onCall, ledger }: { readonly onCall: (call: ModelCall) => void; readonly ledger: SpendLedger },
): Transcriber {
  async function callOnce(
    recording: Recording,
    { spender, signal }: TranscribeOptions,
    tries: Tries,
  ): Promise<string> {
    // The pause before a retry ignores the signal.
    signal.throwIfAborted();
    const { isOfHost } = provider;
    const started = startCall(model, { purpose, isOfHost }, { ledger, onCall: tries.onCall });
    const most = () => ({ ...NO_TOKENS, seconds: maxBilledOf(recording) });
    try {
      const planned = { model, purpose, signal, isOwn: isOfHost ?? false, most };
      const account = await ledger.open(spender, planned);
      started.send();
      const traced = { operation: purpose, provider: provider.name, model, purpose } as const;
      const answer = await runInModelSpan(traced, () => provider.transcribe(model, recording, signal)).catch(
        async (error: unknown) => {
          const isUnbilled = error instanceof ModelError && error.isUnbilled;
          const bill = tries.billOf(
            isUnbilled ? undefined : { ...NO_TOKENS, seconds: recording.seconds, isEstimated: true },
          );
          if (bill) started.took(bill);
          await account.settle(bill);
          throw error;
        },
      );
      const seconds = billedOf(recording, answer.seconds);
      const taken = { ...NO_TOKENS, seconds, isEstimated: answer.seconds === undefined };
      started.took(taken);
      await account.settle(taken);
      const text = checkText(answer.text);
      started.succeed();
      return text;
    } catch (error) {
      started.fail(error);
      throw error;
    }
  }

  return {
    async transcribe(recording, options) {
      // A signal for each call, because the client leaves an abort listener behind on it.
      using linked = linkSignals(options.signal);
      const { signal } = linked;
      const tries = openTries(onCall);
      const callNext = () => tries.run(() => callOnce(recording, { ...options, signal }, tries));
      try {
        const heard = makeRetryPolicy(options.remainingMs).execute(callNext, signal);
        return { kind: 'text', text: await Promise.race([heard, whenAborted(signal)]), calls: tries.calls };
      } catch (error) {
        await tries.failWith(error, signal);
        const isRefused = error instanceof ModelError && REFUSED_STATUSES.includes(error.status);
        return { kind: isRefused ? 'refused' : 'failed', calls: tries.calls };
      }
    },
  };
}

/** Providers bill each started second, and may measure slightly more. */
function maxBilledOf({ seconds }: Recording): number {
  return Math.ceil(seconds) + 1;
}

const MAX_REPORTED_SECONDS = 86_400;

/** The provider's report is billed, even beyond the recording's own length: the budget of the next call includes it. */
function billedOf({ seconds }: Recording, reported = 0): number {
  return reported > 0 ? Math.min(reported, MAX_REPORTED_SECONDS) : seconds;
}

/** Silence has no words: its text is empty. */
function checkText(text: string | undefined): string {
  if (text === undefined) throw new ModelError('unusable answer: no text');
  if (text.length > MAX_ANSWER_LENGTH) throw new ModelError('unusable answer: too long');
  return text.replaceAll('\0', '').toWellFormed().trim();
}
