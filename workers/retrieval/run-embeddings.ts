import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { claimDueTexts } from '../../db/vectors/embeddings-due.ts';
import { maintainNeighbourIndexes } from '../../db/vectors/neighbour-indexes.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import { makeBackoff, repeat } from '../../platform/repeat.ts';
import { spaceOf, type Vector } from '../domain/retrieval/vector-space.ts';
import { type Embedder, EmbeddingError } from '../model/embedder.ts';
import { embedWithinBudgets, MODEL_TIMEOUT_MS } from './embed-texts.ts';

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
/** Of all vectors of an answer: more are longer than what is read of one (`openai.ts`), at 32 bytes for each number. */
const MAX_NUMBERS = 131_072;
const MAX_PAUSE_MS = 60_000;

/**
 * Embeds every changed text in the background, whichever worker stored it. Texts are sent in batches; after a failure or
 * refusal the next batch is half as large, down to one text, so that a text that the model refuses blocks no other.
 * Failures are retried with exponential backoff. Ends with the signal, when the leases of texts in progress are released, so that
 * another worker takes them at once.
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
