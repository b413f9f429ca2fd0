import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { insertConversation } from '../db/conversations/conversations.ts';
import { withHost } from '../db/with-hosts.ts';
import { SECRET_KEY, seedDemo, startDatabase } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * More turns than can be answered: api and worker in separate processes, with a constant rate of 1, 3 and 5 times
 * the capacity of the worker and the model. Expected: accepted requests are answered in time, others are refused at
 * once, and no model call is wasted.
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    seconds: { type: 'string', default: '20' },
    concurrency: { type: 'string', default: '16' },
    'model-ms': { type: 'string', default: '2000' },
    'timeout-ms': { type: 'string', default: '12000' },
    'at-once': { type: 'string', default: '0' },
  },
});
const [seconds, concurrency] = [Number(values.seconds), Number(values.concurrency)];
const capacity = (concurrency * 1_000) / Number(values['model-ms']);
const LEVELS = [1, 3, 5];

interface RequestResult {
  readonly question: string;
  readonly status: number;
  readonly ms: number;
}

/** The questions of all model calls. */
const begun: string[] = [];
const model = await startFixedModel({
  answer: 'Das 8h às 21h.',
  afterMs: Number(values['model-ms']),
  onRequest: body => begun.push(/Pergunta \w+x\d+/.exec(body)?.[0] ?? ''),
});
const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 4 });
const { hostId, token } = await seedDemo(db);
const parts = [redis?.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', [...parts, model.baseURL, String(concurrency)]);
const api = await forkReady('http-api', [...parts, values['timeout-ms']]);
const { port } = api.said as { port: number };

console.log(`${values.store}: ${capacity} turns a second can be answered, ${values['timeout-ms']} ms each`);
const crowd = Number(values['at-once']);
if (crowd > 0) report('at once', await askAt(crowd, Number.POSITIVE_INFINITY));
else
  for (const level of LEVELS)
    report(`${level} x`, await askAt(Math.round(level * capacity * seconds), level * capacity));

await stopFork(api);
await stopFork(worker);
await redis?.stop();
await database.stop();
model.close();

/** Asks each turn in a new conversation, all concurrently. */
async function askAt(count: number, perSecond: number): Promise<RequestResult[]> {
  const ids = await withHost(db, hostId, async scope => {
    const made: string[] = [];
    for (let at = 0; at < count; at += 1) made.push(await insertConversation(scope));
    return made;
  });
  const startedAt = performance.now();
  const asked = ids.map(async (conversationId, at) => {
    await delay((at * 1_000) / perSecond - (performance.now() - startedAt));
    return ask(conversationId, `Pergunta ${perSecond}x${at}`);
  });
  return Promise.all(asked);
}

async function ask(conversationId: string, question: string): Promise<RequestResult> {
  const askedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/api/externalAPIs/public/svcReasoning`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostId, conversationId, question }),
  });
  await response.arrayBuffer();
  return { question, status: response.status, ms: performance.now() - askedAt };
}

function report(load: string, ended: readonly RequestResult[]): void {
  const of = (status: number) => ended.filter(each => each.status === status);
  const [answered, refused, late] = [of(200), of(503), of(408)];
  const others = ended.length - answered.length - refused.length - late.length;
  const told = new Set(answered.map(({ question }) => question));
  const asked = new Set(ended.map(({ question }) => question));
  const own = begun.filter(question => asked.has(question));
  const inVain = own.filter(question => !told.has(question)).length;
  const loads = loadavg().map(each => each.toFixed(1));
  console.log(`${load}, ${ended.length} asked (load of the machine ${loads.join(' ')})`);
  console.log(`  answered ${answered.length}, p50 ${shareOf(answered, 0.5)}, p99 ${shareOf(answered, 0.99)}`);
  console.log(`  refused  ${refused.length}, p50 ${shareOf(refused, 0.5)}, p99 ${shareOf(refused, 0.99)}`);
  console.log(`  too late ${late.length}, other ${others}; model calls ${own.length}, in vain ${inVain}`);
}

function shareOf(ended: readonly RequestResult[], share: number): string {
  const times = ended.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = times[Math.floor(times.length * share)];
  return at === undefined ? 'none' : `${at.toFixed(0)} ms`;
}
