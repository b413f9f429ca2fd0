import type { Logger } from 'pino';
import { purgeRehearsals } from '../db/assistants/evaluation-cases.ts';
import type { Db } from '../db/connection.ts';
import { purgeAttachments } from '../db/conversations/attachments.ts';
import { purgeFiles } from '../db/conversations/files.ts';
import { eraseTextBatch, hasMoreToErase } from '../db/conversations/retention.ts';
import { returnConversations } from '../db/conversations/returns.ts';
import { purgeSiteChatCounts } from '../db/conversations/site-chat-counts.ts';
import { purgeToolConfirmations } from '../db/conversations/tool-confirmations.ts';
import { abandonOverdueTurns, tellIdleConversations } from '../db/conversations/turns.ts';
import { giveBackUntaken } from '../db/conversations/untaken.ts';
import { tellClosingWindows } from '../db/conversations/windows.ts';
import { aggregateSpend } from '../db/hosts/spend.ts';
import { purgeSignedMessages } from '../db/intake/signed-messages.ts';
import { purgeImports } from '../db/knowledge/document-imports.ts';
import { purgeUploads } from '../db/knowledge/document-uploads.ts';
import { purgeExpiredReplies } from '../db/replies.ts';
import { aggregateReportDeltas } from '../db/reports/report-aggregation.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import { repeat } from '../platform/repeat.ts';
import { makeThrottledWarning } from '../platform/throttled-warning.ts';
import { deleteObjects } from './conversations/delete-objects.ts';
import { purgeDeliveries } from './events/start-deliveries.ts';
import { runInsights } from './insights/make-insight.ts';
import { replayLeftOver } from './intake/replay-records.ts';
import { checkContradictions } from './knowledge/run-contradictions.ts';
import { findPeopleWords } from './knowledge/run-people-words.ts';
import { type Models, OFFLINE_MODEL } from './model/models.ts';
import type { OutageLogs } from './outage-logs.ts';
import { countAllOutcomes } from './reports/get-outcomes.ts';
import { type GapListener, groupAllGaps } from './reports/group-gaps.ts';
import { runEmbeddings } from './retrieval/run-embeddings.ts';
import type { Pools } from './runtime/pools.ts';

export interface BackgroundSettings {
  readonly databaseUrl: string;
  readonly openaiModel?: string | undefined;
  /** Conversations that are summarized at a time; 0: none. */
  readonly insightConcurrency: number;
  /** The pause after the last answer of a conversation before it is summarized. */
  readonly insightAfterSeconds: number;
  /** Undefined: text is kept without a limit of time. */
  readonly retentionDays?: number | undefined;
}

export interface BackgroundParts
  extends Pick<Models, 'model' | 'embedder'>,
    Pick<OutageLogs, 'onTaskFailed'> {
  readonly pools: Pools;
  readonly log: Logger;
  /** Undefined: files lie in the database. */
  readonly objects: ObjectStore | undefined;
  readonly onGap: GapListener;
}

export interface Background {
  close(): Promise<void>;
}

/** Affects only the speed of reports, which add the deltas that are not aggregated yet. */
const NAME_EVERY_MS = 2_000;
const CONTRADICT_EVERY_MS = 5_000;
const AGGREGATE_EVERY_MS = 5_000;
const ABANDON_EVERY_MS = 5_000;
const IDLE_EVERY_MS = 5_000;
const REPLAY_EVERY_MS = 20_000;
const PURGE_EVERY_MS = 60_000;
const ERASE_EVERY_MS = 60_000;

/** Starts the background tasks of a worker process; the database distributes their work over all processes. */
export function startBackground(
  { pools, model, embedder, log, objects, onTaskFailed, onGap }: BackgroundParts,
  { databaseUrl, openaiModel, insightConcurrency, insightAfterSeconds, retentionDays }: BackgroundSettings,
): Background {
  const closing = new AbortController();
  const { signal } = closing;
  const tasks = listTasks({ pools, log, objects, onGap }, retentionDays, signal).map(
    ({ run, everyMs, event, message }) =>
      repeat(run, { everyMs, signal, onError: err => onTaskFailed(err, event, message) }),
  );
  const insightParts = {
    owner: pools.owner,
    db: pools.hosts,
    // The offline model only extracts sentences: the rules summarize a dialogue better.
    model: openaiModel && openaiModel !== OFFLINE_MODEL ? model : undefined,
    concurrency: insightConcurrency,
    pauseMs: insightAfterSeconds * 1_000,
    warnRarely: makeThrottledWarning(log),
    onTaskFailed,
  };
  tasks.push(runInsights(insightParts, signal));
  const naming = insightParts.model && {
    owner: pools.owner,
    db: pools.hosts,
    model: insightParts.model,
    log,
  };
  if (naming)
    tasks.push(
      repeat(() => findPeopleWords(naming, signal), {
        everyMs: NAME_EVERY_MS,
        signal,
        onError: err => onTaskFailed(err, 'people_words.run_failed', 'failed to find the words of people'),
      }),
    );
  if (embedder) tasks.push(runEmbeddings({ db: pools.owner, databaseUrl, embedder, log }, signal));
  return {
    async close() {
      closing.abort();
      await Promise.all(tasks);
    },
  };
}

interface Task {
  readonly run: () => Promise<unknown>;
  readonly everyMs: number;
  /** The event that is logged when the task fails. */
  readonly event: string;
  readonly message: string;
}

function listTasks(
  { pools, log, objects, onGap }: Pick<BackgroundParts, 'pools' | 'log' | 'objects' | 'onGap'>,
  retentionDays: number | undefined,
  signal: AbortSignal,
): Task[] {
  const { owner } = pools;
  const tasks: Task[] = [
    ...listCountingTasks(pools, onGap, signal),
    ...listTurnTasks(pools),
    {
      run: () => replayLeftOver(pools, log, { signal }),
      everyMs: REPLAY_EVERY_MS,
      event: 'intake.replay_failed',
      message: 'failed to look for leftover records',
    },
    {
      run: () => checkContradictions({ owner, db: pools.heavy }, signal),
      everyMs: CONTRADICT_EVERY_MS,
      event: 'contradictions.check_failed',
      message: 'failed to compare passages',
    },
    purge('replies', 'expired replies', () => purgeExpiredReplies(owner)),
    purge('attachments', 'attachments of turns that ended without deleting them', () =>
      purgeAttachments(owner),
    ),
    purge('confirmations', 'old calls of tools that waited for a yes', () => purgeToolConfirmations(owner)),
    purge('files', 'old files of conversations', () => purgeFiles(owner, retentionDays)),
    purge('file_objects', 'objects of files that are gone', () => deleteObjects(owner, objects)),
    purge('documents', 'old imports', async () => [await purgeImports(owner), await purgeUploads(owner)]),
    purge('rehearsals', 'rehearsals of more than a day ago', () => purgeRehearsals(owner, signal)),
    purge('site_chats', 'counts of questions to chats that have ended', () => purgeSiteChatCounts(owner)),
    purge('deliveries', 'old deliveries', () => purgeDeliveries(owner, signal)),
    purge('intake', 'signed messages that are too old to be replayed', () => purgeSignedMessages(owner)),
  ];
  if (retentionDays === undefined) return tasks;
  const retention = {
    run: () => eraseExpiredText(owner, retentionDays, signal),
    everyMs: ERASE_EVERY_MS,
    event: 'retention.run_failed',
    message: 'failed to erase expired text',
  };
  return [...tasks, retention];
}

function purge(of: string, what: string, run: Task['run']): Task {
  return { run, everyMs: PURGE_EVERY_MS, event: `${of}.purge_failed`, message: `failed to purge ${what}` };
}

/** Lists the tasks that keep the figures of reports up to date. */
function listCountingTasks(pools: BackgroundParts['pools'], onGap: GapListener, signal: AbortSignal): Task[] {
  const { owner } = pools;
  return [
    {
      run: () => aggregateReportDeltas(owner),
      everyMs: AGGREGATE_EVERY_MS,
      event: 'reports.aggregate_failed',
      message: 'failed to aggregate report counts',
    },
    {
      run: () => aggregateSpend(owner),
      everyMs: AGGREGATE_EVERY_MS,
      event: 'spend.aggregate_failed',
      message: 'failed to aggregate spend',
    },
    {
      run: () => countAllOutcomes(pools, signal),
      everyMs: AGGREGATE_EVERY_MS,
      event: 'outcomes.count_failed',
      message: 'failed to count the outcomes of conversations',
    },
    {
      run: () => groupAllGaps(pools, onGap, signal),
      everyMs: AGGREGATE_EVERY_MS,
      event: 'gaps.group_failed',
      message: 'failed to group questions without an answer',
    },
  ];
}

/** Lists the tasks that end turns left open, and look at what time does to conversations. */
function listTurnTasks({ owner }: BackgroundParts['pools']): Task[] {
  return [
    {
      run: () => abandonOverdueTurns(owner),
      everyMs: ABANDON_EVERY_MS,
      event: 'turn.overdue_failed',
      message: 'failed to abandon turns that nobody will end',
    },
    {
      run: () => tellIdleConversations(owner),
      everyMs: IDLE_EVERY_MS,
      event: 'conversations.idle_failed',
      message: 'failed to tell of conversations that fell silent',
    },
    {
      run: () => giveBackUntaken(owner),
      everyMs: IDLE_EVERY_MS,
      event: 'conversations.reassign_failed',
      message: 'failed to give conversations back to their teams',
    },
    {
      run: () => returnConversations(owner),
      everyMs: IDLE_EVERY_MS,
      event: 'conversations.return_failed',
      message: 'failed to give conversations back to the assistant',
    },
    {
      run: () => tellClosingWindows(owner),
      everyMs: IDLE_EVERY_MS,
      event: 'conversations.window_failed',
      message: 'failed to tell of windows that close',
    },
  ];
}

/** Erases expired text, in one process at a time. */
export async function eraseExpiredText(db: Db, days: number, signal: AbortSignal): Promise<void> {
  let erased = await eraseTextBatch(db, days);
  while (erased && hasMoreToErase(erased) && !signal.aborted) erased = await eraseTextBatch(db, days);
}
