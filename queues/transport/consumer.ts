import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { Seal } from '../../platform/seal.ts';
import { failure, type Outcome } from '../contract/failure.ts';
import type { QueueName } from '../contract/operation.ts';
import type { Backend, JobData, ParleyQueue, ParleyWorker } from './backend.ts';
import { ABORT_GRACE_MS, FINISHED_JOB_SECONDS } from './job-limits.ts';
import { type JobPayload, jobReferenceOf } from './job-payload.ts';
import type { JobReply } from './store.ts';

/*
 * The workers' side of the crossing: takes a job, opens it, has its question answered before its deadline, and
 * completes it with the outcome, sealed.
 *
 * A job always completes with a value, a refusal too; one that fails has lost its workers `maxStalledCount`
 * times over. A job is run again after a crash, so whoever answers must find what the first run left.
 */

/** A question in a worker's hands. */
export interface JobRun extends JobPayload {
  readonly jobId: string;
  readonly queue: QueueName;
  /** This job was taken before: by a worker that died, or under the same Idempotency-Key. */
  readonly isRerun: boolean;
  readonly bodyMac: string | undefined;
  /** Aborted at the deadline, when the client has gone, and at shutdown. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Asks for one more job beside this one, which only waits; called again to give that up. */
  lendSlot(): () => void;
}

/** Who answers the questions. */
export interface JobHandler {
  answer(run: JobRun): Promise<Outcome<unknown>>;
  /** Told how every run ended, however it did. */
  settle(run: JobRun, outcome: Outcome<unknown>): Promise<void>;
}

export interface ConsumerOptions extends JobHandler {
  /** Told what goes wrong beside the jobs. */
  onError(error: Error): void;
  readonly backend: Backend;
  readonly seal: Seal;
  readonly queue: QueueName;
  readonly concurrency: number;
  /** Told of a job that this process has no key for. */
  onUnreadable(error: Error, jobId: string): void;
  onBug(error: unknown, run: Pick<JobRun, 'requestId' | 'jobId' | 'operation'>): void;
}

export interface Consumer {
  cancel(jobId: string): void;
  /** Takes no more jobs, gives those under way `graceMs`, then ends them with 503. */
  close(graceMs: number): Promise<void>;
}

const CANCELLED_JOB_TTL_MS = 60_000;
/** Why the signal of a job is aborted whose time is up. */
const DEADLINE = 'deadline';
const CLEAN_EVERY_MS = 10_000;
const CLEANED_AT_ONCE = 1_000;

export async function makeConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { backend, queue: name, concurrency } = options;
  const cancelledJobs = new LRUCache<string, true>({ max: 10_000, ttl: CANCELLED_JOB_TTL_MS });
  // BullMQ hands over a signal only to a processor that declares exactly three parameters.
  const worker = backend.makeWorker(
    name,
    (job, _token, signal) => replyTo(job, signal ?? new AbortController().signal),
    concurrency,
  );
  const queue = backend.makeQueue(name);
  await Promise.all([worker.waitUntilReady(), queue.waitUntilReady()]);
  const stopCleaning = startCleaning(queue, options.onError);

  async function replyTo(job: Job<JobData, JobReply>, signal: AbortSignal): Promise<JobReply> {
    const run = await makeRun(job, signal, { ...options, worker });
    await waitUntilSettled(job, backend, signal);
    const deadline = setTimeout(() => worker.cancelJob(run.jobId, DEADLINE), Math.max(run.remainingMs(), 0));
    const isCancelled = cancelledJobs.has(run.jobId) || signal.aborted;
    const outcome = isCancelled ? failure('interrupted') : await runHandler(run, options);
    clearTimeout(deadline);
    await options.settle(run, outcome).catch(error => options.onBug(error, run));
    return { code: outcome.code, sealed: await options.seal.seal(outcome, run.jobId) };
  }

  return {
    cancel(jobId) {
      if (!worker.cancelJob(jobId, 'cancelled')) cancelledJobs.set(jobId, true);
    },
    async close(graceMs) {
      stopCleaning();
      const closed = worker.close();
      const limit = setTimeout(() => worker.cancelAllJobs('shutdown'), graceMs);
      await closed;
      clearTimeout(limit);
      await queue.close();
    },
  };
}

/** Retention by age is lazy: a queue that falls idle would keep its last jobs for ever. */
function startCleaning(queue: ParleyQueue, onError: (error: Error) => void): () => void {
  const clean = async () => {
    for (const state of ['completed', 'failed'] as const) {
      const sweep = () => queue.clean(FINISHED_JOB_SECONDS * 1_000, CLEANED_AT_ONCE, state);
      while ((await sweep()).length === CLEANED_AT_ONCE);
    }
  };
  const timer = setInterval(() => void clean().catch(onError), CLEAN_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function makeRun(
  job: Job<JobData, JobReply>,
  signal: AbortSignal,
  options: ConsumerOptions & { worker: ParleyWorker },
): Promise<JobRun> {
  const { backend, queue, worker } = options;
  const jobId = job.id as string;
  const payload = await openPayload(job.data.sealed, jobId, options);
  const remainingMs = () => job.data.deadline - backend.now();
  return {
    ...payload,
    deadline: job.data.deadline,
    jobId,
    queue,
    bodyMac: job.data.bodyMac,
    isRerun: job.attemptsStarted > 1 || job.stalledCounter > 0,
    signal,
    remainingMs,
    lendSlot() {
      worker.concurrency += 1;
      // A worker whose every slot is taken notices the new one when it is resumed.
      if (!worker.closing) void worker.pause(true).then(() => worker.resume());
      return () => void (worker.concurrency -= 1);
    },
  };
}

/** A job that cannot be opened fails: whoever asked is told that it was interrupted. */
async function openPayload(
  sealed: string,
  jobId: string,
  { seal, onUnreadable }: ConsumerOptions,
): Promise<JobPayload> {
  try {
    return (await seal.open(sealed, jobId)) as JobPayload;
  } catch (error) {
    onUnreadable(error as Error, jobId);
    throw error;
  }
}

/**
 * A store that was silent for a while may have taken jobs late, whose askers were refused meanwhile. The api cancels those as
 * soon as it reaches the store again; a job that is old enough to be one of them is not begun before it had time to.
 */
async function waitUntilSettled(job: Job<JobData>, backend: Backend, signal: AbortSignal): Promise<void> {
  for (;;) {
    const unsettledMs = backend.unsettledMs(backend.now() - job.timestamp);
    if (unsettledMs === 0 || signal.aborted) return;
    await delay(unsettledMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The deadline's own answer does not wait for a handler that is deaf to the signal. */
async function runHandler(run: JobRun, { answer, onBug }: ConsumerOptions): Promise<Outcome<unknown>> {
  const named = jobReferenceOf(run.queue, run.jobId);
  // A clock may have been put right since the timer was set: told once that the time is up, it is.
  const isOver = () => run.signal.reason === DEADLINE || run.remainingMs() <= 0;
  if (isOver()) return failure('deadline', named);
  const stopped = new Promise<Outcome<unknown>>(resolve => {
    const stop = () => resolve(failure(isOver() ? 'deadline' : 'interrupted', named));
    run.signal.addEventListener('abort', () => setTimeout(stop, ABORT_GRACE_MS), { once: true });
  });
  const answered = answer(run).catch(error => {
    if (!run.signal.aborted) onBug(error, run);
    return run.signal.aborted ? stopped : failure('internal', named);
  });
  const outcome = await Promise.race([answered, stopped]);
  return outcome.code >= 500 && isOver() ? failure('deadline', named) : outcome;
}
