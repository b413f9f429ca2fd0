import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { type IQueueBackend, isNotConnectionError } from 'bullmq';
import { batchCalls } from '../../platform/batch.ts';
import { Gate } from '../../platform/gate.ts';
import { withinMs } from '../../platform/link-signals.ts';
import type { QueueFacts } from '../contract/queues.ts';
import { type HostLimits, limitHosts } from './job-limits.ts';
import { type Complete, type Fail, ParleyBackend } from './parley-backend.ts';
import {
  batchOfTick,
  type EndedJob,
  maxTakenOf,
  type QueueCalls,
  type TakenJob,
  type WantedJobs,
} from './queue-calls.ts';
import { type JobData, KEYED_CHANNEL } from './store.ts';
import { TakenJobs } from './taken-jobs.ts';

type EndResult = Awaited<ReturnType<Complete>>;
type JobEnd = EndedJob & { readonly token: string; readonly wantsNext: boolean };

/** A longer body is dropped once its job is answered; only a retry with its Idempotency-Key would read it again. */
const LONG_BODY = 2_048;
/** While the store is away, a worker leaves without telling it so. */
const LEAVE_WITHIN_MS = 500;
/** Longer replies are stored one at a time: many at once would take the store's processors from everybody. */
const LONG_REPLY = 1_048_576;
const longReplies = new Gate({ maxTotal: 1, maxPerKey: 1 });
/** The shortest pause. Other workers may take the jobs that this one may not. */
const MIN_PAUSE_MS = 40;
/** The pause is this many times as long as the last take: passing over 10,000 jobs takes the store 10 ms. */
const PAUSE_IN_TAKES = 10;
/** The longest pause, also after a take that lasted long because the store stood still. */
const MAX_PAUSE_MS = 250;

export interface TakingOptions extends Pick<QueueFacts, 'isFair'> {
  /** How many jobs the worker may run now: more while some lend their slots. */
  slots(): number;
}

/**
 * Takes as many jobs at once as its worker has free slots. The call that completes the jobs of one tick of the event loop also
 * takes the next ones.
 */
export class TakingBackend extends ParleyBackend {
  readonly #options: TakingOptions;
  readonly #taken = new TakenJobs(jobs => this.calls.giveBack(jobs));
  readonly #finish = batchCalls<JobEnd, boolean>({
    ...batchOfTick(({ reply, data }) => reply.length + data.length),
    makeCalls: ended => this.#finishAll(ended),
  });
  /** Locks of this worker, and no others, begin with it. */
  readonly #name = randomUUID();
  #takes = 0;
  #leaving: Promise<unknown> | undefined;
  /** Whether the last take left the queue empty. A job added later ends `waitForJob`. */
  #isEmpty = false;
  /** When BullMQ last asked for a job, or was told that there is none. */
  #askedAt = performance.now();
  /** Needed while all waiting jobs are ones that this worker may not take now. */
  readonly #hostLimitWait = new HostLimitWait();

  constructor(library: IQueueBackend, calls: QueueCalls, options: TakingOptions) {
    super(library, calls);
    this.#options = options;
  }

  override stopTaking(): void {
    this.#taken.close();
    if (!this.calls.decodeHanded) return;
    const saysSo = this.calls.take({ lock: '', count: 0, hostLimits: undefined, spare: 0 });
    this.#leaving = withinMs(saysSo, LEAVE_WITHIN_MS).then(
      () => setImmediate(),
      () => undefined,
    );
  }

  /** No job is handed to this worker any more, and one that was is read before the connection closes. */
  override async disconnectBlocking(wait?: boolean): Promise<void> {
    await this.#leaving;
    await super.disconnectBlocking(wait);
  }

  override async close(force?: boolean): Promise<void> {
    await this.#taken.waitUntilGivenBack();
    await super.close(force);
  }

  override setLending(token: string, isLending: boolean): void {
    this.#taken.setLending(token, isLending);
  }

  /** How long slots have been free although BullMQ asks for no job; it should ask at least every ten seconds. */
  override get parkedMs(): number {
    return this.#free > 0 ? performance.now() - this.#askedAt : 0;
  }

  override async moveToActive(token: string, name?: string): Promise<unknown[]> {
    this.#askedAt = performance.now();
    if (this.#taken.notBegun > 0) return this.#taken.handOut(token);
    if (this.#isEmpty) {
      this.#isEmpty = false;
      return this.#taken.handOut(token);
    }
    // A fair queue fills half of the free slots: these jobs count towards the limits of the next take.
    const count = this.#options.isFair ? Math.ceil(this.#free / 2) : this.#free;
    const startedAt = performance.now();
    const wanted = this.#want(Math.max(count, 1));
    const { jobs, waiting } = await this.calls.take(wanted);
    this.#hostLimitWait.noteTakeTime(performance.now() - startedAt);
    if (waiting === undefined) return this.#takeWithLibrary(token, name);
    this.#isEmpty = jobs.length > 0 && waiting === 0;
    this.#hostLimitWait.end();
    this.#hostLimitWait.note(wanted, jobs, waiting);
    this.#taken.add(jobs);
    return this.#taken.handOut(token);
  }

  override async waitForJob(timeout: number): ReturnType<IQueueBackend['waitForJob']> {
    this.#isEmpty = false;
    this.#askedAt = performance.now();
    if (this.#hostLimitWait.hosts) return this.#hostLimitWait.wait();
    const marker = await super.waitForJob(timeout);
    const handed = marker && this.calls.decodeHanded?.(marker);
    if (!handed) return marker;
    this.#taken.add(handed);
    this.#isEmpty = handed.length > 0;
    return { member: '0', score: 0 };
  }

  override async moveToCompleted(
    ...[job, value, keep, token, wantsNext]: Parameters<Complete>
  ): ReturnType<Complete> {
    const [id, data, lock] = [job.id as string, job.data as JobData, this.#taken.lockOf(token)];
    const { replyTo } = data;
    if (replyTo !== undefined) {
      const reply = JSON.stringify(value);
      const end = { id, token, lock, reply, replyTo, data: restOf(data), wantsNext };
      const isCompleted = await this.#store(end, data.hostId);
      if (isCompleted) return this.#end(token, wantsNext, Date.now());
    }
    // Either the requester is of an older version, or our call did not complete the job: then BullMQ's own call does, or says why
    // not.
    const asksNext = wantsNext && this.#taken.notBegun === 0;
    const ended = await super.moveToCompleted(job, value, keep, lock, asksNext);
    return this.#endWithLibrary(token, wantsNext, ended);
  }

  #store(end: JobEnd, hostId: string | null): Promise<boolean> {
    if (end.reply.length < LONG_REPLY) return this.#finish(end);
    return longReplies.run({ key: hostId ?? '' }, () => this.#finish(end));
  }

  override async moveToFailed(
    ...[job, reason, keep, token, wantsNext, fields]: Parameters<Fail>
  ): ReturnType<Fail> {
    const lock = this.#taken.lockOf(token);
    const asksNext = wantsNext && this.#taken.notBegun === 0;
    try {
      const ended = await super.moveToFailed(job, reason, keep, lock, asksNext, fields);
      return this.#endWithLibrary(token, wantsNext, ended);
    } catch (error) {
      // After other errors BullMQ gives up on this job, and the stall check finds it.
      if (isNotConnectionError(error as Error)) this.#taken.release(token);
      throw error;
    }
  }

  override extendLocks(ids: string[], tokens: string[], duration: number): Promise<string[]> {
    const locks = tokens.map(token => this.#taken.lockOf(token));
    if (!this.calls.renewLocks) return super.extendLocks(ids, locks, duration);
    return this.calls.renewLocks(
      ids.map((id, at) => ({ id, lock: locks[at] ?? '' })),
      duration,
    );
  }

  override moveStalledJobsToWait(): Promise<string[]> {
    return this.calls.recoverStalled?.() ?? super.moveStalledJobsToWait();
  }

  get #free(): number {
    return this.#options.slots() - this.#taken.count;
  }

  async #finishAll(ended: readonly JobEnd[]): Promise<readonly boolean[]> {
    const wanted = ended.filter(({ wantsNext }) => wantsNext).length;
    // The end of a job makes no room for hosts below their limit: a take would only pass over the waiting jobs.
    const mayTake = ended.some(({ token }) => this.#hostLimitWait.isOver(this.#taken.hostOf(token)));
    const count = mayTake ? Math.max(wanted - this.#taken.notBegun, 0) : 0;
    const wantedJobs = this.#want(count, new Set(ended.map(({ token }) => token)));
    const { completed, jobs, waiting = 0 } = await this.calls.finish(ended, wantedJobs);
    const freed = completed.filter(Boolean).length;
    this.#hostLimitWait.note({ ...wantedJobs, count: Math.min(count, freed) }, jobs, waiting);
    this.#taken.add(jobs);
    return completed;
  }

  /** `ending`: tokens of jobs whose slots are free before others are taken. */
  #want(count: number, ending: ReadonlySet<string> = new Set()): WantedJobs {
    this.#takes += 1;
    // The lock is unique: a run whose lock has expired cannot end a later run of its job, not even in the same worker.
    const lock = `${this.#name}:${this.#takes}`;
    const free = this.#free + ending.size;
    // BullMQ may ask for one more job although no slot is free.
    const isLimited = this.#options.isFair && free > 0;
    const hostLimits = isLimited ? limitHosts(this.#taken.listHosts(ending), free) : undefined;
    const mostOfAny = hostLimits ? Math.min(hostLimits.others, ...Object.values(hostLimits.byHost)) : free;
    // One job may be on its way to this worker.
    return { lock, count, hostLimits, spare: mostOfAny - 1 };
  }

  async #takeWithLibrary(token: string, name: string | undefined): Promise<unknown[]> {
    const fetched = await super.moveToActive(token, name);
    if (fetched[0]) this.#taken.hold(token, token);
    return fetched;
  }

  /** A next job that BullMQ itself took has the lock of the job before. */
  #endWithLibrary(token: string, wantsNext: boolean, ended: EndResult): EndResult {
    const hasNext = Array.isArray(ended.result) && Boolean(ended.result[0]);
    return hasNext ? ended : this.#end(token, wantsNext, ended.finishedOn);
  }

  /** Ends the job of this token; BullMQ starts the next one with the same token. */
  #end(token: string, wantsNext: boolean, finishedOn: number): EndResult {
    this.#taken.release(token);
    this.#askedAt = performance.now();
    return { result: wantsNext ? this.#taken.handOut(token) : [], finishedOn };
  }
}

/** The data that stay of an answered job; empty: all of them. */
function restOf(data: JobData): string {
  const isDropped = data.replyTo !== KEYED_CHANNEL && data.sealed.length > LONG_BODY;
  return isDropped ? JSON.stringify({ ...data, sealed: '' }) : '';
}

/** A worker waits here while all waiting jobs are of hosts at their limit. Nothing else wakes it when it may take one. */
class HostLimitWait {
  #hosts: ReadonlySet<string> | undefined;
  #ms = MIN_PAUSE_MS;
  #wake = () => {};

  /** The hosts that were at their limit when their jobs were passed over; undefined: the worker need not wait. */
  get hosts(): ReadonlySet<string> | undefined {
    return this.#hosts;
  }

  /** Whether there may be a job to take now that one of this host has ended. */
  isOver(host = ''): boolean {
    return !this.#hosts || this.#hosts.has(host);
  }

  noteTakeTime(takeMs: number): void {
    this.#ms = Math.min(Math.max(MIN_PAUSE_MS, PAUSE_IN_TAKES * takeMs), MAX_PAUSE_MS);
  }

  /**
   * Begins the wait if jobs were passed over. Ends it if a take got all that it may of the waiting jobs, half, and wanted more:
   * this worker, too, may take the rest at once. `waiting`: the number of jobs left.
   */
  note({ count, hostLimits }: WantedJobs, jobs: readonly TakenJob[], waiting: number): void {
    if (!hostLimits || count === 0) return;
    const most = maxTakenOf(jobs.length + waiting);
    const atLimit = jobs.length < Math.min(count, most) ? hostsAtLimit(hostLimits, jobs) : undefined;
    if (atLimit && atLimit.size > 0) this.#hosts = atLimit;
    else if (count > most) this.end();
  }

  async wait(): Promise<null> {
    const over = new AbortController();
    this.#wake = () => over.abort();
    return delay(this.#ms, null, over).catch(() => null);
  }

  end(): void {
    this.#hosts = undefined;
    this.#wake();
  }
}

function hostsAtLimit({ byHost, others }: HostLimits, taken: readonly TakenJob[]): Set<string> {
  const left = new Map(Object.entries(byHost));
  for (const { hostShare: { host } = { host: '' } } of taken) left.set(host, (left.get(host) ?? others) - 1);
  return new Set([...left].flatMap(([host, more]) => (more <= 0 ? host : [])));
}
