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
 * The api's side of the crossing: puts a question into its queue and waits for the job's completion.
 *
 *   registered -> added -> armed -> replied | lost (503) | timed out (408) | gone (cancelled)
 *
 * - The job's id is chosen, and its waiter registered, before it is added: no completion is too early.
 * - `completed` and `failed` events are hints. For a job that only one request can know, a completion is taken
 *   at its word; for a job under an Idempotency-Key the job is read, since it may have run before.
 * - `add` on an id that exists keeps the stored job. So a keyed job is read once after `add`: an end that is not
 *   kept frees the key, and it is run anew (`retry` moves it atomically: of two that try, one does, and both
 *   wait); else another body is refused, a kept reply is the answer, and one on its way is waited for.
 * - Nothing is removed in order to cancel: all workers are told, and whoever has the job stops it. They are told, too, of
 *   jobs that the store did not confirm: it may have them all the same, and their askers were refused.
 * - When the store stays away, who waits is refused after a while, unless the reply is found where replies are kept.
 */

/** A database that takes longer to say so has gone with the queue's store. */
const KEPT_REPLY_TIMEOUT_MS = 400;

/** A job that is still on its way. */
export interface PendingJob {
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

/** A reply as a worker has kept it in the database, of a job that one of these hosts asked for. */
export interface KeptReply {
  readonly outcome: Outcome<unknown>;
  /** Of the body that it answers. */
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

  /** The worker's outcome, or the refusal that stands for its absence. */
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

  /** Refuses whoever waits and whoever still comes: this process is about to end. */
  stopWaiting(): void {
    this.#isStopping = true;
    this.#endAll('stopping');
  }

  /** Resolves once the queue's store has the job. */
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

  /** How each queue is getting on, for jobs with this time limit. */
  async progress(timeoutMs: number): Promise<QueueProgress[]> {
    const seen = [...this.#openQueues].map(async ([name, open]) => {
      const backlog = await this.#backend.backlog(open.queue);
      const seen = progressOf(backlog, open.endedAt, { now: this.#backend.now(), timeoutMs });
      return { queue: name, ...seen, sweptReplies: open.waiters.sweptReplies };
    });
    return Promise.all(seen);
  }

  /** Whether the queue's store takes jobs. */
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
      // The store may have it all the same.
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
    // A run of our own that has ended already is this request's answer, whatever it is.
    const isOurs = job?.data.sealed === data.sealed;
    const hasEnded = finished && finished.state !== 'missing';
    const isFree = !isOurs && hasEnded && !(finished.reply && isKept(finished.reply.code));
    if (job && !isFree && job.data.bodyMac !== data.bodyMac) {
      waiter.end({ kind: 'gone' });
      return failure('key-reused');
    }
    if (job && isFree) {
      await job.updateData(data).catch(() => undefined);
      // Refused when another retry of the same key was first: then its run is ours too.
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

  /** What the work came to may be known where the queue's store has lost it. */
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
    if (!found) throw new Error(`no queue ${name} is open here`);
    return found;
  }
}

function pendingStateOf(state: JobState | 'unknown'): 'queued' | 'running' | undefined {
  if (state === 'active') return 'running';
  return state === 'completed' || state === 'failed' || state === 'unknown' ? undefined : 'queued';
}
