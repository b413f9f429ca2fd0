import { setTimeout as delay } from 'node:timers/promises';
import type { Job as LibraryJob } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { repeat } from '../../platform/repeat.ts';
import type { Seal } from '../../platform/seal.ts';
import type { TurnPiece } from '../contract/answer-piece.ts';
import { failure, type Outcome } from '../contract/failure.ts';
import type { QueueName } from '../contract/queues.ts';
import { type Backend, closePart, waitForPart } from './backend.ts';
import { ABORT_GRACE_MS, FINISHED_JOB_SECONDS, MAX_TIME_LIMIT_MS } from './job-limits.ts';
import type { ParleyQueue, ParleyWorker } from './parts.ts';
import { jobReferenceOf, type SealedRequest, sealOutcome } from './request.ts';
import type { JobData, JobReply } from './store.ts';

/*
 * The worker side of the queue: takes a job, decrypts it, runs its handler until the deadline, and completes the job with
 * the sealed outcome.
 *
 * A job always completes with a value, also for a failure; it fails only if its workers crashed more than
 * `maxStalledCount` times. After a crash a job runs again, so handlers must be idempotent.
 *
 * BullMQ's worker calls its backend to take and end jobs. That is ours: see `taking-backend.ts`.
 */

/** A job in one execution, for its handler. */
export interface Job extends SealedRequest {
  readonly jobId: string;
  readonly queue: QueueName;
  /** The job may have run before: its worker crashed or gave it back, or a request with its key was retried. */
  readonly isRerun: boolean;
  readonly bodyMac: string | undefined;
  /** Aborts at the deadline, when the client disconnects, and at shutdown. */
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Awaited before an irreversible step: after an outage of the store, the api may be about to cancel this job. */
  waitForCancellations(): Promise<void>;
  /** Lets the worker take one more job while this one only waits; the returned function reclaims the slot. */
  lendSlot(): () => void;
  /**
   * Sends the stored outcome of another job of this queue to its requester. Only a hint: the worker of that job completes it with
   * the same outcome.
   */
  notifyRequesterOf(jobId: string, outcome: Outcome<unknown>): Promise<void>;
  /** Shows operators the progress of the job on the queue board. */
  reportProgress(progress: object): Promise<void>;
  /** Sends the client a piece; undefined if the client does not want pieces. */
  readonly sendPiece?: ((piece: TurnPiece) => void) | undefined;
}

export interface JobHandler {
  handle(job: Job): Promise<Outcome<unknown>>;
  /** Called with the outcome of every run, also after a bug or a timeout. */
  storeOutcome(job: Job, outcome: Outcome<unknown>): Promise<void>;
}

export interface ConsumerOptions extends JobHandler {
  /** Called for errors outside any job. */
  onError(error: Error): void;
  readonly backend: Backend;
  readonly seal: Seal;
  readonly queue: QueueName;
  readonly concurrency: number;
  /** How often jobs that ended a minute ago are removed. */
  readonly cleanEveryMs?: number;
  /** Called if this worker takes none of the waiting jobs although it has free slots. Only a new process mends that. */
  onStuck?(queue: QueueName): void;
  /** A worker that BullMQ lets rest counts as working for this long. */
  readonly stuckAfterMs?: number;
  /** Called for a job that was sealed with another key. */
  onUnreadable(error: Error, jobId: string): void;
  onBug(error: unknown, job: Pick<Job, 'requestId' | 'jobId' | 'operation'>): void;
}

export interface Consumer {
  cancel(jobId: string): void;
  /** Takes no more jobs, waits up to `graceMs` for running ones, then ends them with 503. */
  close(graceMs: number): Promise<void>;
}

/** The abort reason of a job at its deadline. */
const DEADLINE = 'deadline';
/** Twice the time that BullMQ waits for a job and for an overdue connection. */
const STUCK_AFTER_MS = 30_000;
const CLEAN_EVERY_MS = 10_000;
const CLEAN_BATCH_SIZE = 1_000;

export async function makeConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { backend, queue: name, concurrency } = options;
  const cancelledJobs = new LRUCache<string, true>({ max: 10_000, ttl: MAX_TIME_LIMIT_MS });
  const running = new Map<RunStop, Promise<JobReply>>();
  const worker = backend.makeWorker(
    name,
    taken => {
      const stop = new RunStop(taken.id as string);
      const reply = runJob(taken, stop).finally(() => running.delete(stop));
      running.set(stop, reply);
      return reply;
    },
    concurrency,
  );
  const queue = backend.makeQueue(name);
  // This comes before any await: the worker may take a job at once.
  const runOptions = { ...options, worker, parleyQueue: queue };
  await Promise.all([waitForPart(worker), waitForPart(queue)]).catch(async (error: unknown) => {
    await Promise.all([closePart(worker), closePart(queue)]);
    throw error;
  });
  const closing = new AbortController();
  void cleanFinishedJobs(queue, closing.signal, options);
  void watchWorker(worker, queue, closing.signal, options);

  async function runJob(taken: LibraryJob<JobData, JobReply>, stop: RunStop): Promise<JobReply> {
    const job = await makeJob(taken, stop.signal, runOptions);
    await job.waitForCancellations();
    const deadline = setTimeout(() => stop.now(DEADLINE), Math.max(job.remainingMs(), 0));
    const isCancelled = cancelledJobs.has(job.jobId) || stop.signal.aborted;
    const outcome = isCancelled ? failure('interrupted') : await runHandler(job, stop, options);
    clearTimeout(deadline);
    await options.storeOutcome(job, outcome).catch(error => options.onBug(error, job));
    return {
      code: outcome.code,
      sealed: await sealOutcome(options.seal, outcome, { jobId: job.jobId, hostId: taken.data.hostId }),
      ...(job.bodyMac === undefined ? {} : { bodyMac: job.bodyMac }),
    };
  }

  const stopRuns = (reason: string, isMeant: (jobId: string) => boolean) => {
    for (const stop of running.keys()) if (isMeant(stop.jobId)) stop.now(reason);
  };

  return {
    cancel(jobId) {
      // The cancellation is kept even if the job runs here: a run that lost its lock is started again.
      cancelledJobs.set(jobId, true);
      stopRuns('cancelled', id => id === jobId);
    },
    async close(graceMs) {
      closing.abort();
      const limit = setTimeout(() => stopRuns('shutdown', () => true), graceMs);
      // No more jobs are taken from here on. While the store is away, this may end long before the jobs do, or never.
      void worker.close();
      while (running.size > 0) await Promise.allSettled(running.values());
      clearTimeout(limit);
      await Promise.all([closePart(worker), closePart(queue)]);
    },
  };
}

/**
 * Stops one run of a job. BullMQ's signals would not do: if the lock expired and this worker took the job again, they stop only
 * the later run.
 */
class RunStop {
  readonly jobId: string;
  readonly #controller = new AbortController();
  /** Called `ABORT_GRACE_MS` after the run was stopped. */
  onLeft: (() => void) | undefined;

  constructor(jobId: string) {
    this.jobId = jobId;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  now(reason: string): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    setTimeout(() => this.onLeft?.(), ABORT_GRACE_MS);
  }
}

/** Removes old jobs. BullMQ does that only when others complete, so an idle queue would keep its last jobs forever. */
function cleanFinishedJobs(
  queue: ParleyQueue,
  signal: AbortSignal,
  { backend, onError, cleanEveryMs = CLEAN_EVERY_MS }: ConsumerOptions,
): Promise<void> {
  const clean = async () => {
    // `queue.clean` would use the clock of this machine.
    const before = Math.round(backend.now()) - FINISHED_JOB_SECONDS * 1_000;
    for (const state of ['completed', 'failed'] as const) {
      const cleanOnce = () => queue.getBackend().cleanJobsByState(state, before, CLEAN_BATCH_SIZE);
      while ((await cleanOnce()).length === CLEAN_BATCH_SIZE);
    }
  };
  return repeat(clean, { everyMs: cleanEveryMs, signal, onError: error => onError(error as Error) });
}

/**
 * The store must have worked for this many looks in a row before a worker counts as stuck: after an outage, the worker gets its
 * time again.
 */
const STUCK_AFTER_LOOKS = 4;

/** Looks only while the store works: otherwise nothing says that jobs wait. */
function watchWorker(
  worker: ParleyWorker,
  queue: ParleyQueue,
  signal: AbortSignal,
  { backend, queue: name, onStuck, onError, stuckAfterMs = STUCK_AFTER_MS }: ConsumerOptions,
): Promise<void> {
  let looks = 0;
  const isParked = () => !worker.isPaused() && worker.getBackend().parkedMs > stuckAfterMs;
  const look = async () => {
    looks = backend.isReady() ? looks + 1 : 0;
    if (looks <= STUCK_AFTER_LOOKS || !isParked()) return;
    const waiting = await queue.getJobCountByTypes('waiting', 'prioritized');
    if (waiting > 0 && isParked() && !signal.aborted) onStuck?.(name);
  };
  return repeat(look, {
    everyMs: stuckAfterMs / STUCK_AFTER_LOOKS,
    signal,
    onError: error => onError(error as Error),
  });
}

async function makeJob(
  taken: LibraryJob<JobData, JobReply>,
  signal: AbortSignal,
  options: ConsumerOptions & { worker: ParleyWorker; parleyQueue: ParleyQueue },
): Promise<Job> {
  const { backend, queue, worker, parleyQueue, seal } = options;
  const jobId = taken.id as string;
  // An operator retried an answered job from the queue board.
  if (taken.data.sealed === '') throw new Error('the body of an answered job is not kept');
  const request = await openRequest(taken.data.sealed, jobId, options);
  const remainingMs = () => taken.data.deadline - backend.now();
  // The spread comes last: on Node 20, an object costs 3 µs for each field after one.
  return {
    jobId,
    queue,
    bodyMac: taken.data.bodyMac,
    isRerun: taken.attemptsStarted > 1,
    signal,
    remainingMs,
    waitForCancellations: () => waitForCancellations(taken, backend, signal),
    lendSlot: () => worker.lendSlot(taken.token as string),
    async notifyRequesterOf(otherId, outcome) {
      const replyTo = (await parleyQueue.getJob(otherId))?.data.replyTo;
      if (replyTo === undefined) return;
      const reply: JobReply = { code: outcome.code, sealed: await seal.seal(outcome, otherId) };
      await parleyQueue.getBackend().notifyEnd(replyTo, otherId, JSON.stringify(reply));
    },
    reportProgress: progress => taken.updateProgress(progress),
    sendPiece: makePieceSender(taken, parleyQueue, options),
    ...request,
  };
}

function makePieceSender(
  { id, data: { piecesTo } }: LibraryJob<JobData>,
  queue: ParleyQueue,
  { seal }: ConsumerOptions,
): Job['sendPiece'] {
  if (piecesTo === undefined) return undefined;
  const jobId = id as string;
  let last = Promise.resolve();
  return piece => {
    const sealing = seal.seal(piece, jobId);
    // A piece may be sealed before an earlier one that took more than its slice; the requester drops pieces out of order.
    last = last.then(async () => queue.getBackend().sendPiece(piecesTo, jobId, await sealing));
  };
}

/** Throws if the job cannot be decrypted: then it fails, and the caller gets `interrupted`. */
async function openRequest(
  sealed: string,
  jobId: string,
  { seal, onUnreadable }: ConsumerOptions,
): Promise<SealedRequest> {
  try {
    return (await seal.open(sealed, jobId)) as SealedRequest;
  } catch (error) {
    onUnreadable(error as Error, jobId);
    throw error;
  }
}

/**
 * After an outage, the store may have accepted jobs late whose callers were already refused. The API cancels them as
 * soon as it reaches the store again; a job that may be one of them waits until then.
 */
async function waitForCancellations(
  taken: LibraryJob<JobData>,
  backend: Backend,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const waitMs = backend.cancellationWaitMs(backend.now() - taken.timestamp);
    if (waitMs === 0 || signal.aborted) return;
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Ends the job at its deadline even if the handler ignores the signal. */
async function runHandler(
  job: Job,
  stop: RunStop,
  { handle, onBug }: ConsumerOptions,
): Promise<Outcome<unknown>> {
  const reference = jobReferenceOf(job.queue, job.jobId);
  // The clock may have been adjusted since the timer was set: the abort reason is authoritative.
  const isOver = () => job.signal.reason === DEADLINE || job.remainingMs() <= 0;
  if (isOver()) return failure('deadline', reference);
  const outcome = await new Promise<Outcome<unknown>>((resolve, reject) => {
    stop.onLeft = () => resolve(failure(isOver() ? 'deadline' : 'interrupted', reference));
    handle(job)
      .then(resolve, error => {
        // A stopped handler may throw anything; its outcome is as if it did not end.
        if (job.signal.aborted) return;
        onBug(error, job);
        resolve(failure('internal', reference));
      })
      .catch(reject);
  });
  return outcome.code >= 500 && isOver() ? failure('deadline', reference) : outcome;
}
