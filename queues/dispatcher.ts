import { createHash, randomUUID } from 'node:crypto';
import type { QueueEventsProducer, IQueueBackend, JobState } from 'bullmq';
import type { Backend, JobData, ParleyEvents, ParleyQueue } from './backend.ts';
import { type Failure, failure, isKept, type Outcome } from './failure.ts';
import { FINISHED_JOB_SECONDS, HEARING_MS } from './job-limits.ts';
import { CONTROL_QUEUE, namedJob, type Question } from './journey.ts';
import type { QueueName } from './operation.ts';
import { makePressure, type Pressure } from './pressure.ts';
import type { Seal } from './seal.ts';
import { type Ending, type Waiter, Waiters } from './waiters.ts';

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
 * - Nothing is removed in order to cancel: all workers are told, and whoever has the job stops it.
 */

export interface Asked extends Omit<Question, 'deadline'> {
  readonly queue: QueueName;
  readonly timeoutMs: number;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
}

/** A job that is still on its way. */
export interface JobSight {
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

const jobOptions = {
  attempts: 1,
  removeOnComplete: { age: FINISHED_JOB_SECONDS },
  removeOnFail: { age: FINISHED_JOB_SECONDS },
};

interface Line {
  readonly queue: ParleyQueue;
  readonly events: ParleyEvents;
  readonly waiters: Waiters;
  readonly pressure: Pressure;
}

export async function makeDispatcher(
  backend: Backend,
  seal: Seal,
  queueNames: readonly QueueName[],
): Promise<Dispatcher> {
  const lines = new Map(queueNames.map(name => [name, openLine(backend, name)]));
  const control = backend.makeEventsProducer(CONTROL_QUEUE);
  const opened = [...lines.values()].flatMap(({ queue, events }) => [queue, events]);
  await Promise.all([...opened, control].map(part => part.waitUntilReady()));
  return new Dispatcher(backend, seal, lines, control);
}

export class Dispatcher {
  readonly #backend: Backend;
  readonly #seal: Seal;
  readonly #lines: ReadonlyMap<QueueName, Line>;
  readonly #control: QueueEventsProducer<IQueueBackend>;

  constructor(
    backend: Backend,
    seal: Seal,
    lines: ReadonlyMap<QueueName, Line>,
    control: QueueEventsProducer<IQueueBackend>,
  ) {
    this.#backend = backend;
    this.#seal = seal;
    this.#lines = lines;
    this.#control = control;
  }

  /** The worker's outcome, or the refusal that stands for its absence. */
  async ask(asked: Asked): Promise<Outcome<unknown>> {
    const waiter = await this.#place(asked);
    if ('code' in waiter) return waiter;
    const leave = () => void this.#cancel(asked, waiter);
    if (asked.gone.aborted) leave();
    asked.gone.addEventListener('abort', leave, { once: true });
    const ending = await waiter.ended;
    asked.gone.removeEventListener('abort', leave);
    return this.#outcomeOf(ending, asked, waiter.jobId);
  }

  /** Resolves once the queue's store has the job. */
  async enqueue(asked: Asked): Promise<Outcome<{ jobId: string }>> {
    const waiter = await this.#place(asked);
    if ('code' in waiter) return waiter;
    waiter.end({ kind: 'gone' });
    return { code: 202, data: { jobId: waiter.jobId } };
  }

  async sight(name: QueueName, jobId: string): Promise<JobSight | undefined> {
    const job = await this.#lineOf(name).queue.getJob(jobId);
    const state = job && sightOf(await job.getState());
    return job && state && { hostId: job.data.hostId, operation: job.name, state };
  }

  queues(): ParleyQueue[] {
    return [...this.#lines.values()].map(({ queue }) => queue);
  }

  /** Rejects while the queue's store cannot be reached. */
  async ready(): Promise<void> {
    if (!this.#backend.isReady()) throw new Error('the queue store cannot be reached');
  }

  async close(): Promise<void> {
    const lines = [...this.#lines.values()];
    for (const { waiters, pressure } of lines) {
      waiters.endAll({ kind: 'lost' });
      pressure.stop();
    }
    await Promise.all(lines.map(({ events }) => events.close()));
    await Promise.all([this.#control.close(), ...lines.map(({ queue }) => queue.close())]);
  }

  async #place(asked: Asked): Promise<Waiter | Failure> {
    const { queue, waiters, pressure } = this.#lineOf(asked.queue);
    if (!this.#backend.isReady()) return failure('unavailable');
    if (await pressure.isTooHigh(asked.timeoutMs)) return failure('overloaded');
    const jobId = jobIdOf(asked);
    const remainingMs = asked.arrivedAt + asked.timeoutMs - this.#backend.now();
    const waiter = waiters.wait(jobId, asked.idempotencyKey === undefined, remainingMs + HEARING_MS);
    const data = this.#jobDataOf(asked, jobId);
    try {
      await queue.add(asked.operation, data, {
        ...jobOptions,
        jobId,
        timestamp: Math.round(this.#backend.now()),
      });
    } catch {
      // The store may still run it: the deadline, or the stored reply, keeps such a ghost harmless.
      waiter.end({ kind: 'gone' });
      return failure('unavailable');
    }
    if (asked.idempotencyKey !== undefined) return this.#joinKeyed(asked, waiter, data);
    waiter.arm();
    return waiter;
  }

  async #joinKeyed(asked: Asked, waiter: Waiter, data: JobData): Promise<Waiter | Failure> {
    const { queue, waiters } = this.#lineOf(asked.queue);
    const job = await queue.getJob(waiter.jobId).catch(() => undefined);
    const [sight] = await this.#backend.look(queue, [waiter.jobId]).catch(() => []);
    const isFree = sight && sight.state !== 'missing' && !(sight.reply && isKept(sight.reply.code));
    if (job && !isFree && job.data.bodyMac !== data.bodyMac) {
      waiter.end({ kind: 'gone' });
      return failure('key-reused');
    }
    if (job && isFree) {
      await job.updateData(data).catch(() => undefined);
      // Refused when another retry of the same key was first: then its run is ours too.
      await job.retry(sight.state).catch(() => undefined);
    }
    waiter.arm();
    await waiters.sweep(waiter.jobId);
    return waiter;
  }

  async #cancel(asked: Asked, waiter: Waiter): Promise<void> {
    waiter.end({ kind: 'gone' });
    const othersWait = this.#lineOf(asked.queue).waiters.has(waiter.jobId);
    if (othersWait || asked.idempotencyKey !== undefined) return;
    await this.#control.publishEvent({ eventName: 'cancel', jobId: waiter.jobId }).catch(() => undefined);
  }

  #jobDataOf(asked: Asked, jobId: string): JobData {
    const { queue: _queue, timeoutMs, gone: _gone, ...crossing } = asked;
    const question: Question = { ...crossing, deadline: asked.arrivedAt + timeoutMs };
    const { hostIds } = asked.caller;
    return {
      requestId: asked.requestId,
      hostId: hostIds.length === 1 ? (hostIds[0] ?? null) : null,
      deadline: question.deadline,
      ...(asked.idempotencyKey === undefined ? {} : { bodyMac: this.#seal.mac(asked.body) }),
      sealed: this.#seal.seal(question, jobId),
    };
  }

  #outcomeOf(ending: Ending, { queue }: Asked, jobId: string): Outcome<unknown> {
    const named = namedJob(queue, jobId);
    switch (ending.kind) {
      case 'reply':
        return this.#seal.open(ending.reply.sealed, jobId) as Outcome<unknown>;
      case 'timeout':
        return failure(this.#backend.isReady() ? 'deadline' : 'unavailable', named);
      case 'lost':
      case 'gone':
        return failure('interrupted', named);
    }
  }

  #lineOf(name: QueueName): Line {
    const line = this.#lines.get(name);
    if (!line) throw new Error(`no queue ${name} is open here`);
    return line;
  }
}

function openLine(backend: Backend, name: QueueName): Line {
  const queue = backend.makeQueue(name);
  const events = backend.makeEvents(name);
  const waiters = new Waiters({ ...backend.sweep, look: ids => backend.look(queue, ids) });
  // The library hands the reply over parsed, whatever its types say.
  events.on('completed', ({ jobId, returnvalue }) => waiters.hear(jobId, returnvalue as never));
  events.on('failed', ({ jobId }) => waiters.hear(jobId, undefined));
  return { queue, events, waiters, pressure: makePressure(() => backend.backlog(queue), backend.now) };
}

/** Never digits only, never with a colon: BullMQ gives both a meaning. */
function jobIdOf({ caller, operation, idempotencyKey }: Asked): string {
  if (idempotencyKey === undefined) return `k${randomUUID().replaceAll('-', '')}`;
  const named = JSON.stringify([caller.hostIds, operation, idempotencyKey]);
  return `k${createHash('sha256').update(named).digest('hex').slice(0, 40)}`;
}

function sightOf(state: JobState | 'unknown'): 'queued' | 'running' | undefined {
  if (state === 'active') return 'running';
  return state === 'completed' || state === 'failed' || state === 'unknown' ? undefined : 'queued';
}
