import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { makeWav } from '../test/support/recordings.ts';
import { makeHost, seedDemo, startDatabase, tokenFor } from './database.ts';
import { startFixedModel } from './fixed-model.ts';
import { describeTimes, percentileOf } from './percentiles.ts';
import { askUsage } from './process-usage.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.ts';

/*
 * Voice notes of 1 MiB over HTTP, queue on Redis: what a turn with one takes beyond the calls of the transcriber and the model,
 * beside a turn with the same question written; then many at once: whether each is answered, the memory of the worker and of Redis,
 * and what a turn of another host takes meanwhile.
 */

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '100' },
    'at-once': { type: 'string', default: '200' },
    'model-ms': { type: 'string', default: '50' },
  },
});
const [turns, many] = [Number(values.turns), Number(values['at-once'])];
const WARM_UP = 10;
const SAMPLE_EVERY_MS = 20;
/** 131 s of 8 kB. */
const content_base64 = makeWav(131).toString('base64');
const recording = JSON.stringify([{ type: 'audio', content_type: 'audio/wav', content_base64 }]);

const model = await startFixedModel({
  answer: 'Qual é o horário da secretaria?',
  afterMs: Number(values['model-ms']),
});
const store = await startRedis();
const redis = new Redis(store.redisUrl ?? '');
const { db, ...database } = await startDatabase({ max: 2 });
const demo = await seedDemo(db);
const neighbourId = await makeHost(db);
const voice = { hostId: demo.hostId, slug: 'demo', token: demo.token };
const neighbour = { hostId: neighbourId, slug: 'bench', token: await tokenFor(db, neighbourId, 'reason') };
const parts = [store.redisUrl ?? '', database.url, randomBytes(32).toString('hex')];
const worker = await forkReady('http-worker', [...parts, model.baseURL]);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };

showLoad();
await compareAlone();
await sendMany();
showLoad();

redis.disconnect();
await stopFork(api);
await stopFork(worker);
await store.stop();
await database.stop();
model.close();

type Caller = typeof voice;

/** The two take turns. */
async function compareAlone(): Promise<void> {
  const ownMs = { spoken: [] as number[], written: [] as number[] };
  const usedMs = { spoken: [0, 0, 0], written: [0, 0, 0] };
  for (let at = 0; at < turns + WARM_UP; at += 1)
    for (const kind of ['spoken', 'written'] as const) {
      const conversationId = await newConversation(voice);
      const before = await processorMs();
      const turn = await ask(voice, conversationId, kind);
      if (turn.status !== 200) throw new Error(`A turn alone was answered with ${turn.status}.`);
      if (at < WARM_UP) continue;
      ownMs[kind].push(turn.ownMs);
      const used = (await processorMs()).map((ms, process) => ms - (before[process] ?? 0));
      usedMs[kind] = usedMs[kind].map((sum, process) => sum + (used[process] ?? 0) / turns);
    }
  console.log(`${turns} voice notes of ${content_base64.length} characters of base64, one at a time`);
  const describeUse = (kind: 'spoken' | 'written') => usedMs[kind].map(ms => ms.toFixed(0)).join(' / ');
  console.log(`  all but transcriber and model  ${describeTimes(ownMs.spoken)}`);
  console.log(`  the question written           ${describeTimes(ownMs.written)}`);
  console.log(`  processor time of web / worker / PostgreSQL, in ms: ${describeUse('spoken')}`);
  console.log(`  the same of the question written:                   ${describeUse('written')}`);
}

async function processorMs(): Promise<number[]> {
  const [web, work] = [await askUsage(api), await askUsage(worker)];
  return [web.processorMs, work.processorMs, await database.processorMs()];
}

async function sendMany(): Promise<void> {
  const conversations = await Promise.all(Array.from({ length: many }, () => newConversation(voice)));
  const calm: number[] = [];
  for (let at = 0; at < turns; at += 1) await askNeighbour(calm);
  const before = await redisBytes();
  let most = before;
  const sample = async () => {
    most = Math.max(most, await redisBytes());
  };
  const sampling = setInterval(() => void sample(), SAMPLE_EVERY_MS);
  const refusals: string[] = [];
  const spokenMs: number[] = [];
  const beside = await askUntil(() =>
    atOnce(many, many, async at => {
      const turn = await ask(voice, conversations[at] ?? '', 'spoken');
      if (turn.status !== 200) refusals.push(`${turn.status} ${turn.message}`);
      spokenMs.push(turn.wholeMs);
    }),
  );
  clearInterval(sampling);
  const [calmP99, besideP99] = [percentileOf(calm, 0.99), percentileOf(beside, 0.99)];
  const left = await db('turn_attachments').count('* as rows');
  console.log(`${many} voice notes at once`);
  console.log(`  answered                       ${describeTimes(spokenMs)}`);
  console.log(`  without an answer              ${refusals.length} ${[...new Set(refusals)].join('; ')}`);
  console.log(`  most memory of the worker      ${(await askUsage(worker)).mostMb.toFixed(0)} MB`);
  console.log(`  most memory of the web process ${(await askUsage(api)).mostMb.toFixed(0)} MB`);
  console.log(`  Redis, most beyond before      ${((most - before) / many / 1_024).toFixed(1)} KiB for each`);
  console.log(`  recordings left                ${left[0]?.['rows']}`);
  console.log(`  turn of another host, calm     ${describeTimes(calm)}`);
  console.log(
    `  the same beside them           ${describeTimes(beside)}, p99 ${(besideP99 / calmP99).toFixed(2)}`,
  );
}

/** The times of the neighbour's turns, one after another, while the work goes on. */
async function askUntil(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const over = new AbortController();
  const done = work().finally(() => over.abort());
  while (!over.signal.aborted) await askNeighbour(times);
  await done;
  return times;
}

async function askNeighbour(times: number[]): Promise<void> {
  const conversationId = await newConversation(neighbour);
  const { status, wholeMs } = await ask(neighbour, conversationId, 'written');
  if (status !== 200) throw new Error(`A turn of the neighbour was answered with ${status}.`);
  times.push(wholeMs);
}

async function redisBytes(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

async function ask({ hostId, token }: Caller, conversationId: string, kind: 'spoken' | 'written') {
  const ids = `"hostId":"${hostId}","conversationId":"${conversationId}"`;
  const asked = kind === 'spoken' ? `"attachments":${recording}` : '"question":"Qual é o horário?"';
  const askedAt = performance.now();
  const { status, message, data } = await post('svcReasoning', `{${ids},${asked}}`, token);
  const wholeMs = performance.now() - askedAt;
  const calls = (data?.['restStatus'] ?? []) as { durationMs: number }[];
  return {
    status,
    message,
    wholeMs,
    ownMs: wholeMs - calls.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

async function newConversation({ hostId, slug, token }: Caller): Promise<string> {
  const body = JSON.stringify({ hostId, hostSlug: slug });
  const { data } = await post('createConversationId', body, token);
  return data?.['conversationId'] as string;
}

async function post(operation: string, body: string, token: string) {
  const response = await fetch(`http://127.0.0.1:${port}/api/externalAPIs/public/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  const answer = (await response.json()) as { message: string; data?: Record<string, unknown> };
  return { status: response.status, ...answer };
}

function showLoad(): void {
  console.log(
    `load of the machine: ${loadavg()
      .map(each => each.toFixed(1))
      .join(' ')}`,
  );
}
