import { batchCalls } from '../../platform/batch.ts';
import { Gate } from '../../platform/gate.ts';
import type { Seal } from '../../platform/seal.ts';
import type { TurnPiece } from '../contract/answer-piece.ts';
import { type Failure, failure, isFinal, type Outcome, type Refusal } from '../contract/failure.ts';
import { type QueueName, queues } from '../contract/queues.ts';
import { type Backend, closePart, waitForPart } from './backend.ts';
import { type Cancellations, openCancellations } from './cancellations.ts';
import { REPLY_GRACE_MS, STORE_OUTAGE_LIMIT_MS } from './job-limits.ts';
import type { ParleyQueue } from './parts.ts';
import { makePressure, type Pressure } from './pressure.ts';
import { progressOf, type QueueProgress } from './progress.ts';
import { batchOfTick } from './queue-calls.ts';
import {
  bodyMacOf,
  hostOf,
  hostShareOf,
  isKeyReused,
  jobIdOf,
  jobReferenceOf,
  makeQueuedJob,
  openOutcome,
  type QueuedJob,
  type Request,
} from './request.ts';
import type { EndSubscription, PendingJob } from './store.ts';
import { findCheckedOutcome, findFinalReply, pollOutcome, type StoredReplyFinder } from './stored-reply.ts';
import { type Waiter, Waiters, type WaitResult } from './waiters.ts';

/*
 * The API side of the queue: adds a job and waits for its completion.
 *
 *   registered -> added -> armed -> replied | lost, missing, unreachable or stopping (503) | timeout (408) | abandoned
 *
 * - The job id is chosen and the waiter registered before the job is added, so that no completion is missed.
 * - A message about the end of a job is a hint. It is trusted only for a job of one request; a job with an
 *   Idempotency-Key is read, because an earlier run may have ended.
 * - `add` with an existing id keeps the stored job. So a job with a key is read after `add`: if its outcome is not final,
 *   it runs again (`retry` is atomic: of two concurrent retries one succeeds, and both wait); otherwise another body is
 *   refused unless the database has the reply to it, a final reply is returned, and a running job is waited for. A reply to
 *   another body is refused, too: a concurrent request may have had the next run.
 * - To cancel, nothing is removed: all workers are notified, and the one with the job stops it. Jobs that the store did not
 *   confirm are cancelled, too: it may have stored them although their callers were refused.
 * - In a store outage, requests are refused after `STORE_OUTAGE_LIMIT_MS`, unless the database has the reply. It is also
 *   read before a 408: the worker may have committed it at the last moment.
 */

/** If the database takes longer, it is considered down together with the queue store. */
const STORED_REPLY_TIMEOUT_MS = 400;
/** How long after the deadline the api waits for a commit in progress. */
const LAST_COMMIT_TIMEOUT_MS = 1_000;

export async function makeDispatcher(
  backend: Backend,
  seal: Seal,
  queueNames: readonly QueueName[],
  findStoredReply: StoredReplyFinder = async () => undefined,
): Promise<Dispatcher> {
  const open = new Map(queueNames.map(name => [name, openQueue(backend, name)]));
  const parts = [...open.values()].flatMap(({ queue, ends }) => [queue, ends]);
  const [cancellations] = await Promise.all([openCancellations(backend), ...parts.map(waitForPart)]);
  return new Dispatcher({ backend, seal, open, cancellations, findStoredReply });
}

interface DispatcherParts {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly open: ReadonlyMap<QueueName, OpenQueue>;
  readonly cancellations: Cancellations;
  readonly findStoredReply: StoredReplyFinder;
}

export class Dispatcher {
  readonly #backend: Backend;
  readonly #seal: Seal;
  readonly #openQueues: ReadonlyMap<QueueName, OpenQueue>;
  readonly #cancellations: Cancellations;
  readonly #findStoredReply: StoredReplyFinder;
  /** Keeps the requests of one token from waiting behind all of another. */
  readonly #adding: Gate;
  #outageTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor({ backend, seal, open, cancellations, findStoredReply }: DispatcherParts) {
    this.#backend = backend;
    this.#seal = seal;
    this.#openQueues = open;
    this.#cancellations = cancellations;
    this.#findStoredReply = findStoredReply;
    this.#adding = new Gate({ maxTotal: backend.maxConcurrentAdds, maxPerKey: backend.maxConcurrentAdds });
    backend.onOutage(outage => {
      clearTimeout(this.#outageTimer);
      if (outage)
        this.#outageTimer = setTimeout(() => this.#endAll('unreachable'), STORE_OUTAGE_LIMIT_MS).unref();
    });
  }

  /** Chooses the id of the job that the request will be. */
  nameJob(request: Request): Request & { readonly jobId: string } {
    return { ...request, jobId: jobIdOf(request, this.#seal) };
  }

  /** Returns the outcome of the worker, or a failure if there is none. */
  async ask(request: Request): Promise<Outcome<unknown>> {
    const waiter = await this.#addJob(request);
    if ('code' in waiter) return waiter;
    const cancel = () => this.#cancel(request, waiter);
    if (request.clientGone.aborted) cancel();
    request.clientGone.addEventListener('abort', cancel, { once: true });
    const ending = await waiter.ended;
    request.clientGone.removeEventListener('abort', cancel);
    if (ending.kind === 'unreachable' || ending.kind === 'stopping') this.#cancel(request, waiter);
    return this.#outcomeOf(ending, request, waiter);
  }

  /** Refuses all waiting and future requests; for shutdown. */
  stopWaiting(): void {
    this.#isStopping = true;
    this.#endAll('stopping');
  }

  /** Resolves when the queue store has the job. */
  async enqueue(request: Request): Promise<Outcome<{ jobId: string }>> {
    const waiter = await this.#addJob(request);
    if ('code' in waiter) return waiter;
    waiter.end({ kind: 'abandoned' });
    return { code: 202, data: { jobId: waiter.jobId } };
  }

  async findPending(name: QueueName, jobId: string): Promise<PendingJob | undefined> {
    return this.#queueOf(name).findPending(jobId);
  }

  queues(): ParleyQueue[] {
    return [...this.#openQueues.values()].map(({ queue }) => queue);
  }

  /** The progress of each queue, for jobs with this time limit. */
  async progress(timeoutMs: number): Promise<QueueProgress[]> {
    return Promise.all(
      [...this.#openQueues.values()].map(open => readProgress(this.#backend, open, timeoutMs)),
    );
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
    await Promise.all(open.map(({ ends }) => closePart(ends)));
    await Promise.all([this.#cancellations.close(), ...open.map(({ queue }) => closePart(queue))]);
  }

  async #addJob(request: Request): Promise<Waiter | Failure> {
    const { pressure } = this.#queueOf(request.queue);
    const refusal = this.#refusalOf(request);
    if (refusal) return refusal;
    if (await pressure.isTooHigh(request, hostShareOf(request)?.host)) return failure('overloaded');
    const job = await makeQueuedJob(request, this.#seal, this.#backend.ends.requester);
    return this.#adding
      .run(
        { key: request.caller.tokenId, startLimit: () => this.startLimit(request) },
        () => this.#refusalOf(request) ?? this.#add(request, job),
      )
      .catch(refuseLate);
  }

  /** Returns a signal that aborts at the deadline of the request, for `refuseLate`. */
  startLimit(request: Request): AbortSignal {
    return AbortSignal.timeout(Math.ceil(Math.max(this.#remainingMs(request), 0)));
  }

  #refusalOf(request: Request): Failure | undefined {
    if (this.#isStopping) return failure('interrupted');
    if (!this.#backend.isReady()) return failure('unavailable');
    return this.#remainingMs(request) <= 0 ? failure('deadline') : undefined;
  }

  #remainingMs({ arrivedAt, timeoutMs }: Request): number {
    return arrivedAt + timeoutMs - this.#backend.now();
  }

  #lossLimitMs(request: Request): number {
    return Math.min(this.#remainingMs(request), STORE_OUTAGE_LIMIT_MS);
  }

  async #add(request: Request, job: QueuedJob): Promise<Waiter | Failure> {
    const { queue, waiters } = this.#queueOf(request.queue);
    const isOnlyRequest = request.idempotencyKey === undefined;
    const limitMs = this.#remainingMs(request) + REPLY_GRACE_MS;
    const onPiece = request.onPiece && openPieces(this.#seal, job.jobId, request.onPiece);
    const waiter = waiters.wait(job.jobId, isOnlyRequest, limitMs, onPiece);
    try {
      await this.#backend.addJob(queue, job);
    } catch (error) {
      this.#backend.onError(error as Error);
      // The store may have the job nevertheless, and a worker may even have ended it.
      const ending = await Promise.race([waiter.ended, Promise.resolve(undefined)]);
      if (ending?.kind === 'reply') return waiter;
      this.#cancel(request, waiter);
      return failure('unavailable');
    }
    if (!isOnlyRequest) return this.#joinStoredJob(request, waiter, job);
    waiter.arm();
    return waiter;
  }

  async #joinStoredJob(request: Request, waiter: Waiter, own: QueuedJob): Promise<Waiter | Failure> {
    const { queue, waiters } = this.#queueOf(request.queue);
    if (await joinStoredJob(this.#backend, queue, own)) {
      waiter.arm();
      await waiters.poll(waiter.jobId);
      return waiter;
    }
    // The job may belong to a later request, which was refused for its body.
    const stored = { find: this.#findStoredReply, jobId: own.jobId };
    const reply = await findFinalReply(stored, request, STORED_REPLY_TIMEOUT_MS);
    const isAnswered = reply !== undefined && !isKeyReused(reply, own.data);
    waiter.end(isAnswered ? { kind: 'stored', outcome: reply.outcome } : { kind: 'abandoned' });
    return isAnswered ? waiter : failure('key-reused');
  }

  #cancel(request: Request, waiter: Waiter): void {
    waiter.end({ kind: 'abandoned' });
    const othersWait = this.#queueOf(request.queue).waiters.has(waiter.jobId);
    if (!othersWait && request.idempotencyKey === undefined) this.#cancellations.publish(waiter.jobId);
  }

  async #outcomeOf(ending: WaitResult, request: Request, waiter: Waiter): Promise<Outcome<unknown>> {
    const stored = { find: this.#findStoredReply, seal: this.#seal, jobId: waiter.jobId };
    const findChecked = (withinMs: number) => findCheckedOutcome(stored, request, withinMs);
    const refusal = (kind: Refusal) => failure(kind, jobReferenceOf(request.queue, waiter.jobId));
    switch (ending.kind) {
      case 'reply': {
        const { code, sealed, bodyMac } = ending.reply;
        // An outcome that is not final has freed the key, but belongs to the other body.
        if (bodyMac !== undefined && isKeyReused({ bodyMac }, bodyMacOf(request, this.#seal)))
          return isFinal(code) ? failure('key-reused') : refusal('interrupted');
        const outcome = await openOutcome(this.#seal, sealed, {
          jobId: waiter.jobId,
          hostId: hostOf(request),
        });
        return outcome.code === 408 ? ((await findChecked(LAST_COMMIT_TIMEOUT_MS)) ?? outcome) : outcome;
      }
      case 'stored':
        return ending.outcome;
      case 'timeout':
        return (
          (await findChecked(LAST_COMMIT_TIMEOUT_MS)) ??
          refusal(this.#backend.isReady() ? 'deadline' : 'unavailable')
        );
      case 'missing':
      case 'lost':
        // Redis may lose its data while a worker still runs the job.
        if (ending.kind === 'missing' && !(await pollOutcome(findChecked, this.#lossLimitMs(request))))
          this.#cancel(request, waiter);
        return (await findChecked(STORED_REPLY_TIMEOUT_MS)) ?? refusal('interrupted');
      case 'unreachable':
        return (await findChecked(STORED_REPLY_TIMEOUT_MS)) ?? refusal('unavailable');
      case 'stopping':
      case 'abandoned':
        return refusal('interrupted');
    }
  }

  #endAll(kind: 'unreachable' | 'stopping'): void {
    for (const { waiters } of this.#openQueues.values()) waiters.endAll({ kind });
  }

  #queueOf(name: QueueName): OpenQueue {
    const open = this.#openQueues.get(name);
    if (!open) throw new Error(`queue ${name} is not open in this process`);
    return open;
  }
}

/** Gives the reply if a request waited for its turn until its deadline; rethrows other errors. */
export function refuseLate(error: unknown): Failure {
  if (error instanceof DOMException && error.name === 'TimeoutError') return failure('deadline');
  throw error;
}

/** Returns a function that decrypts the pieces of a job and passes them on in order. */
function openPieces(
  seal: Seal,
  jobId: string,
  onPiece: (piece: TurnPiece) => void,
): (sealed: string) => void {
  let last = Promise.resolve();
  return sealed => {
    const opened = seal.open(sealed, jobId) as Promise<TurnPiece>;
    // Opening may fail while an earlier piece is still being opened.
    opened.catch(() => undefined);
    // A piece that cannot be decrypted is missing, like one that never came.
    last = last.then(async () => onPiece(await opened)).catch(() => undefined);
  };
}

/**
 * Joins an earlier job of the same key, which the store kept instead of ours. If its outcome is not final, it runs again. Returns
 * false if its body was another one.
 */
async function joinStoredJob(backend: Backend, queue: ParleyQueue, own: QueuedJob): Promise<boolean> {
  const job = await queue.getJob(own.jobId).catch(() => undefined);
  const [finished] = await backend.findFinished(queue, [own.jobId]).catch(() => []);
  // If our own job has already finished, its outcome is the reply, even if it is not final.
  const isOurs = job?.data.sealed === own.data.sealed;
  const hasEnded = finished && finished.state !== 'missing';
  const isFree = !isOurs && hasEnded && !(finished.reply && isFinal(finished.reply.code));
  if (job && !isFree && job.data.bodyMac !== own.data.bodyMac) return false;
  if (job && isFree) {
    const state = finished.state;
    const replaced = queue.getBackend().replaceFinished(own);
    // This fails if a concurrent retry with the same key was first: then both share its run. The reply says whose body it had.
    await replaced.then(() => job.retry(state)).catch(() => undefined);
  }
  return true;
}

/** A queue with the ends of its jobs, waiters and pressure, for the API. */
interface OpenQueue {
  readonly name: QueueName;
  readonly queue: ParleyQueue;
  readonly ends: EndSubscription;
  readonly waiters: Waiters;
  readonly pressure: Pressure;
  /** Undefined if the job neither waits nor runs. */
  findPending(jobId: string): Promise<PendingJob | undefined>;
  /** When a job of this queue last ended, on the store's clock, as far as this process knows. */
  endedAt: number | undefined;
}

function openQueue(backend: Backend, name: QueueName): OpenQueue {
  const queue = backend.makeQueue(name);
  const waiters = new Waiters({ ...backend.polling, findFinished: ids => backend.findFinished(queue, ids) });
  const pressure = makePressure({
    backlog: () => backend.backlog(queue),
    countEnds: async since => (await backend.ends.find(queue, since)).count,
    now: backend.now,
  });
  const ends = backend.ends.listen(name, {
    noteEnd(jobId, reply) {
      open.endedAt = backend.now();
      waiters.noteEnd(jobId, reply);
    },
    notePiece: (jobId, piece) => waiters.notePiece(jobId, piece),
    noteGap: () => void waiters.pollAll(),
  });
  // They are looked up together: one by one, the jobs of a host that asks for hundreds would keep others from the store.
  const findPending = batchCalls<string, PendingJob | undefined>({
    ...batchOfTick(() => 0),
    async makeCalls(ids) {
      const found = new Map((await backend.findPending(queue, ids)).map(job => [job.id, job]));
      return ids.map(id => found.get(id));
    },
  });
  const open: OpenQueue = { name, queue, ends, waiters, pressure, findPending, endedAt: undefined };
  return open;
}

/** `timeoutMs` applies if the queue has no time limit of its own. */
async function readProgress(backend: Backend, open: OpenQueue, timeoutMs: number): Promise<QueueProgress> {
  const { name, queue, waiters } = open;
  const now = backend.now();
  const [backlog, { lastAt }] = await Promise.all([backend.backlog(queue), backend.ends.find(queue, now)]);
  if (lastAt !== undefined) open.endedAt = Math.max(open.endedAt ?? lastAt, lastAt);
  const limits = { now: backend.now(), timeoutMs: queues[name].timeLimitMs ?? timeoutMs };
  const seen = progressOf(backlog, open.endedAt, limits);
  return { queue: name, ...seen, polledReplies: waiters.polledReplies };
}
