import type { JobJson, PostgresQueueBackend } from 'bullmq';
import type pg from 'pg';
import { Gate } from '../../../platform/gate.ts';
import { DEFAULT_SHARE } from '../fair-order.ts';
import { FINISHED_JOB_SECONDS, jobOptions } from '../job-limits.ts';
import { MAX_STALLED_COUNT, STALL_CHECK_MS } from '../parts.ts';
import type { AddedJob, EndedJob, QueueCalls, TakenJob, TakeResult, WantedJobs } from '../queue-calls.ts';
import {
  ADD,
  ADD_FAIRLY,
  FINISH,
  GIVE_BACK,
  NOTIFY_END,
  PUBLISH,
  RECOVER_STALLED,
  RENEW_LOCKS,
  REPLACE_FINISHED,
  SEND,
  TAKE,
} from './statements.ts';

export interface PostgresCallOptions {
  readonly queue: string;
  readonly checks: StallChecks;
  readonly lockMs: number;
  /** Milliseconds on the store's clock. */
  now(): number;
}

/** There is at least one row; without an `id` there is no job. */
interface TakenRow {
  readonly is_declined: boolean;
  readonly waiting: string;
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
  readonly opts: object;
  readonly progress: string | null;
  readonly stacktrace: string | null;
  readonly return_value: string | null;
  readonly added_at_ms: string;
  readonly attempts_made: number;
  readonly attempts_started: number;
  readonly stalled_count: number;
  readonly deferred_failure: string | null;
  readonly priority: number;
  readonly delay_ms: string;
  readonly host: string | null;
  readonly share: number | null;
}

/**
 * The stall checks of a process. All its workers check at the same interval; each check covers the queues of all, so that the
 * others need none.
 */
export class StallChecks {
  readonly #queues = new Set<string>();
  #checked: ReadonlySet<string> = new Set();
  #by: string | undefined;
  #at = 0;

  /**
   * Returns the queues that the worker of this one must check now; empty if another worker has just done it. `now` is in
   * milliseconds.
   */
  begin(queue: string, now: number): readonly string[] {
    this.#queues.add(queue);
    const isRecent = now < this.#at + STALL_CHECK_MS;
    if (isRecent && this.#by !== queue && this.#checked.has(queue)) return [];
    [this.#by, this.#at, this.#checked] = [queue, now, new Set(this.#queues)];
    return [...this.#queues];
  }

  /** Called after a failed check: the next worker repeats it. */
  forget(): void {
    this.#by = undefined;
    this.#checked = new Set();
  }
}

const statements = {
  parley_add: ADD,
  parley_add_fairly: ADD_FAIRLY,
  parley_replace_finished: REPLACE_FINISHED,
  parley_take: TAKE,
  parley_finish: FINISH,
  parley_give_back: GIVE_BACK,
  parley_renew_locks: RENEW_LOCKS,
  parley_recover_stalled: RECOVER_STALLED,
  parley_publish: PUBLISH,
  parley_notify_end: NOTIFY_END,
  parley_send: SEND,
};

export function makePostgresCalls(
  { connection }: PostgresQueueBackend,
  { queue, lockMs, now, checks }: PostgresCallOptions,
): QueueCalls {
  // The pool is one of `makeSparingPool`.
  const pool = connection.pool as unknown as pg.Pool;
  const run: Run = async (name, values, of = queue) => {
    await connection.waitUntilReady();
    // BullMQ's own calls do the same: nobody waits for an answer while it closes.
    if (connection.isClosing) return new Promise(() => {});
    // A named statement is prepared once per connection.
    const { rows } = await pool.query({ name, text: statements[name], values: [of, ...values] });
    return rows;
  };
  const storedOptions = JSON.stringify(jobOptions);
  // Two at once would wait for each other's lock in PostgreSQL, and that wait counts towards the time limit of the query.
  const oneAtATime = new Gate({ maxTotal: 1, maxPerKey: 1 });
  const startOf = ({ lock, count, hostLimits }: WantedJobs) =>
    [lock, count, Math.round(now()), Math.round(now()) + lockMs, hostLimits] as const;
  return {
    // Half of the concurrent adds, so that both connections of a queue share them.
    maxAdds: 8,
    async add(jobs) {
      const values = [storedOptions, ...columnsOf(jobs, addedColumns)];
      const shares = [jobs.map(job => job.hostShare?.host), jobs.map(job => job.hostShare?.share)];
      if (jobs.some(({ hostShare }) => hostShare))
        await oneAtATime.run({ key: queue }, () => run('parley_add_fairly', [...values, ...shares]));
      else await run('parley_add', values);
    },
    async replaceFinished({ id, data, hostShare }) {
      await run('parley_replace_finished', [id, data, hostShare?.host, hostShare?.share]);
    },
    async take(wanted) {
      return decodeTaken((await run('parley_take', startOf(wanted))) as TakenRow[], wanted.lock);
    },
    async finish(jobs, wanted) {
      const values = [...startOf(wanted), FINISHED_JOB_SECONDS * 1_000, ...columnsOf(jobs, endedColumns)];
      const rows = (await run('parley_finish', values)) as (TakenRow & { completed: boolean[] })[];
      return { completed: rows[0]?.completed ?? [], ...decodeTaken(rows, wanted.lock) };
    },
    async giveBack(jobs) {
      await run('parley_give_back', [jobs.map(({ id }) => id), jobs.map(({ lock }) => lock)]);
    },
    async renewLocks(jobs, renewedMs) {
      const [ids, locks] = [jobs.map(({ id }) => id), jobs.map(({ lock }) => lock)];
      return idsOf(await run('parley_renew_locks', [ids, locks, Math.round(now()) + renewedMs]));
    },
    async recoverStalled() {
      const queues = checks.begin(queue, performance.now());
      if (queues.length === 0) return [];
      const recover = run('parley_recover_stalled', [Math.round(now()), MAX_STALLED_COUNT], queues);
      const rows = await recover.catch((error: unknown) => {
        checks.forget();
        throw error;
      });
      return idsOf((rows as { queue: string }[]).filter(row => row.queue === queue));
    },
    ...makeMessageCalls(run),
  };
}

/** `of`: its queues; by default the queue of these calls. */
type Run = (
  name: keyof typeof statements,
  values: readonly unknown[],
  of?: string | readonly string[],
) => Promise<unknown[]>;

function makeMessageCalls(run: Run): Pick<QueueCalls, 'publishEvent' | 'notifyEnd' | 'sendMessages'> {
  return {
    async publishEvent({ event, ...fields }) {
      const [row] = (await run('parley_publish', [event, fields])) as { id: string }[];
      return String(row?.id);
    },
    async notifyEnd(replyTo, jobId, reply) {
      await run('parley_notify_end', [replyTo, jobId, reply]);
    },
    async sendMessages(messages) {
      const [requesters, texts] = [
        messages.map(({ requester }) => requester),
        messages.map(({ text }) => text),
      ];
      await run('parley_send', [requesters, texts]);
    },
  };
}

const idsOf = (rows: unknown[]) => (rows as { id: string }[]).map(({ id }) => id);

const addedColumns = ['id', 'name', 'data', 'timestamp'] as const satisfies (keyof AddedJob)[];
const endedColumns = ['id', 'lock', 'reply', 'replyTo', 'data'] as const satisfies (keyof EndedJob)[];
/** These columns may have megabytes. */
const longColumns: ReadonlySet<unknown> = new Set<keyof AddedJob | keyof EndedJob>(['data', 'reply']);

function columnsOf<Row>(rows: readonly Row[], names: readonly (keyof Row)[]): unknown[] {
  return names.map(name => {
    const column = rows.map(row => row[name]);
    return longColumns.has(name) ? encodeTexts(column as string[]) : column;
  });
}

const TEXT_OID = 25;

/** Encodes a `text[]` in the binary format of PostgreSQL. The driver would escape and copy each text several times. */
function encodeTexts(texts: readonly string[]): Buffer {
  const lengths = texts.map(text => Buffer.byteLength(text));
  const array = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 20));
  // The header: one dimension, no nulls, starting at index 1.
  let at = 0;
  for (const number of [1, 0, TEXT_OID, texts.length, 1]) at = array.writeInt32BE(number, at);
  for (const [nth, text] of texts.entries()) {
    at = array.writeInt32BE(lengths[nth] ?? 0, at);
    at += array.write(text, at);
  }
  return array;
}

function decodeTaken(rows: readonly TakenRow[], lock: string): TakeResult {
  const jobs = rows.flatMap(row => (row.id === null ? [] : [decodeJob({ ...row, id: row.id }, lock)]));
  const [first] = rows;
  const waiting = first?.is_declined ? undefined : Number(first?.waiting) - jobs.length;
  return { jobs, waiting };
}

/** Decodes a row like BullMQ. */
function decodeJob(row: TakenRow & { readonly id: string }, lock: string): TakenJob {
  const { id, deferred_failure: deferredFailure } = row;
  const job: Partial<JobJson> = {
    id,
    name: row.name,
    data: row.data,
    opts: row.opts,
    progress: row.progress === null ? 0 : JSON.parse(row.progress),
    attemptsMade: row.attempts_made,
    attemptsStarted: row.attempts_started,
    processedOn: Date.now(),
    timestamp: Number(row.added_at_ms),
    delay: Number(row.delay_ms),
    priority: row.priority,
    stacktrace: row.stacktrace ?? '[]',
    returnvalue: row.return_value ?? 'null',
    stalledCounter: row.stalled_count,
    ...(deferredFailure === null ? {} : { deferredFailure }),
  };
  const hostShare = row.host === null ? undefined : { host: row.host, share: row.share ?? DEFAULT_SHARE };
  return { id, lock: `${lock}:${id}`, hostShare, fetched: [job, id, 0, 0] };
}
