import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { PUBLIC } from '../queues/contract/operations/paths.ts';
import { makeWav } from '../test/support/recordings.ts';
import { makeHost, SECRET_KEY, seedDemo, startDatabase, tokenFor } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { waitsBeside } from './hostile/neighbour.bench.ts';
import { describeTimes, percentileOf } from './percentiles.bench.ts';
import { askUsage } from './process-usage.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * Voice notes of 1 MiB over HTTP, queue on Redis: what a turn with one takes beyond the calls of the transcriber and the model,
 * beside a turn with the same question written; then many at once: whether each is answered, the memory of the worker and of Redis,
 * and what a turn of another host, asked by a process of its own, takes meanwhile.
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
const CALM_MS = 10_000;
const SAMPLE_EVERY_MS = 20;
/** 131 s at 8 kB a second. */
const content_base64 = makeWav(131).toString('base64');
const recording = Buffer.from(JSON.stringify([{ type: 'audio', content_type: 'audio/wav', content_base64 }]));
const agent = new Agent({ keepAlive: true });

const model = await startFixedModel({
  answer: 'Qual é o horário da secretaria?',
  afterMs: Number(values['model-ms']),
});
const store = await startRedis();
const redis = new Redis(store.redisUrl ?? '');
const { db, ...database } = await startDatabase({ max: 2 });
const demo = await seedDemo(db);
const neighbourId = await makeHost(db, 'neighbour');
const voice = { hostId: demo.hostId, slug: 'demo', token: demo.token };
const neighbour = await forkReady('hostile-neighbour', [
  await tokenFor(db, neighbourId, 'reason'),
  neighbourId,
]);
const parts = [store.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', [...parts, model.baseURL]);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };

showLoad();
await compareAlone();
await sendMany();
showLoad();

redis.disconnect();
agent.destroy();
await stopFork(neighbour);
await stopFork(api);
await stopFork(worker);
await store.stop();
await database.stop();
model.close();

type Caller = typeof voice;

/** Compares the two in turn. */
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
  const calm = await waitsBeside(neighbour, port, () => delay(CALM_MS));
  const before = await redisBytes();
  let most = before;
  const sample = async () => {
    most = Math.max(most, await redisBytes());
  };
  const sampling = setInterval(() => void sample(), SAMPLE_EVERY_MS);
  const refusals: string[] = [];
  const spokenMs: number[] = [];
  const beside = await waitsBeside(neighbour, port, () =>
    atOnce(many, many, async at => {
      const turn = await ask(voice, conversations[at] ?? '', 'spoken');
      if (turn.status !== 200) refusals.push(`${turn.status} ${turn.message}`);
      spokenMs.push(turn.wholeMs);
    }),
  );
  clearInterval(sampling);
  const [calmP99, besideP99] = [percentileOf(calm.turns, 0.99), percentileOf(beside.turns, 0.99)];
  const left = await db('turn_attachments').count('* as rows');
  console.log(`${many} voice notes at once`);
  console.log(`  answered                       ${describeTimes(spokenMs)}`);
  console.log(`  without an answer              ${refusals.length} ${[...new Set(refusals)].join('; ')}`);
  console.log(`  most memory of the worker      ${(await askUsage(worker)).mostMb.toFixed(0)} MB`);
  console.log(`  most memory of the web process ${(await askUsage(api)).mostMb.toFixed(0)} MB`);
  console.log(`  Redis, most beyond before      ${((most - before) / many / 1_024).toFixed(1)} KiB for each`);
  console.log(`  recordings left                ${left[0]?.['rows']}`);
  console.log(`  turn of another host, calm     ${describeTimes(calm.turns)}`);
  console.log(
    `  the same beside them           ${describeTimes(beside.turns)}, p99 ${(besideP99 / calmP99).toFixed(2)}, failed ${beside.failed}`,
  );
}

async function redisBytes(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

async function ask({ hostId, token }: Caller, conversationId: string, kind: 'spoken' | 'written') {
  const ids = `"hostId":"${hostId}","conversationId":"${conversationId}"`;
  const written = Buffer.from(`{${ids},"question":"Qual é o horário?"}`);
  const spoken = [Buffer.from(`{${ids},"attachments":`), recording, Buffer.from('}')];
  const askedAt = performance.now();
  const { status, message, data } = await post('svcReasoning', kind === 'spoken' ? spoken : [written], token);
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
  const body = Buffer.from(JSON.stringify({ hostId, hostSlug: slug }));
  const { data } = await post('createConversationId', [body], token);
  return data?.['conversationId'] as string;
}

/** `fetch` would copy each megabyte several times, and take that time from the others. */
async function post(operation: string, body: readonly Buffer[], token: string) {
  const sent = request({
    agent,
    port,
    path: `${PUBLIC}/${operation}`,
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.reduce((sum, { length }) => sum + length, 0),
    },
  });
  for (const piece of body) sent.write(piece);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = JSON.parse(String(Buffer.concat(await response.toArray()))) as Answer;
  return { ...answer, status: response.statusCode };
}

interface Answer {
  readonly message: string;
  readonly data?: Record<string, unknown>;
}

function showLoad(): void {
  console.log(
    `load of the machine: ${loadavg()
      .map(each => each.toFixed(1))
      .join(' ')}`,
  );
}
