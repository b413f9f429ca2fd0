import { setTimeout as delay } from 'node:timers/promises';
import type { JobState } from 'bullmq';
import type { Seal } from '../../platform/seal.ts';
import { type Failure, failure, isKept, type Outcome } from '../contract/failure.ts';
import type { QueueName } from '../contract/operation.ts';
import type { Backend, JobData, ParleyQueue } from './backend.ts';
import { type Cancellations, openCancellations } from './cancellations.ts';
import { REPLY_GRACE_MS, STORE_OUTAGE_LIMIT_MS } from './job-limits.ts';
import { jobReferenceOf } from './job-payload.ts';
import { type OpenQueue, openQueue } from './open-queue.ts';
import { progressOf, type QueueProgress } from './progress.ts';
import { type JobRequest, jobOptions, makeQueuedJob } from './queued-job.ts';
import type { Ending, Waiter } from './waiters.ts';

/*
 * The API side of the queue: adds a job and waits for its completion.
 *
 *   registered -> added -> armed -> replied | lost (503) | timed out (408) | gone (cancelled)
 *
 * - The job id is chosen and the waiter registered before the job is added, so that no completion is missed.
 * - `completed` and `failed` events are hints. They are trusted only for a job of one request; for a job with an
 *   Idempotency-Key the job is read, because the event may belong to an earlier run.
 * - `add` with an existing id keeps the stored job. So a job with a key is read after `add`: if its outcome is not kept,
 *   it runs again (`retry` is atomic: of two concurrent retries one succeeds, and both wait); otherwise another body is
 *   refused, a kept reply is returned, and a running job is waited for.
 * - To cancel, nothing is removed: all workers are notified, and the one with the job stops it. Jobs that the store did not
 *   confirm are cancelled, too: it may have stored them although their callers were refused.
 * - In a store outage, requests are refused after `STORE_OUTAGE_LIMIT_MS`, unless the database has the reply.
 */

/** If the database takes longer, it is considered down together with the queue store. */
const KEPT_REPLY_TIMEOUT_MS = 400;

/** A job that is queued or running. */
export interface PendingJob {
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

/** A reply that a worker stored in the database. */
export interface KeptReply {
  readonly outcome: Outcome<unknown>;
  /** MAC of the body of the request. */
  readonly bodyMac: string | undefined;
}
export type FindKeptReply = (jobId: string, hostIds: readonly string[]) => Promise<KeptReply | undefined>;

export async function makeDispatcher(
  backend: Backend,
  seal: Seal,
  queueNames: readonly QueueName[],
  findKeptReply: FindKeptReply = async () => undefined,
): Promise<Dispatcher> {
  const open = new Map(queueNames.map(name => [name, openQueue(backend, name)]));
  const parts = [...open.values()].flatMap(({ queue, events }) => [queue, events]);
  const [cancellations] = await Promise.all([
    openCancellations(backend),
    ...parts.map(part => part.waitUntilReady()),
  ]);
  return new Dispatcher({ backend, seal, open, cancellations, findKeptReply });
}

interface DispatcherParts {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly open: ReadonlyMap<QueueName, OpenQueue>;
  readonly cancellations: Cancellations;
  readonly findKeptReply: FindKeptReply;
}

export class Dispatcher {
  readonly #backend: Backend;
  readonly #seal: Seal;
  readonly #openQueues: ReadonlyMap<QueueName, OpenQueue>;
  readonly #cancellations: Cancellations;
  readonly #findKeptReply: FindKeptReply;
  #outageTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor({ backend, seal, open, cancellations, findKeptReply }: DispatcherParts) {
    this.#backend = backend;
    this.#seal = seal;
    this.#openQueues = open;
    this.#cancellations = cancellations;
    this.#findKeptReply = findKeptReply;
    backend.onOutage(outage => {
      clearTimeout(this.#outageTimer);
      if (outage)
        this.#outageTimer = setTimeout(() => this.#endAll('unreachable'), STORE_OUTAGE_LIMIT_MS).unref();
    });
  }

  /** Returns the outcome of the worker, or a refusal if there is none. */
  async ask(request: JobRequest): Promise<Outcome<unknown>> {
    const waiter = await this.#addJob(request);
    if ('code' in waiter) return waiter;
    const cancel = () => void this.#cancel(request, waiter);
    if (request.gone.aborted) cancel();
    request.gone.addEventListener('abort', cancel, { once: true });
    const ending = await waiter.ended;
    request.gone.removeEventListener('abort', cancel);
    if (ending.kind === 'unreachable' || ending.kind === 'stopping') void this.#cancel(request, waiter);
    return this.#outcomeOf(ending, request, waiter.jobId);
  }

  /** Refuses all waiting and future requests; for shutdown. */
  stopWaiting(): void {
    this.#isStopping = true;
    this.#endAll('stopping');
  }

  /** Resolves when the queue store has the job. */
  async enqueue(request: JobRequest): Promise<Outcome<{ jobId: string }>> {
    const waiter = await this.#addJob(request);
    if ('code' in waiter) return waiter;
    waiter.end({ kind: 'gone' });
    return { code: 202, data: { jobId: waiter.jobId } };
  }

  async findPending(name: QueueName, jobId: string): Promise<PendingJob | undefined> {
    const job = await this.#queueOf(name).queue.getJob(jobId);
    const state = job && pendingStateOf(await job.getState());
    return job && state && { hostId: job.data.hostId, operation: job.name, state };
  }

  queues(): ParleyQueue[] {
    return [...this.#openQueues.values()].map(({ queue }) => queue);
  }

  /** The progress of each queue, for jobs with this time limit. */
  async progress(timeoutMs: number): Promise<QueueProgress[]> {
    const seen = [...this.#openQueues].map(async ([name, open]) => {
      const backlog = await this.#backend.backlog(open.queue);
      const seen = progressOf(backlog, open.endedAt, { now: this.#backend.now(), timeoutMs });
      return { queue: name, ...seen, sweptReplies: open.waiters.sweptReplies };
    });
    return Promise.all(seen);
  }

  /** Whether the queue store accepts jobs. */
  isReady(): boolean {
    return this.#backend.isReady();
  }

  async close(): Promise<void> {
    const open = [...this.#openQueues.values()];
    clearTimeout(this.#outageTimer);
    this.stopWaiting();
    for (const { pressure } of open) pressure.stop();
    await Promise.all(open.map(({ events }) => events.close()));
    await Promise.all([this.#cancellations.close(), ...open.map(({ queue }) => queue.close())]);
  }

  async #addJob(request: JobRequest): Promise<Waiter | Failure> {
    const { queue, waiters, pressure } = this.#queueOf(request.queue);
    if (this.#isStopping) return failure('interrupted');
    if (!this.#backend.isReady()) return failure('unavailable');
    if (await pressure.isTooHigh(request.timeoutMs)) return failure('overloaded');
    const { jobId, data } = await makeQueuedJob(request, this.#seal);
    const remainingMs = request.arrivedAt + request.timeoutMs - this.#backend.now();
    const waiter = waiters.wait(jobId, request.idempotencyKey === undefined, remainingMs + REPLY_GRACE_MS);
    try {
      await queue.add(request.operation, data, {
        ...jobOptions,
        jobId,
        timestamp: Math.round(this.#backend.now()),
      });
    } catch (error) {
      this.#backend.onError(error as Error);
      // The store may have stored the job nevertheless.
      void this.#cancel(request, waiter);
      return failure('unavailable');
    }
    if (request.idempotencyKey !== undefined) return this.#joinStoredJob(request, waiter, data);
    waiter.arm();
    return waiter;
  }

  async #joinStoredJob(request: JobRequest, waiter: Waiter, data: JobData): Promise<Waiter | Failure> {
    const { queue, waiters } = this.#queueOf(request.queue);
    const job = await queue.getJob(waiter.jobId).catch(() => undefined);
    const [finished] = await this.#backend.findFinished(queue, [waiter.jobId]).catch(() => []);
    // If our own job has already finished, its outcome is the answer, even if it is not kept.
    const isOurs = job?.data.sealed === data.sealed;
    const hasEnded = finished && finished.state !== 'missing';
    const isFree = !isOurs && hasEnded && !(finished.reply && isKept(finished.reply.code));
    if (job && !isFree && job.data.bodyMac !== data.bodyMac) {
      waiter.end({ kind: 'gone' });
      return failure('key-reused');
    }
    if (job && isFree) {
      await job.updateData(data).catch(() => undefined);
      // Fails if a concurrent retry with the same key was first: then we share its run.
      await job.retry(finished.state).catch(() => undefined);
    }
    waiter.arm();
    await waiters.sweep(waiter.jobId);
    return waiter;
  }

  async #cancel(request: JobRequest, waiter: Waiter): Promise<void> {
    waiter.end({ kind: 'gone' });
    const othersWait = this.#queueOf(request.queue).waiters.has(waiter.jobId);
    if (othersWait || request.idempotencyKey !== undefined) return;
    await this.#cancellations.publish(waiter.jobId);
  }

  async #outcomeOf(ending: Ending, request: JobRequest, jobId: string): Promise<Outcome<unknown>> {
    const named = jobReferenceOf(request.queue, jobId);
    switch (ending.kind) {
      case 'reply':
        return (await this.#seal.open(ending.reply.sealed, jobId)) as Outcome<unknown>;
      case 'timeout':
        return failure(this.#backend.isReady() ? 'deadline' : 'unavailable', named);
      case 'lost':
        return (await this.#readKeptReply(request, jobId)) ?? failure('interrupted', named);
      case 'unreachable':
        return (await this.#readKeptReply(request, jobId)) ?? failure('unavailable', named);
      case 'stopping':
      case 'gone':
        return failure('interrupted', named);
    }
  }

  /** The worker may have stored the reply in the database although the queue store lost the job. */
  async #readKeptReply(request: JobRequest, jobId: string): Promise<Outcome<unknown> | undefined> {
    const late = delay(KEPT_REPLY_TIMEOUT_MS, undefined, { ref: false });
    const found = this.#findKeptReply(jobId, request.caller.hostIds).catch(() => undefined);
    const kept = await Promise.race([found, late]);
    if (!kept || !isKept(kept.outcome.code)) return undefined;
    const isOther = request.idempotencyKey !== undefined && kept.bodyMac !== this.#seal.mac(request.body);
    return isOther ? failure('key-reused') : kept.outcome;
  }

  #endAll(kind: 'unreachable' | 'stopping'): void {
    for (const { waiters } of this.#openQueues.values()) waiters.endAll({ kind });
  }

  #queueOf(name: QueueName): OpenQueue {
    const found = this.#openQueues.get(name);
    if (!found) throw new Error(`queue ${name} is not open in this process`);
    return found;
  }
}

function pendingStateOf(state: JobState | 'unknown'): 'queued' | 'running' | undefined {
  if (state === 'active') return 'running';
  return state === 'completed' || state === 'failed' || state === 'unknown' ? undefined : 'queued';
}
