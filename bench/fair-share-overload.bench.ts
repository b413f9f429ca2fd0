import { setTimeout as delay } from 'node:timers/promises';
import { makeSeal } from '../platform/seal.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { makeConsumer } from '../queues/transport/consumer.ts';
import { makeDispatcher } from '../queues/transport/dispatcher.ts';
import type { BenchStore } from './stores.bench.ts';

interface OverloadOptions {
  readonly seconds: number;
  readonly slots: number;
  readonly turnMs: number;
}

interface Asked {
  readonly code: number;
  readonly ms: number;
}

const TIMEOUT_MS = 12_000;

/**
 * One host sends 2.75 times the capacity, another a quarter of it, which is half of its share. A quiet time comes first, for
 * comparison; the end shows how soon the first host is served as before.
 */
export async function overloadTwoHosts(store: BenchStore, options: OverloadOptions): Promise<void> {
  const { seconds, slots, turnMs } = options;
  const sides = await openSides(store, options);
  const capacity = (slots * 1_000) / turnMs;
  const before = await sides.askAt('small', capacity / 4, 5);
  const [loud, small] = await Promise.all([
    sides.askAt('loud', capacity * 2.75, seconds),
    sides.askAt('small', capacity / 4, seconds),
  ]);
  const endedAt = performance.now();
  while (((await sides.ask('loud')).ms ?? 0) > 2 * turnMs) await delay(100);
  const recovered = performance.now() - endedAt;
  console.log(`  overload at 3 times the capacity (${capacity} turns a second) for ${seconds} s:`);
  report('quiet time, small host', before);
  report('small host', small);
  report('loud host', loud);
  console.log(`    the loud host is served as before after ${(recovered / 1_000).toFixed(1)} s`);
  await sides.close();
  await store.stop();
}

async function openSides({ redisUrl, databaseUrl }: BenchStore, { slots, turnMs }: OverloadOptions) {
  const onError = (error: Error) => console.error(error.message);
  const backend = await openBackend({ redisUrl, databaseUrl, onError });
  const seal = makeSeal('the secret key of this measurement, made up');
  const dispatcher = await makeDispatcher(backend, seal, ['turns']);
  const consumer = await makeConsumer({
    backend,
    seal,
    queue: 'turns',
    concurrency: slots,
    async handle() {
      await delay(turnMs);
      return { code: 200, data: {} };
    },
    storeOutcome: async () => {},
    onError,
    onUnreadable: onError,
    onBug: error => onError(error as Error),
  });
  const ask = async (host: string): Promise<Asked> => {
    const askedAt = performance.now();
    const { code } = await dispatcher.ask({
      operation: 'reason',
      queue: 'turns',
      requestId: 'r',
      arrivedAt: backend.now(),
      timeoutMs: TIMEOUT_MS,
      caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds: [host] },
      body: { question: 'Que horas abre?' },
      clientGone: new AbortController().signal,
    });
    return { code, ms: performance.now() - askedAt };
  };
  return {
    ask,
    async askAt(host: string, perSecond: number, forSeconds: number): Promise<Asked[]> {
      const startedAt = performance.now();
      const each = Array.from({ length: Math.round(perSecond * forSeconds) }, async (_, at) => {
        await delay((at * 1_000) / perSecond - (performance.now() - startedAt));
        return ask(host);
      });
      return Promise.all(each);
    },
    async close() {
      await dispatcher.close();
      await consumer.close(0);
      await backend.close();
    },
  };
}

function report(name: string, asked: readonly Asked[]): void {
  const of = (code: number) => asked.filter(each => each.code === code);
  const [answered, refused] = [of(200), of(503)];
  const others = asked.length - answered.length - refused.length;
  console.log(
    `    ${name}: ${asked.length} asked, ${answered.length} answered (p50 ${shareOf(answered, 0.5)}, p99 ${shareOf(answered, 0.99)}), ` +
      `${refused.length} refused (p99 ${shareOf(refused, 0.99)}), ${others} too late`,
  );
}

function shareOf(asked: readonly Asked[], share: number): string {
  const times = asked.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = times[Math.floor(times.length * share)];
  return at === undefined ? 'none' : `${at.toFixed(0)} ms`;
}
