import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { claimDueTexts } from '../../db/vectors/embeddings-due.ts';
import { maintainNeighbourIndexes } from '../../db/vectors/neighbour-indexes.ts';
import { spaceOf } from '../domain/retrieval/vector-space.ts';
import { type Embedder, NotEmbedded } from '../model/embedder.ts';
import { embedTexts } from './embed-texts.ts';

export interface EmbeddingParts {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly embedder: Embedder;
  readonly log: Logger;
  /** How often it looks for work; the first pause after a failure, too. */
  readonly lookEveryMs?: number;
}

export interface EmbeddingKeeper {
  /** Gives back what is in hand, for another worker to take at once. */
  close(): Promise<void>;
}

const LOOK_AT_INDEXES_EVERY_MS = 5 * 60_000;
const LEASE_MS = 60_000;
const MODEL_LIMIT_MS = 30_000;
const MOST_AT_ONCE = 64;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Has every text that changes embedded, whichever worker stored it, beside all else. Several at once are sent to the
 * model; where it fails or refuses, half as many the next time, down to one alone, so that a text which it cannot take
 * holds up no other. A model that is away is asked again after ever longer pauses.
 */
export function keepEmbeddings(parts: EmbeddingParts): EmbeddingKeeper {
  const { db, databaseUrl, embedder, log, lookEveryMs = 1_000 } = parts;
  const closing = new AbortController();
  const stop = closing.signal;
  let space: string | undefined;
  let most = MOST_AT_ONCE;

  async function embedSome(): Promise<number> {
    space ??= await spaceIn(embedder, stop);
    const texts = await claimDueTexts(db, space, most, LEASE_MS);
    if (texts.length === 0) return lookEveryMs;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MODEL_LIMIT_MS)]);
    most = Math.max(Math.floor(texts.length / 2), 1);
    if (await embedTexts({ db, embedder }, space, texts, signal))
      most = Math.min(2 * texts.length, MOST_AT_ONCE);
    return 0;
  }
  async function keepIndexes(): Promise<number> {
    if (space === undefined) return lookEveryMs;
    await maintainNeighbourIndexes(databaseUrl, space, stop);
    return LOOK_AT_INDEXES_EVERY_MS;
  }

  const running = [
    everAgain(embedSome, { stop, firstPauseMs: lookEveryMs }, reason => {
      log.warn({ ...reason, model: embedder.model }, 'knowledge is not embedded for a while');
    }),
    everAgain(keepIndexes, { stop, firstPauseMs: lookEveryMs }, reason => {
      log.warn(reason, 'the indexes of vectors were not looked after');
    }),
  ];
  return {
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

/** Runs the step until told to stop, after the pause that it gives; while it fails, after ever longer ones. */
async function everAgain(
  step: () => Promise<number>,
  { stop, firstPauseMs }: { readonly stop: AbortSignal; readonly firstPauseMs: number },
  onTrouble: (reason: object) => void,
): Promise<void> {
  let failures = 0;
  while (!stop.aborted) {
    let pauseMs: number;
    try {
      pauseMs = await step();
      failures = 0;
    } catch (err) {
      if (!stop.aborted && failures === 0)
        onTrouble(err instanceof NotEmbedded ? { reason: err.message } : { err });
      pauseMs = Math.min(firstPauseMs * 2 ** failures, LONGEST_PAUSE_MS);
      failures += 1;
    }
    await delay(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}

/** Asked with a word: how many numbers a model gives is known from what it gives. */
async function spaceIn(embedder: Embedder, stop: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(MODEL_LIMIT_MS)]);
  const [vector = []] = await embedder.embed(['conhecimento'], { signal });
  return spaceOf(embedder.model, vector);
}
