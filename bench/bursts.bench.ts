import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setHost } from '../db/hosts/hosts.ts';
import {
  type AskedBurst,
  askBurst,
  judgeBurst,
  listOpenQuestions,
  planBursts,
} from '../test/faults/bursts.ts';
import { say } from '../test/support/scripted-model.ts';
import { describeTimes } from './percentiles.bench.ts';
import { startServiceOfBench } from './service.bench.ts';
import { atOnce } from './stores.bench.ts';

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

const service = await startServiceOfBench(values.store);
const { db, hostId, model, workers, newConversation } = service;
const requester = { newConversation, ask: askLast };

await runBursts();
await compareSingles();

await service.stop();

async function runBursts(): Promise<void> {
  await setHost(db, 'demo', { bursts: 'last' });
  const sentAt = new Map<string, number>();
  const abortedAfter: number[] = [];
  // The time of a question counts from when the next one of its burst was sent.
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
  // Calls of a killed worker end with it.
  if (values.kill) return;
  console.log(`  model call aborted, after the newer message  ${describeTimes(abortedAfter)}`);
  console.log(`  older call answered, after the newer message ${describeTimes(endedAfter)}`);
}

function noteEnd(onSuperseded: (question: string) => void): typeof askLast {
  return async (conversationId, question) => {
    const reply = await askLast(conversationId, question);
    if (reply.supersededBy !== undefined) onSuperseded(question);
    return reply;
  };
}

/** Kills the older worker each time, and starts a new one. */
async function killWorkers(signal: AbortSignal, onKill: () => void): Promise<void> {
  const everyMs = Number(values['kill-every']) * 1_000;
  while (await delay(everyMs, true, { signal }).catch(() => false)) {
    const killed = workers.shift();
    killed?.kill('SIGKILL');
    onKill();
    workers.push(await service.startWorker());
  }
}

/** Sends each message in a new conversation; the two sides take turns. */
async function compareSingles(): Promise<void> {
  model.script(say('Certo.'));
  const taken = { each: [] as number[], last: [] as number[] };
  for (let at = 0; at < Number(values.singles) + WARM_UP; at += 1) {
    for (const burst of at % 2 === 0 ? (['each', 'last'] as const) : (['last', 'each'] as const)) {
      const conversationId = await newConversation();
      const askedAt = performance.now();
      await ask({ conversationId, question: 'Que horas abre?', reasoningConfig: { burst } });
      if (at >= WARM_UP) taken[burst].push(performance.now() - askedAt);
    }
  }
  console.log(`single messages: each ${describeTimes(taken.each)}; last ${describeTimes(taken.last)}`);
}

async function askLast(conversationId: string, question: string) {
  const { status, data } = await ask({ conversationId, question });
  const { string = '' } = (data?.['assistantResponse'] ?? {}) as { string?: string };
  return { status, string, supersededBy: data?.['supersededBy'] as string | undefined };
}

function ask(body: object) {
  return service.call('svcReasoning', { hostId, ...body });
}
