import type { IQueueBackend } from 'bullmq';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { jobOptions } from './job-limits.ts';
import { formatPieceMessage } from './job-message.ts';
import {
  type AddedJob,
  batchOfTick,
  MAX_BATCHED,
  type QueueCalls,
  type RequesterMessage,
} from './queue-calls.ts';
import type { QueuedJob } from './request.ts';
import type { JobData } from './store.ts';

export type Complete = IQueueBackend['moveToCompleted'];
export type Fail = IQueueBackend['moveToFailed'];

/**
 * A backend that owns BullMQ's backend, and passes on all members that a subclass does not override. The interface has some
 * ninety members: nobody would read them written out, and a new one of BullMQ would be missing.
 */
const DelegatingBackend = class {
  readonly #library: IQueueBackend;

  constructor(library: IQueueBackend) {
    this.#library = library;
  }

  // A member that no class has is looked up here: it is the library's. `super` leads to it, too.
  static {
    const members: ProxyHandler<object> = {
      get(_nothing, name, backend: object) {
        if (!(#library in backend)) return undefined;
        const member: unknown = Reflect.get(backend.#library, name);
        return typeof member === 'function' ? member.bind(backend.#library) : member;
      },
    };
    Object.setPrototypeOf(this.prototype, new Proxy({}, members));
  }
} as unknown as new (
  library: IQueueBackend,
) => IQueueBackend;

/**
 * A wait of BullMQ may take this much longer than its time. BullMQ reconnects a blocking connection whose wait is a second
 * overdue, and in a cluster whose state is not ok at that moment ioredis's `connect` never settles: the worker took no job any
 * more, for ever.
 */
const OVERDUE_MS = 4_000;

/** BullMQ's own backend, which continues even if a wait does not end. */
export class PatientBackend extends DelegatingBackend {
  override waitForJob(...[timeout]: Parameters<IQueueBackend['waitForJob']>) {
    return orNull(super.waitForJob(timeout), timeout * 1_000 + OVERDUE_MS);
  }

  override readEvents(...[id, timeoutMs]: Parameters<IQueueBackend['readEvents']>) {
    return orNull(super.readEvents(id, timeoutMs), timeoutMs + OVERDUE_MS);
  }

  override async reconnectBlocking(): Promise<void> {
    await orNull(super.reconnectBlocking(), OVERDUE_MS);
  }

  /**
   * Resolves even if the connection fails meanwhile, for example while it is still being opened: otherwise BullMQ would close the
   * worker although jobs run.
   */
  override async disconnectBlocking(wait?: boolean): Promise<void> {
    await orNull(super.disconnectBlocking(wait), OVERDUE_MS).catch(() => undefined);
  }
}

async function orNull<T>(waiting: Promise<T>, withinMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  // `timers/promises` would end with an error when the signal aborts, which costs 57 µs for every job of a worker that is not
  // busy.
  const late = new Promise<null>(resolve => {
    timer = setTimeout(resolve, withinMs, null).unref();
  });
  return Promise.race([waiting, late]).finally(() => clearTimeout(timer));
}

/** More waiting messages are dropped: pieces of answers are hints, and the memory must not fill while the store is away. */
const MAX_WAITING_MESSAGES = 1_000;

/** BullMQ's own backend, which also notifies the requesting process of the end of each job. */
export class ParleyBackend extends PatientBackend {
  protected readonly calls: QueueCalls;
  #waitingMessages = 0;
  /**
   * Sends the messages in order: one call at a time, with all that came meanwhile. A hundred answers at once cost no more than
   * one this way.
   */
  readonly #send = batchCalls({
    startBatch: upTo<RequesterMessage>(MAX_BATCHED),
    makeCalls: async messages => {
      this.#waitingMessages -= messages.length;
      await this.calls.sendMessages(messages).catch(() => undefined);
      return [];
    },
  });

  constructor(library: IQueueBackend, calls: QueueCalls) {
    super(library);
    this.calls = calls;
  }

  override async moveToCompleted(...[job, value, ...rest]: Parameters<Complete>): ReturnType<Complete> {
    const completed = await super.moveToCompleted(job, value, ...rest);
    this.#notify(job.data as JobData, job.id as string, JSON.stringify(value));
    return completed;
  }

  override async moveToFailed(...[job, ...rest]: Parameters<Fail>): ReturnType<Fail> {
    const failed = await super.moveToFailed(job, ...rest);
    this.#notify(job.data as JobData, job.id as string, '');
    return failed;
  }

  /** See `QueueCalls`. */
  replaceFinished({ jobId, data, hostShare }: Omit<QueuedJob, 'name'>): Promise<void> {
    return this.calls.replaceFinished({ id: jobId, data: JSON.stringify(data), hostShare });
  }

  /** See `QueueCalls`. */
  notifyEnd(replyTo: string, jobId: string, reply: string): Promise<void> {
    return this.calls.notifyEnd(replyTo, jobId, reply);
  }

  override publishEvent(...[fields, maxEvents]: Parameters<IQueueBackend['publishEvent']>): Promise<string> {
    return this.calls.publishEvent?.(fields) ?? super.publishEvent(fields, maxEvents);
  }

  /** Sends a sealed piece of the answer of a running job to its requester. Never rejects: it is a hint. */
  sendPiece(requester: string, jobId: string, piece: string): void {
    if (this.#waitingMessages >= MAX_WAITING_MESSAGES) return;
    this.#waitingMessages += 1;
    void this.#send(formatPieceMessage(requester, jobId, piece));
  }

  /** Says whether the running job with this token lends its slot. BullMQ's own calls ignore hosts when they take. */
  setLending(_token: string, _isLending: boolean): void {}

  /** BullMQ's own calls do not report it. */
  get parkedMs(): number {
    return 0;
  }

  /** Called when the worker closes. BullMQ's own calls hold no job that has not begun. */
  stopTaking(): void {}

  #notify({ replyTo }: JobData, jobId: string, reply: string): void {
    // Polling finds the reply without it.
    if (replyTo !== undefined) void this.calls.notifyEnd(replyTo, jobId, reply).catch(() => undefined);
  }
}

/** Adds all jobs of one tick of the event loop with one call. */
export class AddingBackend extends ParleyBackend {
  readonly #add = batchCalls<AddedJob, string>({
    makeCalls: async jobs => {
      await this.calls.add(jobs);
      return jobs.map(({ id }) => id);
    },
    ...batchOfTick(({ data }) => data.length, this.calls.maxAdds),
  });

  override addJob(...[job, jobId, parent]: Parameters<IQueueBackend['addJob']>): Promise<string> {
    // Jobs with other options, such as a delay or a parent, need BullMQ's own call.
    return job.opts === jobOptions ? this.#add(job) : super.addJob(job, jobId, parent);
  }
}
