import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { purgeExpiredReplies } from '../db/replies.ts';
import { foldReportDeltas } from '../db/reports.ts';
import { keepInsights } from './insights/keep-insights.ts';
import { replayLeftOver } from './intake/replay.ts';
import type { Models } from './model/models.ts';
import { OFFLINE_MODEL } from './model/providers.ts';
import { keepEmbeddings } from './retrieval/keep-embeddings.ts';
import { repeat } from './runtime/repeat.ts';
import { followRetention } from './runtime/retention.ts';

export interface BackgroundSettings {
  readonly databaseUrl: string;
  readonly openaiModel?: string | undefined;
  /** Conversations that are summed up at a time; 0: none. */
  readonly insightConcurrency: number;
  /** Undefined: what people wrote is kept for ever. */
  readonly retentionDays?: number | undefined;
}

export interface BackgroundParts extends Pick<Models, 'model' | 'embedder'> {
  readonly db: Db;
  readonly log: Logger;
}

export interface Background {
  close(): Promise<void>;
}

/** How often is nobody's business but the readers' speed: a report adds the deltas that are not folded yet. */
const FOLD_EVERY_MS = 5_000;
const REPLAY_EVERY_MS = 20_000;
const PURGE_EVERY_MS = 60_000;

/** What every worker process does without anybody asking; over all processes, the database shares it out. */
export function startBackground(
  { db, model, embedder, log }: BackgroundParts,
  { databaseUrl, openaiModel, insightConcurrency, retentionDays }: BackgroundSettings,
): Background {
  const told = (what: string) => (err: unknown) => log.warn({ err }, what);
  const works = [
    repeat(FOLD_EVERY_MS, () => foldReportDeltas(db), told('what counts for the reports was not folded')),
    repeat(
      REPLAY_EVERY_MS,
      () => replayLeftOver(db, log),
      told('records that were left over were not looked for'),
    ),
    repeat(PURGE_EVERY_MS, () => purgeExpiredReplies(db), told('expired replies were not purged')),
    followRetention(db, retentionDays, log),
  ];
  const insights = keepInsights({
    db,
    // It answers by extraction: what it would make of a dialogue is less than what rules tell.
    model: openaiModel && openaiModel !== OFFLINE_MODEL ? model : undefined,
    concurrency: insightConcurrency,
    log,
  });
  const embeddings = embedder && keepEmbeddings({ db, databaseUrl, embedder, log });
  return {
    async close() {
      await Promise.all([insights.close(), embeddings?.close(), ...works.map(work => work.stop())]);
    },
  };
}
