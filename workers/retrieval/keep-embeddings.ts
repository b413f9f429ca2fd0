import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { claimDueTexts } from '../../db/vectors/embeddings-due.ts';
import { maintainNeighbourIndexes } from '../../db/vectors/neighbour-indexes.ts';
import { spaceOf } from '../domain/retrieval/vector-space.ts';
import { type Embedder, EmbeddingError } from '../model/embedder.ts';
import { embedTexts } from './embed-texts.ts';

export interface EmbeddingParts {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly embedder: Embedder;
  readonly log: Logger;
  /** The polling interval, and the first backoff after a failure. */
  readonly pollMs?: number;
}

export interface EmbeddingKeeper {
  /** Releases the leases of texts in progress, so that another worker takes them at once. */
  close(): Promise<void>;
}

const CHECK_INDEXES_EVERY_MS = 5 * 60_000;
const LEASE_MS = 60_000;
const MODEL_LIMIT_MS = 30_000;
const MOST_AT_ONCE = 64;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Embeds every changed text in the background, whichever worker stored it. Texts are sent in batches; after a failure or
 * refusal the next batch is half as large, down to one text, so that a text that the model refuses blocks no other.
 * Failures are retried with exponential backoff.
 */
export function keepEmbeddings(parts: EmbeddingParts): EmbeddingKeeper {
  const { db, databaseUrl, embedder, log, pollMs = 1_000 } = parts;
  const closing = new AbortController();
  const stop = closing.signal;
  let space: string | undefined;
  let most = MOST_AT_ONCE;

  async function embedSome(): Promise<number> {
    space ??= await probeSpace(embedder, stop);
    const texts = await claimDueTexts(db, space, most, LEASE_MS);
    if (texts.length === 0) return pollMs;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MODEL_LIMIT_MS)]);
    most = Math.max(Math.floor(texts.length / 2), 1);
    if (await embedTexts({ db, embedder }, space, texts, signal))
      most = Math.min(2 * texts.length, MOST_AT_ONCE);
    return 0;
  }
  async function keepIndexes(): Promise<number> {
    if (space === undefined) return pollMs;
    await maintainNeighbourIndexes(databaseUrl, space, stop);
    return CHECK_INDEXES_EVERY_MS;
  }

  const running = [
    repeatWithBackoff(embedSome, { stop, firstPauseMs: pollMs }, reason => {
      log.warn(
        { event: 'embeddings.run_failed', ...reason, model: embedder.model },
        'failed to embed knowledge',
      );
    }),
    repeatWithBackoff(keepIndexes, { stop, firstPauseMs: pollMs }, reason => {
      log.warn({ event: 'embeddings.index_failed', ...reason }, 'failed to maintain vector indexes');
    }),
  ];
  return {
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

/** Runs the step until `stop` is aborted, after the pause that it returns; after failures with exponential backoff. */
async function repeatWithBackoff(
  step: () => Promise<number>,
  { stop, firstPauseMs }: { readonly stop: AbortSignal; readonly firstPauseMs: number },
  onFailure: (reason: object) => void,
): Promise<void> {
  let failures = 0;
  while (!stop.aborted) {
    let pauseMs: number;
    try {
      pauseMs = await step();
      failures = 0;
    } catch (err) {
      if (!stop.aborted && failures === 0)
        onFailure(err instanceof EmbeddingError ? { reason: err.message } : { err });
      pauseMs = Math.min(firstPauseMs * 2 ** failures, LONGEST_PAUSE_MS);
      failures += 1;
    }
    await delay(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}

/** Embeds one word to learn the number of dimensions of the model. */
async function probeSpace(embedder: Embedder, stop: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(MODEL_LIMIT_MS)]);
  const [vector = []] = await embedder.embed(['conhecimento'], { signal });
  return spaceOf(embedder.model, vector);
}
