import { SpanKind } from '@opentelemetry/api';
import { runInSpan } from '../../platform/span.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import { maskAlone } from '../domain/masking/masking.ts';
import type { Vector } from '../domain/retrieval/vector-space.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { SpendLedger } from './call-account.ts';
import { openAccounts } from './embedding-accounts.ts';
import type { ModelCall } from './model-call.ts';
import type { ModelDirectory } from './model-directory.ts';
import { type Embedding, ModelError } from './provider.ts';
import type { Spender } from './spender.ts';

/** Why there are no vectors, in our own words: a provider's error may quote the text. */
export class EmbeddingError extends Error {
  /** The provider refused the texts themselves: a retry would be refused again. */
  readonly isRefused: boolean;

  constructor(reason: string, isRefused: boolean) {
    super(reason);
    this.isRefused = isRefused;
  }
}

export interface Embedder {
  readonly model: string;
  /**
   * Returns one vector for each text, without retries. Rejects with `EmbeddingError`, with `SpendRefusedError` where the
   * budget of a spender does not allow it, or when the signal is aborted.
   */
  embed(texts: readonly EmbeddedText[], options: EmbedOptions): Promise<Vector[]>;
}

export interface EmbeddedText {
  readonly text: string;
  /** Personal identifiers in it leave as tokens, numbered within the text. */
  readonly isMasked: boolean;
  /** The host that pays; undefined where the text is our own. */
  readonly spender?: Spender;
  /** Cuts what is sent: a text that was cut before it is masked may end within an identifier. */
  readonly cut?: (text: string) => string;
}

export interface EmbedOptions {
  readonly signal: AbortSignal;
  readonly onCall?: (call: ModelCall) => void;
}

const REFUSED_STATUSES = [400, 413, 422];
const NO_PROVIDER = 'no provider';

export function makeEmbedder(
  model: string,
  directory: Pick<ModelDirectory, 'providerOf'>,
  onEveryCall: (call: ModelCall) => void,
  ledger: SpendLedger,
): Embedder {
  async function requestVectors(input: readonly string[], signal: AbortSignal): Promise<Embedding> {
    const provider = await directory.providerOf(model);
    if (!provider) throw new EmbeddingError(NO_PROVIDER, false);
    return runInSpan('model', { kind: SpanKind.CLIENT, attributes: { model, purpose: 'embedding' } }, () =>
      provider.embed(model, input, signal),
    );
  }

  return {
    model,
    async embed(sources, { signal: callSignal, onCall = () => {} }) {
      const texts = sources.map(sentTextOf);
      // A signal of its own: the client leaves an abort listener behind with each call.
      const signal = AbortSignal.any([callSignal]);
      const stopwatch = startStopwatch();
      const recordCall = (status: number, tokens: number, error?: string) => {
        const startedAt = stopwatch.startedAt.toISOString();
        const call = { name: model, status, tokens, startedAt, durationMs: stopwatch.elapsedMs() };
        for (const listen of [onCall, onEveryCall]) listen(error ? { ...call, error } : call);
      };
      const paid = sources.map(({ spender }, at) => ({ spender, text: texts[at] ?? '' }));
      const accounts = await openAccounts(ledger, { model, signal }, paid);
      try {
        const { vectors, tokens } = await Promise.race([requestVectors(texts, signal), whenAborted(signal)]);
        await accounts.settle(tokens || undefined);
        if (!vectors) throw new EmbeddingError('unusable answer', false);
        recordCall(200, tokens);
        return vectors;
      } catch (error) {
        // An aborted call ends at once.
        void accounts.settle(isUnbilled(error) ? 0 : undefined);
        const failure = signal.aborted ? new EmbeddingError('aborted', false) : failureOf(error);
        recordCall(error instanceof ModelError ? error.status : 0, 0, failure.message);
        signal.throwIfAborted();
        throw failure;
      }
    },
  };
}

function sentTextOf({ text, isMasked, cut = whole => whole }: EmbeddedText): string {
  return cut(isMasked ? maskAlone(text) : text);
}

function isUnbilled(error: unknown): boolean {
  if (error instanceof ModelError) return error.isUnbilled;
  return error instanceof EmbeddingError && error.message === NO_PROVIDER;
}

function failureOf(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error;
  const isKnown =
    error instanceof ModelError && (error.reason === 'no connection' || error.reason === 'refused');
  if (!isKnown) return new EmbeddingError('unusable answer', false);
  return new EmbeddingError(error.message, REFUSED_STATUSES.includes(error.status));
}
