import type { Registry } from 'prom-client';
import type { Db } from '../../db/connection.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import { makeBackoff, startRepeating } from '../../platform/repeat.ts';
import type { Seal } from '../../platform/seal.ts';
import type { OwnQueueName } from '../../queues/contract/queues.ts';
import type { Backend } from '../../queues/transport/backend.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';
import { type OwnJob, openOwnJobs } from '../../queues/transport/own-job.ts';

/*
 * A queue that the workers fill themselves with due work from the database. The rows are the truth: an item that the queue
 * store does not take is released, and the items that a dead process had found become due again in time.
 */

export interface OwnQueueParts {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly registry: Registry;
  readonly onTaskFailed: TaskFailureLog;
}

interface DueWork<Item> {
  readonly db: Db;
  readonly egress: { close(): Promise<unknown> };
  readonly everyMs: number;
  /** Called every `everyMs`, and sooner when a job has ended, which may have made room. */
  find(): Promise<readonly Item[]>;
  jobOf(item: Item): OwnJob;
  release(items: readonly Item[]): Promise<void> | void;
  readonly handle: JobHandler['handle'];
}

export interface OwnQueue {
  readonly handler: JobHandler;
  stop(): Promise<void>;
  /** Resolves when no job runs any more. */
  close(): Promise<void>;
}

const AFTER_ERROR_MS = 1_000;

export function startOwnQueue<Item>(
  queue: OwnQueueName,
  { backend, seal, onTaskFailed }: OwnQueueParts,
  { db, egress, everyMs, find, jobOf, release, handle }: DueWork<Item>,
): OwnQueue {
  const jobs = openOwnJobs(backend, queue, seal);
  const closing = new AbortController();
  const addDue = async () => {
    if (!backend.isReady()) return;
    const due = await find();
    const added = await Promise.allSettled(due.map(item => jobs.add(jobOf(item))));
    const left = due.filter((_item, at) => added[at]?.status === 'rejected');
    if (left.length > 0) await release(left);
    for (const result of added) if (result.status === 'rejected') throw result.reason;
  };
  const { wake, ended } = startRepeating(addDue, {
    everyMs,
    backoff: makeBackoff(AFTER_ERROR_MS, AFTER_ERROR_MS),
    signal: closing.signal,
    onError: error =>
      onTaskFailed(error, `${queue}.look_failed`, `failed to add jobs for the ${queue} that are due`),
  });
  return {
    handler: {
      handle: run => handle(run).finally(wake),
      storeOutcome: async () => {},
    },
    async stop() {
      closing.abort();
      await ended;
    },
    async close() {
      await Promise.all([egress.close(), jobs.close(), db.destroy()]);
    },
  };
}
