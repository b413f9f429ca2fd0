import { linkSignals, whenAborted } from '../../platform/link-signals.ts';
import { maskAlone } from '../domain/masking/masking.ts';
import type { Vector } from '../domain/retrieval/vector-space.ts';
import { startCall } from './model-call.ts';
import type { ModelDirectory } from './model-directory.ts';
import { attributesOfUsage, runInModelSpan } from './model-span.ts';
import { NO_TOKENS, type TokenUsage } from './prices.ts';
import { type Embedding, ModelError } from './provider.ts';
import type { CallAccount, PlannedCall, Spender, SpendLedger } from './spender.ts';
import type { ModelCall } from './tries.ts';
import { countTexts, isPlausible, type MeasuredUsage } from './usage-meter.ts';

/** Says in our own words why there are no vectors: a provider's error may quote the text. */
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
   * Returns one vector for each text, without retries. Rejects with `EmbeddingError`, with `SpendRefusedError` where a
   * spender's budget does not allow it, or when the signal is aborted.
   */
  embed(texts: readonly EmbeddedText[], options: EmbedOptions): Promise<Vector[]>;
}

export interface EmbeddedText {
  readonly text: string;
  /** Personal identifiers in it leave as tokens, numbered within the text. */
  readonly isMasked: boolean;
  /** The host that pays; undefined for our own texts. */
  readonly spender?: Spender;
  /** Cuts the text after it is masked: cut before, it may end within an identifier. */
  readonly cut?: (text: string) => string;
}

export interface EmbedOptions {
  readonly signal: AbortSignal;
  readonly onCall?: (call: ModelCall) => void;
}

const REFUSED_STATUSES = [400, 413, 422];
const NO_PROVIDER = 'no provider';
/** A model may add this much to one text. */
const EXTRA_TOKENS = 8;

export function makeEmbedder(
  model: string,
  directory: Pick<ModelDirectory, 'providerOf'>,
  onEveryCall: (call: ModelCall) => void,
  ledger: SpendLedger,
): Embedder {
  async function requestVectors(input: readonly string[], signal: AbortSignal): Promise<Embedding> {
    const provider = await directory.providerOf(model);
    if (!provider) throw new EmbeddingError(NO_PROVIDER, false);
    const call = { operation: 'embeddings', provider: provider.name, model, purpose: 'embedding' } as const;
    return runInModelSpan(call, async note => {
      const answer = await provider.embed(model, input, signal);
      if (answer.usage) note(attributesOfUsage(answer.usage));
      return answer;
    });
  }

  return {
    model,
    async embed(sources, { signal: callSignal, onCall = () => {} }) {
      const texts = sources.map(sentTextOf);
      // A signal for each call, because the client leaves an abort listener behind on it.
      using linked = linkSignals(callSignal);
      const { signal } = linked;
      const started = startCall(
        model,
        { purpose: 'embedding' },
        {
          ledger,
          onCall(call) {
            onCall(call);
            onEveryCall(call);
          },
        },
      );
      const paid = sources.map(({ spender }, at) => ({ spender, text: texts[at] ?? '' }));
      const accounts = await openAccounts(ledger, { model, signal }, paid);
      started.send();
      try {
        const { vectors, usage } = await Promise.race([requestVectors(texts, signal), whenAborted(signal)]);
        const taken = await measureEmbedding(texts, usage);
        started.took(taken);
        await accounts.settle(taken);
        if (!vectors) throw new EmbeddingError('unusable answer', false);
        started.succeed();
        return vectors;
      } catch (error) {
        // An aborted call ends at once.
        void settleFailed(accounts, isUnbilled(error) ? undefined : texts);
        const failure = signal.aborted ? new EmbeddingError('aborted', false) : failureOf(error);
        started.fail(error, failure.message);
        signal.throwIfAborted();
        throw failure;
      }
    },
  };
}

function sentTextOf({ text, isMasked, cut = whole => whole }: EmbeddedText): string {
  return cut(isMasked ? maskAlone(text) : text);
}

/** Counts the tokens if the provider reports nothing, or what cannot be true. */
async function measureEmbedding(texts: readonly string[], usage?: TokenUsage): Promise<MeasuredUsage> {
  const bytes = () => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (usage && isPlausible(usage, bytes)) return { ...usage, output: 0, isEstimated: false };
  return { input: await countTexts(texts), cached: 0, output: 0, isEstimated: true };
}

async function settleFailed(accounts: CallAccount, billed: readonly string[] | undefined): Promise<void> {
  await accounts.settle(billed && (await measureEmbedding(billed)));
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

interface HostPart {
  readonly spender: Spender;
  readonly maxTokens: number;
}

interface SentText {
  readonly text: string;
  readonly spender: Spender | undefined;
}

/**
 * Opens one account for each host whose texts are in the request; texts without a spender are not counted. Rejects with
 * the refusal of the first host that may not spend, after closing the accounts of the others.
 */
async function openAccounts(
  ledger: SpendLedger,
  call: Pick<PlannedCall, 'model' | 'signal'>,
  texts: readonly SentText[],
): Promise<CallAccount> {
  const parts = partsOf(texts);
  const opened: (HostPart & { readonly account: CallAccount })[] = [];
  try {
    for (const part of parts) {
      const most = () => ({ ...NO_TOKENS, input: part.maxTokens });
      const planned = { ...call, purpose: 'embedding', isOwn: false, most } as const;
      opened.push({ ...part, account: await ledger.open(part.spender, planned) });
    }
  } catch (error) {
    await Promise.all(opened.map(({ account }) => account.settle(undefined)));
    throw error;
  }
  return {
    async settle(usage) {
      const inputs = sharesOf(usage?.input ?? 0, opened);
      const cached = sharesOf(usage?.cached ?? 0, opened);
      // Rounding can give a small part more cached tokens than it has tokens, so they are limited.
      const shareOf = (at: number) => {
        const input = inputs[at] ?? 0;
        return usage && { ...usage, input, cached: Math.min(cached[at] ?? 0, input) };
      };
      await Promise.all(opened.map(({ account }, at) => account.settle(shareOf(at))));
    },
  };
}

function partsOf(texts: readonly SentText[]): HostPart[] {
  const parts = new Map<string, HostPart>();
  for (const { text, spender } of texts) {
    if (!spender) continue;
    const { maxTokens = 0 } = parts.get(spender.hostId) ?? {};
    const more = Buffer.byteLength(text) + EXTRA_TOKENS;
    parts.set(spender.hostId, { spender, maxTokens: maxTokens + more });
  }
  return [...parts.values()];
}

/** Splits the tokens of a request by the size of the parts; the shares add up to the total. */
function sharesOf(tokens: number, parts: readonly HostPart[]): number[] {
  const total = parts.reduce((sum, { maxTokens }) => sum + maxTokens, 0);
  let size = 0;
  return parts.map(({ maxTokens }) => {
    const before = Math.floor((tokens * size) / total);
    size += maxTokens;
    return Math.floor((tokens * size) / total) - before;
  });
}
