import { SpanKind } from '@opentelemetry/api';
import { APIConnectionError, APIError } from 'openai';
import { runInSpan } from '../../platform/span.ts';
import { type Vector, vectorsIn } from '../domain/retrieval/vector-space.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { aborted, makeClients } from './client.ts';
import { tokensIn } from './completion.ts';
import type { ModelCall } from './model.ts';
import type { ModelDirectory } from './model-directory.ts';

/** Why there are no vectors, in our own words: a provider's error may quote what was sent. */
export class NotEmbedded extends Error {
  /** The texts are the reason: sent again they would be refused again. */
  readonly isRefused: boolean;

  constructor(reason: string, isRefused: boolean) {
    super(reason);
    this.isRefused = isRefused;
  }
}

export interface Embedder {
  readonly model: string;
  /** One vector a text, asked for once. Rejects with `NotEmbedded`, or when the signal is aborted. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Vector[]>;
}

export interface EmbedOptions {
  readonly signal: AbortSignal;
  readonly onCall?: (call: ModelCall) => void;
}

const REFUSING = [400, 413, 422];

export function makeEmbedder(
  model: string,
  directory: Pick<ModelDirectory, 'providerOf'>,
  onEveryCall: (call: ModelCall) => void,
): Embedder {
  const clientFor = makeClients();

  async function asked(input: readonly string[], signal: AbortSignal): Promise<unknown> {
    const provider = await directory.providerOf(model);
    if (!provider) throw new NotEmbedded('no provider', false);
    const wanted = { model, input: [...input], encoding_format: 'float' as const };
    const headers = { 'X-Parley-Purpose': 'embedding' };
    return runInSpan('model', { kind: SpanKind.CLIENT, attributes: { model, purpose: 'embedding' } }, () =>
      clientFor(provider).embeddings.create(wanted, { signal, headers }),
    );
  }

  return {
    model,
    async embed(texts, { signal: given, onCall = () => {} }) {
      // One of its own: the client leaves a listener with each call.
      const signal = AbortSignal.any([given]);
      const watch = startStopwatch();
      const note = (status: number, tokens: number, error?: string) => {
        const startedAt = watch.startedAt.toISOString();
        const call = { name: model, status, tokens, startedAt, durationMs: watch.elapsedMs() };
        for (const tell of [onCall, onEveryCall]) tell(error ? { ...call, error } : call);
      };
      try {
        const answer = await Promise.race([asked(texts, signal), aborted(signal)]);
        const vectors = vectorsIn(answer, texts.length);
        if (!vectors) throw new NotEmbedded('unusable answer', false);
        note(200, tokensIn(answer));
        return vectors;
      } catch (error) {
        const failed = signal.aborted ? new NotEmbedded('aborted', false) : failureOf(error);
        note(error instanceof APIError ? (error.status ?? 0) : 0, 0, failed.message);
        signal.throwIfAborted();
        throw failed;
      }
    },
  };
}

function failureOf(error: unknown): NotEmbedded {
  if (error instanceof NotEmbedded) return error;
  if (error instanceof APIConnectionError) return new NotEmbedded('no connection', false);
  if (!(error instanceof APIError) || !error.status) return new NotEmbedded('unusable answer', false);
  return new NotEmbedded(`refused with ${error.status}`, REFUSING.includes(error.status));
}
