import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setHost } from '../db/hosts.ts';
import {
  type AskedBurst,
  askBurst,
  judgeBurst,
  listOpenQuestions,
  planBursts,
} from '../test/support/bursts.ts';
import { say, startScriptedModel } from '../test/support/scripted-model.ts';
import { seedDemo, startDatabase } from './database.ts';
import { atOnce, type Fork, forkReady, startRedis, stopFork } from './stores.ts';

/*
 * Bursts of one to five messages on one web and two worker processes: how many get exactly one answer that saw all
 * messages, and how soon a superseded call of the model is aborted, and its caller answered, after the newer message was
 * sent. With `--kill`, a worker is killed every few seconds. Then single messages, with bursts on and off.
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    bursts: { type: 'string', default: '1000' },
    lanes: { type: 'string', default: '8' },
    seed: { type: 'string', default: '16' },
    'model-ms': { type: 'string', default: '400' },
    kill: { type: 'boolean', default: false },
    'kill-every': { type: 'string', default: '5' },
    singles: { type: 'string', default: '500' },
  },
});
const [bursts, lanes, modelMs] = [Number(values.bursts), Number(values.lanes), Number(values['model-ms'])];
const WARM_UP = 50;
const MAX_LISTED = 5;

const model = await startScriptedModel();
const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 4 });
const { hostId, token } = await seedDemo(db);
const parts = [redis?.redisUrl ?? '', database.url, randomBytes(32).toString('hex')];
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };
const startWorker = () => forkReady('http-worker', [...parts, model.baseURL]);
const workers: Fork[] = [await startWorker(), await startWorker()];
const requester = {
  newConversation: async () =>
    (await call('createConversationId', { hostId, hostSlug: 'demo' })).data['conversationId'] as string,
  ask: askLast,
};

await runBursts();
await compareSingles();

await stopFork(api);
await Promise.all(workers.map(stopFork));
await redis?.stop();
await database.stop();
await model.close();

async function runBursts(): Promise<void> {
  await setHost(db, 'demo', { bursts: 'last' });
  const sentAt = new Map<string, number>();
  const abortedAfter: number[] = [];
  // Of each question, the time from the next one of its burst.
  const sinceNext = (question: string) =>
    performance.now() -
    (sentAt.get(question.replace(/\d+\?$/, last => `${Number.parseInt(last, 10) + 1}?`)) ?? Number.NaN);
  model.script(
    listOpenQuestions(modelMs, question => {
      const ms = sinceNext(question);
      if (!Number.isNaN(ms)) abortedAfter.push(ms);
    }),
  );
  const plans = planBursts(Number(values.seed), bursts, modelMs * 0.75);
  const endedAfter: number[] = [];
  const timed = { ...requester, ask: noteEnd(question => endedAfter.push(sinceNext(question))) };
  const counts = { one: 0, more: 0, restarts: 0 };
  const faults: string[] = [];
  const over = new AbortController();
  const killing = values.kill ? killWorkers(over.signal, () => (counts.restarts += 1)) : undefined;
  const startedAt = performance.now();
  await atOnce(bursts, lanes, async at => {
    const asked: AskedBurst = await askBurst(timed, `b${at}`, plans[at] ?? [0], question =>
      sentAt.set(question, performance.now()),
    );
    const verdict = await judgeBurst(db, asked);
    faults.push(...verdict.faults);
    counts[verdict.answers === 1 ? 'one' : 'more'] += verdict.answers > 0 ? 1 : 0;
  });
  over.abort();
  await killing;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  const { one, more, restarts } = counts;
  console.log(
    `${bursts} bursts, ${sentAt.size} messages, ${values.store}, ${seconds} s, ${restarts} workers killed`,
  );
  console.log(`  one answer that saw all messages    ${one}`);
  console.log(`  more answers, each message in one   ${more}`);
  console.log(
    `  faults                              ${faults.length} ${faults.slice(0, MAX_LISTED).join('; ')}`,
  );
  // The calls of a killed worker end with it.
  if (values.kill) return;
  console.log(`  model call aborted, after the newer message  ${shares(abortedAfter)}`);
  console.log(`  older call answered, after the newer message ${shares(endedAfter)}`);
}

function noteEnd(onSuperseded: (question: string) => void): typeof askLast {
  return async (conversationId, question) => {
    const reply = await askLast(conversationId, question);
    if (reply.supersededBy !== undefined) onSuperseded(question);
    return reply;
  };
}

/** Kills the older worker each time, and starts another. */
async function killWorkers(signal: AbortSignal, onKill: () => void): Promise<void> {
  const everyMs = Number(values['kill-every']) * 1_000;
  while (await delay(everyMs, true, { signal }).catch(() => false)) {
    const killed = workers.shift();
    killed?.kill('SIGKILL');
    onKill();
    workers.push(await startWorker());
  }
}

/** Each message in a conversation of its own; the two take turns. */
async function compareSingles(): Promise<void> {
  model.script(say('Certo.'));
  const taken = { each: [] as number[], last: [] as number[] };
  for (let at = 0; at < Number(values.singles) + WARM_UP; at += 1) {
    for (const burst of at % 2 === 0 ? (['each', 'last'] as const) : (['last', 'each'] as const)) {
      const conversationId = await requester.newConversation();
      const askedAt = performance.now();
      await ask({ conversationId, question: 'Que horas abre?', reasoningConfig: { burst } });
      if (at >= WARM_UP) taken[burst].push(performance.now() - askedAt);
    }
  }
  console.log(`single messages: each ${shares(taken.each)}; last ${shares(taken.last)}`);
}

function shares(times: readonly number[]): string {
  const sorted = times.filter(ms => !Number.isNaN(ms)).toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms (${sorted.length})`;
}

async function askLast(conversationId: string, question: string) {
  const { status, data } = await ask({ conversationId, question });
  const { string = '' } = (data?.['assistantResponse'] ?? {}) as { string?: string };
  return { status, string, supersededBy: data?.['supersededBy'] as string | undefined };
}

function ask(body: object) {
  return call('svcReasoning', { hostId, ...body });
}

async function call(operation: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}/api/externalAPIs/public/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data = {} } = (await response.json()) as { data?: Record<string, unknown> };
  return { status: response.status, data };
}
