import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { purgeExpiredReplies } from '../db/replies.ts';
import { aggregateReportDeltas } from '../db/report-aggregation.ts';
import { purgeSignedMessages } from '../db/signed-messages.ts';
import { aggregateSpend } from '../db/spend.ts';
import { repeat } from '../platform/repeat.ts';
import { purgeDeliveries } from './deliveries/purge-deliveries.ts';
import { startInsights } from './insights/start-insights.ts';
import { replayLeftOver } from './intake/replay.ts';
import type { Models } from './model/models.ts';
import { OFFLINE_MODEL } from './model/providers.ts';
import { eraseExpiredText } from './retention.ts';
import { startEmbeddings } from './retrieval/start-embeddings.ts';
import type { OutageLogs } from './runtime/outage-logs.ts';
import { makeThrottledWarning } from './runtime/throttled-warning.ts';

export interface BackgroundSettings {
  readonly databaseUrl: string;
  readonly openaiModel?: string | undefined;
  /** Conversations that are summarized at a time; 0: none. */
  readonly insightConcurrency: number;
  /** Undefined: text is kept without a limit of time. */
  readonly retentionDays?: number | undefined;
}

export interface BackgroundParts
  extends Pick<Models, 'model' | 'embedder'>,
    Pick<OutageLogs, 'onTaskFailed'> {
  readonly db: Db;
  readonly log: Logger;
}

export interface Background {
  close(): Promise<void>;
}

/** Affects only the speed of reports: a report adds the deltas that are not aggregated yet. */
const AGGREGATE_EVERY_MS = 5_000;
const REPLAY_EVERY_MS = 20_000;
const PURGE_EVERY_MS = 60_000;
const ERASE_EVERY_MS = 60_000;

/** Starts the background tasks of a worker process; the database distributes their work over all processes. */
export function startBackground(
  { db, model, embedder, log, onTaskFailed }: BackgroundParts,
  { databaseUrl, openaiModel, insightConcurrency, retentionDays }: BackgroundSettings,
): Background {
  const closing = new AbortController();
  const { signal } = closing;
  const repeatTask = (step: () => Promise<unknown>, everyMs: number, event: string, message: string) =>
    repeat(step, { everyMs, signal, onError: err => onTaskFailed(err, event, message) });
  const aggregate = () => aggregateReportDeltas(db);
  const replay = () => replayLeftOver(db, log);
  const tasks = [
    repeatTask(
      aggregate,
      AGGREGATE_EVERY_MS,
      'reports.aggregate_failed',
      'failed to aggregate report counts',
    ),
    repeatTask(
      () => aggregateSpend(db),
      AGGREGATE_EVERY_MS,
      'spend.aggregate_failed',
      'failed to aggregate spend',
    ),
    repeatTask(replay, REPLAY_EVERY_MS, 'intake.replay_failed', 'failed to look for leftover records'),
    ...listPurges(db, signal).map(([purge, event, message]) =>
      repeatTask(purge, PURGE_EVERY_MS, event, message),
    ),
  ];
  if (retentionDays !== undefined) {
    const erase = () => eraseExpiredText(db, retentionDays, signal);
    tasks.push(repeatTask(erase, ERASE_EVERY_MS, 'retention.run_failed', 'failed to erase expired text'));
  }
  const insights = startInsights({
    db,
    // The offline model only extracts sentences: the rules summarize a dialogue better.
    model: openaiModel && openaiModel !== OFFLINE_MODEL ? model : undefined,
    concurrency: insightConcurrency,
    warnRarely: makeThrottledWarning(log),
    onTaskFailed,
  });
  const embeddings = embedder && startEmbeddings({ db, databaseUrl, embedder, log });
  return {
    async close() {
      closing.abort();
      await Promise.all([insights.close(), embeddings?.close(), ...tasks]);
    },
  };
}

/** What deletes old rows: the step, and the event and message of a failure. */
function listPurges(db: Db, signal: AbortSignal): (readonly [() => Promise<unknown>, string, string])[] {
  return [
    [() => purgeExpiredReplies(db), 'replies.purge_failed', 'failed to purge expired replies'],
    [() => purgeDeliveries(db, signal), 'deliveries.purge_failed', 'failed to purge old deliveries'],
    [
      () => purgeSignedMessages(db),
      'intake.purge_failed',
      'failed to purge signed messages that are too old to be replayed',
    ],
  ];
}
