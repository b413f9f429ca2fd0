import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import {
  claimDueTexts,
  type DueText,
  releaseTexts,
  storeEmbeddings,
} from '../../db/vectors/embeddings-due.ts';
import { maintainNeighbourIndexes } from '../../db/vectors/neighbour-indexes.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import { makeBackoff, repeat } from '../../platform/repeat.ts';
import { spaceOf, type Vector } from '../domain/retrieval/vector-space.ts';
import { type EmbeddedText, type Embedder, EmbeddingError } from '../model/embedder.ts';
import { SpendRefusedError } from '../model/spender.ts';

export interface EmbeddingParts {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly embedder: Embedder;
  readonly log: Logger;
  /** The polling interval, and the first backoff after a failure. */
  readonly pollMs?: number;
}

const CHECK_INDEXES_EVERY_MS = 5 * 60_000;
const LEASE_MS = 60_000;
const MAX_BATCH = 64;
/** Numbers in all vectors of one answer: at 32 bytes each, more would exceed the limit of a response (`openai.ts`). */
const MAX_NUMBERS = 131_072;
const MAX_PAUSE_MS = 60_000;

/**
 * Embeds every changed text in the background, whichever worker stored it. Texts are sent in batches; after a failure or
 * refusal the next batch is half as large, down to one text, so that a refused text blocks no other. Failures are retried with
 * exponential backoff. Ends with the signal, and releases the leases of texts in progress, so that another worker takes them at
 * once.
 */
export async function runEmbeddings(parts: EmbeddingParts, stop: AbortSignal): Promise<void> {
  const { db, databaseUrl, embedder, log, pollMs = 1_000 } = parts;
  let space: string | undefined;
  let maxBatch = MAX_BATCH;
  let batchSize = MAX_BATCH;
  let hasMore = false;

  async function embedSome(): Promise<void> {
    if (space === undefined) {
      const vector = await probeModel(embedder, stop);
      space = spaceOf(embedder.model, vector);
      maxBatch = Math.min(Math.max(Math.floor(MAX_NUMBERS / vector.length), 1), MAX_BATCH);
      batchSize = maxBatch;
    }
    const texts = await claimDueTexts(db, space, batchSize, LEASE_MS);
    hasMore = texts.length > 0;
    if (!hasMore) return;
    using linked = linkSignals(stop, AbortSignal.timeout(MODEL_TIMEOUT_MS));
    batchSize = Math.max(Math.floor(texts.length / 2), 1);
    if (await embedWithinBudgets({ db, embedder }, space, texts, linked.signal))
      batchSize = Math.min(2 * texts.length, maxBatch);
  }
  async function maintainIndexes(): Promise<void> {
    if (space !== undefined) await maintainNeighbourIndexes(databaseUrl, space, stop);
  }

  /** Logs the first of several failures in a row. */
  const logFirst = (line: object, message: string) => (err: unknown, failures: number) => {
    const reason = err instanceof EmbeddingError ? { reason: err.message } : { err };
    if (!stop.aborted && failures === 1) log.warn({ ...line, ...reason }, message);
  };
  const options = { firstAfterMs: 0, backoff: makeBackoff(pollMs, MAX_PAUSE_MS), signal: stop };
  await Promise.all([
    repeat(embedSome, {
      ...options,
      everyMs: () => (hasMore ? 0 : pollMs),
      onError: logFirst(
        { event: 'embeddings.run_failed', model: embedder.model },
        'failed to embed knowledge',
      ),
    }),
    repeat(maintainIndexes, {
      ...options,
      everyMs: () => (space === undefined ? pollMs : CHECK_INDEXES_EVERY_MS),
      onError: logFirst({ event: 'embeddings.index_failed' }, 'failed to maintain vector indexes'),
    }),
  ]);
}

/** Embeds one word to learn the number of dimensions of the model. */
async function probeModel(embedder: Embedder, stop: AbortSignal): Promise<Vector> {
  using linked = linkSignals(stop, AbortSignal.timeout(MODEL_TIMEOUT_MS));
  const [vector = []] = await embedder.embed([{ text: 'conhecimento', isMasked: false }], {
    signal: linked.signal,
  });
  return vector;
}

const MAX_SHORTENINGS = 4;
const AFTER_LAST_REFUSAL_MS = 24 * 3_600_000;
/** A budget may be raised, or begin anew, in this time. */
const AFTER_BUDGET_MS = 10 * 60_000;
/** Limits the request, which also ends with the signal. */
const MODEL_TIMEOUT_MS = 30_000;

/** Embeds the texts as `embedTexts` does. Those of hosts whose budget does not allow it are due again later. */
async function embedWithinBudgets(
  parts: { readonly db: Db; readonly embedder: Embedder },
  space: string,
  texts: readonly DueText[],
  signal: AbortSignal,
): Promise<boolean> {
  let left = texts;
  while (left.length > 0) {
    try {
      return await embedTexts(parts, space, left, signal);
    } catch (error) {
      if (!(error instanceof SpendRefusedError)) throw error;
      const isRefused = ({ hostId }: DueText) => hostId === error.hostId;
      const later = { afterMs: AFTER_BUDGET_MS, isRefused: false };
      await releaseTexts(parts.db, left.filter(isRefused), later);
      left = left.filter(text => !isRefused(text));
    }
  }
  return true;
}

/**
 * Embeds the texts and stores their vectors. Returns false if the model refuses a text and rejects if it fails; both release
 * the leases of the texts. A text that was refused alone is probably too long, so the next attempt uses half of it. If a budget
 * refuses them, nothing is released.
 */
async function embedTexts(
  { db, embedder }: { readonly db: Db; readonly embedder: Embedder },
  space: string,
  texts: readonly DueText[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const vectors = await embedder.embed(texts.map(embeddedTextOf), { signal });
    const [first = []] = vectors;
    if (spaceOf(embedder.model, first) !== space)
      throw new EmbeddingError('vectors of another length', false);
    await storeEmbeddings(
      db,
      space,
      texts.map((text, at) => ({ text, vector: vectors[at] ?? [] })),
    );
    return true;
  } catch (error) {
    if (error instanceof SpendRefusedError) throw error;
    const isRefused = error instanceof EmbeddingError && error.isRefused;
    // If this fails too, the leases expire.
    await releaseTexts(db, texts, nextTryOf(texts, isRefused)).catch(() => {});
    if (!isRefused) throw error;
    return false;
  }
}

function nextTryOf([first, ...others]: readonly DueText[], isRefused: boolean) {
  if (!first || others.length > 0 || !isRefused) return { afterMs: 0, isRefused: false };
  return { afterMs: first.refusals < MAX_SHORTENINGS ? 0 : AFTER_LAST_REFUSAL_MS, isRefused: true };
}

function embeddedTextOf({ hostId, text, isMasked, hasBudget, refusals }: DueText): EmbeddedText {
  const fraction = 2 ** -Math.min(refusals, MAX_SHORTENINGS);
  // Some providers refuse an empty text.
  const cut = (sent: string) => sent.slice(0, Math.ceil(sent.length * fraction)).toWellFormed() || ' ';
  const spender = { hostId, hasBudget, remainingMs: () => MODEL_TIMEOUT_MS };
  return { text, isMasked, spender, cut };
}
