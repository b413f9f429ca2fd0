import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Seal } from '../../platform/seal.ts';
import type { Backend } from '../../queues/transport/backend.ts';
import { type Dispatcher, makeDispatcher } from '../../queues/transport/dispatcher.ts';
import type { QueuedJob } from '../../queues/transport/request.ts';
import type { EndListener, FinishedJob, JobData, JobReply } from '../../queues/transport/store.ts';
import { Waiters } from '../../queues/transport/waiters.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { chooseNext, explore, findBug, isLongRun } from './schedules.ts';

/*
 * Two api processes ask for jobs, under one key and without, of a store in memory; a worker runs them, with success, trouble or a crash,
 * and its messages are late, double, without the reply, or lost. Every call of the store is two points: when it is made, and when its
 * answer comes. test/queues has the same on the real stores, in the order that they give.
 */

const FILE = 'test/schedules/dispatcher.ci.test.ts';
const WEBS = 2;
/** No timer decides anything. */
const NEVER_MS = 3_600_000;

interface Ask {
  readonly web: number;
  readonly hasKey: boolean;
  readonly body: number;
  readonly leaves: boolean;
}
interface World {
  readonly asks: readonly Ask[];
  /** How the runs end, in their order; then with success. */
  readonly ends: readonly (200 | 503 | 'crash')[];
  readonly hints: readonly ('reply' | 'bare' | 'twice' | 'lost')[];
  /** How often an api process hears that it may have missed messages. */
  readonly gaps: number;
}

const world: fc.Arbitrary<World> = fc.record({
  asks: fc.array(
    fc.record({
      web: fc.nat(WEBS - 1),
      hasKey: fc.constantFrom(true, true, false),
      body: fc.constantFrom(1, 1, 2),
      leaves: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 4, size: 'max' },
  ),
  ends: fc.array(fc.constantFrom(503 as const, 200 as const, 'crash' as const), { maxLength: 4 }),
  hints: fc.array(fc.constantFrom('reply', 'bare', 'twice', 'lost'), { maxLength: 6 }),
  gaps: fc.nat(2),
});

/** A request is told this. */
interface Told {
  readonly code: number;
  readonly requestId?: string;
  readonly run?: number;
  readonly body?: number;
}

interface Job {
  readonly id: string;
  data: JobData;
  state: 'waiting' | 'active' | 'completed' | 'failed';
  reply?: JobReply | undefined;
}

/** A bug of the api side. */
interface Bug {
  readonly name: string;
  /** Changes the waiters, and returns how to undo it. */
  readonly change: () => () => void;
}

const { wait, pollAll } = Waiters.prototype;
const undo = () => void Object.assign(Waiters.prototype, { wait, pollAll });
const changed = (parts: Partial<Pick<Waiters, 'wait' | 'pollAll'>>) => () => {
  Object.assign(Waiters.prototype, parts);
  return undo;
};

const bugs: readonly Bug[] = [
  {
    name: 'a message is believed of a job under a key, whichever run it is of',
    change: changed({
      wait(this: Waiters, jobId, _isOnlyRequest, ...more) {
        return wait.call(this, jobId, true, ...more);
      },
    }),
  },
  {
    name: 'a request under a key is told of what was there before it was added',
    change: changed({
      wait(this: Waiters, ...given) {
        const waiter = wait.apply(this, given);
        if (!given[1]) waiter.arm();
        return waiter;
      },
    }),
  },
  { name: 'what was missed is not looked for', change: changed({ pollAll: async () => {} }) },
];

describe('the requests of the api, in every order of what the store answers', () => {
  it('all end, with an outcome of their own run or with the one reply of their key', async () => {
    await explore(FILE, world, (world, choices) => play(world, choices));
  }).timeout(0);

  for (const bug of isLongRun ? bugs : [])
    it(`show it where ${bug.name}`, async () => {
      const undo = bug.change();
      try {
        expect(await findBug(world, (world, choices) => play(world, choices))).to.be.a('string');
      } finally {
        undo();
      }
    });
});

/** The points that wait, of all who are at the gate. */
class Gate {
  readonly trace: string[] = [];
  #waiting: { readonly who: string; readonly label: string; readonly pass: () => void }[] = [];
  #last: string | undefined;

  at(who: string, label: string): Promise<void> {
    return new Promise(pass => this.#waiting.push({ who, label, pass }));
  }

  /** False: nobody waits. */
  passNext(choice: number | undefined): boolean {
    const ready = this.#waiting;
    if (ready.length === 0) return false;
    const last = ready.find(({ who }) => who === this.#last);
    const next = chooseNext(ready, choice, last);
    this.#waiting = ready.filter(point => point !== next);
    this.#last = next.who;
    this.trace.push(`${next.who}: ${next.label}`);
    next.pass();
    return true;
  }
}

async function play({ asks, ends, hints, gaps }: World, choices: readonly number[]): Promise<void> {
  const gate = new Gate();
  const store = new MemoryStore(gate, ends, hints);
  const webs = await Promise.all(
    Array.from({ length: WEBS }, (_, at) => openWeb(store, gate, `web ${at + 1}`)),
  );
  const asked = asks.map((ask, at) =>
    askOnce(assertDefined(webs[ask.web]), ask, store, gate, `request ${at + 1}`),
  );
  const left = new Set(asked);
  const settled = Promise.allSettled(asked.map(told => told.finally(() => left.delete(told))));
  const gap = async () => {
    for (let at = 0; at < gaps; at += 1) {
      await gate.at('gap', 'may have missed messages');
      store.noteGap();
    }
  };
  void gap();
  let sweeps = 0;
  for (let step = 0; left.size > 0 && sweeps < 20; step += 1) {
    // The effects of the last point come to their own point.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    if (gate.passNext(choices[step]) || store.startWorker()) continue;
    sweeps += 1;
    store.noteGap();
  }
  const isStuck = left.size > 0;
  await Promise.all(webs.map(dispatcher => dispatcher.close()));
  const ended = isStuck ? [] : await settled;
  const failures = ended.flatMap(told =>
    told.status === 'rejected' ? [(told.reason as Error).message] : [],
  );
  if (isStuck) failures.push('a request does not end');
  if (failures.length > 0) throw new Error(`${failures.join('\n')}\n${gate.trace.join('\n')}`);
}

/** Asks, and rejects where it is told what it must not be. */
async function askOnce(
  dispatcher: Dispatcher,
  ask: Ask,
  store: MemoryStore,
  gate: Gate,
  who: string,
): Promise<void> {
  await gate.at(who, 'arrives');
  const client = new AbortController();
  const requestId = randomUUID();
  const final = ask.hasKey ? store.replyOfKey : undefined;
  const before = new Set(store.endedRuns);
  if (ask.hasKey) store.bodiesOfKey.add(ask.body);
  if (ask.leaves) void gate.at(who, 'leaves').then(() => client.abort());
  const told = (await dispatcher.ask({
    operation: 'reason',
    queue: 'turns',
    requestId,
    arrivedAt: 0,
    timeoutMs: NEVER_MS,
    caller: { tokenId: who, tokenName: who, scopes: [], hostIds: ['host'] },
    body: ask.body,
    clientGone: client.signal,
    ...(ask.hasKey ? { idempotencyKey: 'key' } : {}),
  })) as Told;
  const fail = (what: string) => {
    throw new Error(`${who} ${what}: ${JSON.stringify(told)}`);
  };
  if (client.signal.aborted) return;
  const isOfAnother = final !== undefined && final.body !== ask.body;
  if (told.code === 422) {
    if (store.bodiesOfKey.size === 1 || (final && !isOfAnother)) fail('is refused for its body');
    return;
  }
  if (isOfAnother) fail('is not refused, although its key has the reply to another body');
  if (told.body !== undefined && told.body !== ask.body) fail('is told of another body');
  if (told.run === undefined) {
    const isRefused = told.code === 503 && store.bodiesOfKey.size > 1 && ask.hasKey;
    if (!store.hasCrashed && !isRefused) fail('is told of no run, and none has crashed');
    return;
  }
  if (!ask.hasKey && told.requestId !== requestId) fail('is told of another request');
  if (final && told.run !== final.run) fail(`is not told the reply of its key, of run ${final.run}`);
  if (told.code !== 200 && before.has(told.run)) fail('is told of the trouble of a run before it');
  if (!ask.hasKey || told.code !== 200) return;
  store.toldRun ??= told.run;
  if (store.toldRun !== told.run) fail(`is told another reply of its key than that of run ${store.toldRun}`);
}

class MemoryStore {
  readonly #gate: Gate;
  readonly #ends: World['ends'];
  readonly #hints: World['hints'];
  readonly #jobs = new Map<string, Job>();
  readonly listeners: EndListener[] = [];
  /** A worker has committed this under the key. */
  replyOfKey: (Told & { readonly run: number; readonly body: number }) | undefined;
  readonly bodiesOfKey = new Set<number>();
  runs = 0;
  readonly endedRuns = new Set<number>();
  /** Whose reply under the key a request was told first. */
  toldRun: number | undefined;
  hasCrashed = false;
  #working = 0;

  constructor(gate: Gate, ends: World['ends'], hints: World['hints']) {
    this.#gate = gate;
    this.#ends = ends;
    this.#hints = hints;
  }

  noteGap(): void {
    for (const listener of this.listeners) listener.noteGap();
  }

  /** False: no job waits. */
  startWorker(): boolean {
    const job = [...this.#jobs.values()].find(({ state }) => state === 'waiting');
    if (job) void this.#run(job);
    return job !== undefined;
  }

  add({ jobId: id, data }: Pick<QueuedJob, 'jobId' | 'data'>): void {
    if (this.#jobs.has(id)) return;
    this.#jobs.set(id, { id, data, state: 'waiting' });
    void this.#work();
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  finished(id: string): FinishedJob[] {
    const job = this.#jobs.get(id);
    if (!job) return [{ id, state: 'missing' }];
    const { state, reply } = job;
    return state === 'completed' || state === 'failed' ? [{ id, state, ...(reply ? { reply } : {}) }] : [];
  }

  replaceFinished(id: string, data: JobData): void {
    const job = this.#jobs.get(id);
    if (job?.state === 'completed' || job?.state === 'failed') job.data = data;
  }

  retry(job: Job, state: string): void {
    if (job.state !== state) throw new Error('The job is in another state.');
    Object.assign(job, { state: 'waiting', reply: undefined });
    void this.#work();
  }

  /** Takes what waits, like a worker with one slot for each call. */
  async #work(): Promise<void> {
    this.#working += 1;
    const worker = `worker ${this.#working}`;
    await this.#gate.at(worker, 'takes a job');
    const job = [...this.#jobs.values()].find(({ state }) => state === 'waiting');
    if (job) await this.#run(job, worker);
  }

  async #run(job: Job, worker = 'worker'): Promise<void> {
    job.state = 'active';
    const { requestId, bodyMac } = job.data;
    const { body } = JSON.parse(job.data.sealed) as { readonly body: number };
    const isKeyed = bodyMac !== undefined;
    await this.#gate.at(worker, 'runs it');
    const kept = isKeyed ? this.replyOfKey : undefined;
    const run = kept?.run ?? (this.runs += 1);
    const end = kept ? 200 : (this.#ends[run - 1] ?? 200);
    const ran = kept ?? { code: end === 'crash' ? 500 : end, requestId, run, body };
    if (end === 200 && isKeyed) this.replyOfKey = ran;
    if (end === 'crash') this.hasCrashed = true;
    const told: Told = ran.body === body ? ran : { code: 422 };
    const reply =
      end === 'crash'
        ? undefined
        : { code: told.code, sealed: JSON.stringify(told), ...(isKeyed ? { bodyMac } : {}) };
    await this.#gate.at(worker, 'ends it');
    this.endedRuns.add(run);
    Object.assign(job, { state: end === 'crash' ? 'failed' : 'completed', reply });
    await this.#tell(job.id, reply, worker);
  }

  async #tell(id: string, reply: JobReply | undefined, worker: string): Promise<void> {
    const hint = this.#hints[(this.runs - 1) % Math.max(this.#hints.length, 1)] ?? 'reply';
    if (hint === 'lost') return;
    for (const listener of this.listeners)
      for (let times = hint === 'twice' ? 2 : 1; times > 0; times -= 1) {
        await this.#gate.at(worker, 'tells');
        listener.noteEnd(id, hint === 'bare' ? undefined : reply);
      }
  }
}

/** Seals nothing, at once. */
const seal = {
  seal: async (value: unknown) => JSON.stringify(value),
  openPieces: async (sealed: string) => [Buffer.from(sealed)],
  mac: JSON.stringify,
  nameOf: JSON.stringify,
} as unknown as Seal;

function openWeb(store: MemoryStore, gate: Gate, name: string): Promise<Dispatcher> {
  const call = async <T>(label: string, make: () => T): Promise<T> => {
    await gate.at(name, label);
    const answer = make();
    await gate.at(name, `${label}: answer`);
    return answer;
  };
  const part = { waitUntilReady: async () => {}, close: async () => {}, disconnect: async () => {} };
  const queue = {
    ...part,
    getBackend: () => ({
      replaceFinished: ({ jobId, data }: Pick<QueuedJob, 'jobId' | 'data'>) =>
        call('changes the job', () => store.replaceFinished(jobId, data)),
    }),
    getJob: (id: string) =>
      call('reads the job', () => {
        const job = store.find(id);
        return (
          job && {
            data: job.data,
            retry: (state: string) => call('runs the job again', () => store.retry(job, state)),
          }
        );
      }),
  };
  const backend = {
    polling: { firstMs: NEVER_MS, maxMs: NEVER_MS },
    maxConcurrentAdds: 16,
    now: () => 0,
    isReady: () => true,
    onOutage: () => {},
    onError: () => {},
    makeQueue: () => queue,
    makeEventsProducer: () => ({ ...part, publishEvent: async () => {} }),
    addJob: (_queue: unknown, job: QueuedJob) => call('adds the job', () => store.add(job)),
    findFinished: (_queue: unknown, ids: readonly string[]) =>
      call('looks', () => ids.flatMap(id => store.finished(id))),
    backlog: async () => ({ depth: 0, oldest: undefined, active: 0, hosts: new Map() }),
    ends: {
      requester: name,
      find: async () => ({ count: 0, lastAt: undefined }),
      listen(_name: string, listener: EndListener) {
        store.listeners.push(listener);
        return part;
      },
    },
  } as unknown as Backend;
  return makeDispatcher(backend, seal, ['turns'], async () => undefined);
}
