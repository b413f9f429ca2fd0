import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Backend, openBackend } from '../queues/transport/backend.ts';
import type { HostShare } from '../queues/transport/fair-order.ts';
import type { ParleyQueue } from '../queues/transport/parts.ts';
import { type BenchStore, startPostgres, startRedis } from './stores.bench.ts';

/*
 * Turns in fair order over hosts, beside the same turns first come, first served: how long a host waits while another has
 * thousands of turns waiting, how fast these are done, and whether ten hosts get turns by their shares. A turn only waits, as
 * for a model.
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    turns: { type: 'string', default: '10000' },
    slots: { type: 'string', default: '48' },
    'turn-ms': { type: 'string', default: '100' },
  },
});
const [turns, slots, turnMs] = [Number(values.turns), Number(values.slots), Number(values['turn-ms'])];
const QUIET_EVERY_MS = 200;

console.log(`${values.store}: ${turns} turns of ${turnMs} ms wait, ${slots} slots on both sides`);
const fifo = await drainBeside('first come, first served', false);
const fair = await drainBeside('fair order', true);
console.log(`  drain: ${(fair / fifo).toFixed(2)} x as fast as first come, first served`);
await compareShares();

function startStore(): Promise<BenchStore> {
  return values.store === 'redis' ? startRedis() : startPostgres();
}

interface Running {
  readonly backend: Backend;
  readonly queue: ParleyQueue;
  /** The turns in the order in which they began. */
  readonly begun: { readonly id: string; readonly at: number }[];
  add(ids: readonly string[], hostShare: HostShare | undefined): Promise<void>;
  work(workerSlots: number): Promise<void>;
  close(): Promise<void>;
}

async function open(): Promise<Running> {
  const store = await startStore();
  const { redisUrl, databaseUrl } = store;
  const backend = await openBackend({
    redisUrl,
    databaseUrl,
    onError: error => console.error(error.message),
  });
  const queue = backend.makeQueue('turns');
  await queue.waitUntilReady();
  const begun: Running['begun'] = [];
  let worker: ReturnType<Backend['makeWorker']> | undefined;
  const data = { requestId: 'r', deadline: 0, sealed: 'x'.repeat(1_000), replyTo: 'bench' };
  return {
    backend,
    queue,
    begun,
    async add(ids, hostShare) {
      const hostId = hostShare?.host ?? null;
      for (let from = 0; from < ids.length; from += 64) {
        const part = ids.slice(from, from + 64);
        await Promise.all(
          part.map(jobId =>
            backend.addJob(queue, { jobId, name: 'reason', data: { ...data, hostId }, hostShare }),
          ),
        );
      }
    },
    async work(workerSlots) {
      const processor = async ({ id = '' }: { id?: string }) => {
        begun.push({ id, at: performance.now() });
        await delay(turnMs);
        return { code: 200, sealed: 'reply' };
      };
      worker = backend.makeWorker('turns', processor, workerSlots);
      await worker.waitUntilReady();
    },
    async close() {
      await worker?.close();
      await queue.close();
      await backend.close();
      await store.stop();
    },
  };
}

/** Returns how many turns were done in a second. */
async function drainBeside(name: string, isFair: boolean): Promise<number> {
  const running = await open();
  const fairOf = (host: string) => (isFair ? { host, share: 1 } : undefined);
  await running.add(idsOf('loud', turns), fairOf('loud'));
  await running.work(slots);
  const startedAt = performance.now();
  const addedAt = new Map<string, number>();
  while (running.begun.length < turns + addedAt.size) {
    await delay(QUIET_EVERY_MS);
    // The last ones would find an empty queue.
    if (running.begun.length > turns * 0.95) continue;
    const id = `quiet-${addedAt.size}`;
    addedAt.set(id, performance.now());
    await running.add([id], fairOf('quiet'));
  }
  const last = running.begun.at(-1)?.at ?? startedAt;
  const waits = running.begun.flatMap(({ id, at }) => (addedAt.has(id) ? [at - (addedAt.get(id) ?? 0)] : []));
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(waits.length * share)] ?? Number.NaN).toFixed(0);
  const perSecond = (running.begun.length * 1_000) / (last - startedAt);
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `  ${name}: another host waits p50 ${at(0.5)}, p99 ${at(0.99)} ms (${waits.length} turns); ${perSecond.toFixed(0)} turns a second (load ${load})`,
  );
  await running.close();
  return perSecond;
}

async function compareShares(): Promise<void> {
  const running = await open();
  const shares = Array.from({ length: 10 }, (_, at) => at + 1);
  for (const share of shares)
    await running.add(idsOf(`share${share}`, 400), { host: `share${share}`, share });
  await running.work(slots);
  const measured = 55 * 35;
  while (running.begun.length < measured) await delay(50);
  const taken = running.begun.slice(0, measured);
  const rates = shares.map(
    share => taken.filter(({ id }) => id.startsWith(`share${share}-`)).length / (share * 35),
  );
  console.log(
    `  ten hosts with shares 1 to 10: ${rates.map(rate => rate.toFixed(2)).join(' ')} x their part of ${measured} turns`,
  );
  await running.close();
}

function idsOf(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${host}-${at}`);
}
