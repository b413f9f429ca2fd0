import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createPostgresBackend, type IQueueBackend, Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { makeSeal } from '../platform/seal.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { makeDispatcher } from '../queues/transport/dispatcher.ts';
import { atOnce, type BenchStore, forkReady, startPostgres, startRedis, stopFork } from './stores.ts';

/*
 * Replies through job completion: our dispatcher and consumer compared with BullMQ's `waitUntilFinished` with its
 * defaults, on the same store in the same run, with asking and answering side in two processes.
 */

interface Asker {
  /** Whether the right reply arrived. */
  ask(body: { n: number; text: string }): Promise<boolean>;
  close(): Promise<void>;
}

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    count: { type: 'string' },
    memory: { type: 'boolean', default: false },
  },
});
const isRedis = values.store === 'redis';
const count = Number(values.count ?? (isRedis ? 20_000 : 5_000));
const loads = isRedis ? [128, 1] : [32, 1];
const LOST_AFTER_MS = 20_000;
const key = randomBytes(32).toString('hex');

for (const inFlight of loads) await compare(inFlight, inFlight === 1 ? Math.ceil(count / 10) : count);
if (values.memory && isRedis) await compareMemory();

async function compare(inFlight: number, asked: number): Promise<void> {
  const peer = await measure('peer', inFlight, isRedis ? asked : Math.ceil(asked / 5));
  const ours = await measure('ours', inFlight, asked);
  console.log(`${values.store}, ${inFlight} in flight`);
  for (const [name, m] of [
    ['waitUntilFinished', peer],
    ['parley', ours],
  ] as const) {
    const figures = `${m.perSecond.toFixed(0)}/s  p50 ${m.p50.toFixed(1)} ms  p99 ${m.p99.toFixed(1)} ms`;
    console.log(`  ${name.padEnd(18)} ${figures}  lost ${m.lost} of ${m.asked}`);
  }
  const ratios = [ours.perSecond / peer.perSecond, ours.p99 / peer.p99].map(ratio => ratio.toFixed(2));
  console.log(`  ratio              replies a second ${ratios[0]} x, p99 ${ratios[1]} x`);
}

async function measure(side: 'ours' | 'peer', inFlight: number, asked: number) {
  return withSide(side, async asker => {
    let lost = 0;
    const ask = async (n: number) => {
      if (!(await asker.ask({ n, text: `Qual é o horário da secretaria? ${n}` }))) lost += 1;
    };
    await atOnce(Math.min(asked, 500), inFlight, ask);
    lost = 0;
    return { ...(await atOnce(asked, inFlight, ask)), lost, asked };
  });
}

/** Growth of the store by 4,000 replies of 50 KB of text, at once and after the retention of finished jobs. */
async function compareMemory(): Promise<void> {
  const sentence = () =>
    `A matrícula ${randomBytes(3).toString('hex')} vence no dia ${Math.random().toFixed(3)}. `;
  const text = Array.from({ length: 1_100 }, sentence).join('').slice(0, 50_000);
  const grown: Record<string, number[]> = {};
  for (const side of ['peer', 'ours'] as const) {
    grown[side] = await withSide(side, async (asker, { redisUrl }) => {
      const redis = new Redis(redisUrl ?? '');
      const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) / 1_048_576;
      const before = await used();
      await atOnce(4_000, 32, async n => void (await asker.ask({ n, text: `${n} ${text}` })));
      const atOnceMb = (await used()) - before;
      await new Promise(resolve => setTimeout(resolve, 90_000));
      const laterMb = (await used()) - before;
      redis.disconnect();
      return [atOnceMb, laterMb];
    });
  }
  console.log('redis memory grown by 4,000 replies of 50 KB: at once, after 90 s');
  for (const [side, [now = 0, later = 0]] of Object.entries(grown)) {
    console.log(`  ${side.padEnd(18)} ${now.toFixed(1)} MB, ${later.toFixed(1)} MB`);
  }
  const [peer = [], ours = []] = [grown['peer'], grown['ours']];
  const share = (at: number) => ((ours[at] ?? 0) / (peer[at] ?? 1)).toFixed(3);
  console.log(`  ratio              ${share(0)} x at once, ${share(1)} x after 90 s`);
}

async function withSide<T>(
  side: 'ours' | 'peer',
  work: (asker: Asker, store: BenchStore) => Promise<T>,
): Promise<T> {
  const store = isRedis ? await startRedis() : await startPostgres();
  const worker = await forkReady('replies-worker', [side, store.redisUrl ?? '', store.databaseUrl, key]);
  const asker = side === 'ours' ? await openOurs(store) : await openPeer(store);
  try {
    return await work(asker, store);
  } finally {
    await asker.close();
    await stopFork(worker);
    await store.stop();
  }
}

async function openOurs({ redisUrl, databaseUrl }: BenchStore): Promise<Asker> {
  const backend = await openBackend({
    redisUrl,
    databaseUrl,
    onError: error => console.error(error.message),
  });
  const dispatcher = await makeDispatcher(backend, makeSeal(key), ['turns']);
  const caller = { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['h'] };
  return {
    async ask(body) {
      const outcome = await dispatcher.ask({
        operation: 'reason',
        queue: 'turns',
        requestId: 'r',
        arrivedAt: backend.now(),
        timeoutMs: LOST_AFTER_MS,
        caller,
        body,
        clientGone: new AbortController().signal,
      });
      return outcome.code === 200 && (outcome.data as { n: number }).n === body.n;
    },
    async close() {
      await dispatcher.close();
      await backend.close();
    },
  };
}

async function openPeer({ redisUrl, databaseUrl }: BenchStore): Promise<Asker> {
  const ignore = () => {};
  const queue = redisUrl
    ? new Queue('peer', { connection: { url: redisUrl } })
    : (new Queue('peer', { connection: databaseUrl }, createPostgresBackend) as unknown as Queue);
  const events = redisUrl
    ? new QueueEvents('peer', { connection: { url: redisUrl } })
    : (new QueueEvents<unknown, IQueueBackend, string>(
        'peer',
        { connection: databaseUrl },
        createPostgresBackend,
      ) as unknown as QueueEvents);
  queue.on('error', ignore);
  events.on('error', ignore);
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  return {
    async ask(body) {
      const job = await queue.add('ask', body);
      const reply = await job.waitUntilFinished(events, LOST_AFTER_MS).catch(() => undefined);
      return reply?.n === body.n;
    },
    async close() {
      await events.close();
      await queue.close();
    },
  };
}
