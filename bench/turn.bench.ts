import { parseArgs } from 'node:util';
import { insertFlow } from '../db/assistants/flows.ts';
import { withHost } from '../db/with-hosts.ts';
import { SECRET_KEY, seedDemo, startDatabase } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * The cost of a turn without the model: `svcReasoning` over HTTP (token, queue, claim, history, retrieval, flow,
 * prompt, commit, envelope), queue on Redis, with a model that answers at once. The model's time, as measured by the
 * turn with its network time, is subtracted. Compared with `createConversationId`, the same path with one insert. */

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '400' }, flow: { type: 'boolean', default: false } },
});
const turns = Number(values.turns);
const questions = [
  'Qual é o horário da secretaria?',
  'Como faço a rematrícula?',
  'Quanto custa a segunda via do boleto?',
  'Onde fica a biblioteca e quantos livros posso pegar?',
  'e aos sábados?',
];

const model = await startFixedModel({
  answer: 'A secretaria atende **de segunda a sexta**, das 8h às 21h.',
});
const redis = await startRedis();
const { db, ...database } = await startDatabase({ max: 2 });
const { hostId, token } = await prepare();

const parts = [redis.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', [...parts, model.baseURL]);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };

for (const inFlight of [1, 8]) {
  const conversations = await Promise.all(Array.from({ length: 40 }, newConversation));
  const ask = (at: number) => turn(conversations[at % conversations.length] ?? '', questions[at % 5] ?? '');
  await atOnce(40, inFlight, async at => void (await ask(at)));
  const ownTimes: number[] = [];
  const modelTimes: number[] = [];
  const beside = await atOnce(turns, inFlight, async () => void (await newConversation()));
  const { p50, p99, perSecond } = await atOnce(turns, inFlight, async at => {
    const { ownMs, modelMs } = await ask(at);
    ownTimes.push(ownMs);
    modelTimes.push(modelMs);
  });
  console.log(`${turns} turns, ${inFlight} at a time, queue on Redis: ${perSecond.toFixed(0)}/s`);
  console.log(`  whole turn             p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`);
  console.log(
    `  the model's calls      p50 ${shareOf(modelTimes, 0.5)} ms  p99 ${shareOf(modelTimes, 0.99)} ms`,
  );
  console.log(`  all but the model      p50 ${shareOf(ownTimes, 0.5)} ms  p99 ${shareOf(ownTimes, 0.99)} ms`);
  console.log(`  one insert instead     p50 ${beside.p50.toFixed(1)} ms  p99 ${beside.p99.toFixed(1)} ms`);
}

await stopFork(api);
await stopFork(worker);
await redis.stop();
await database.stop();
model.close();

async function prepare() {
  const demo = await seedDemo(db);
  if (values.flow) await steer(demo);
  return demo;
}

/** Adds a flow with once-only steps, which makes the most expensive kind of turn. */
async function steer(demo: { hostId: string; avatarId: string }) {
  const step = (type: string, content: string) => ({ type, content, description: '', canRepeat: false });
  const steps = [
    step('message', 'Olá!'),
    step('notification-conversation', 'Seja breve.'),
    step('handoff', 'A pessoa reclama'),
  ];
  const flow = { avatarId: demo.avatarId, decisionName: 'Bench', chainJson: steps, savedBy: null };
  await withHost(db, demo.hostId, scope => insertFlow(scope, flow));
}

async function turn(conversationId: string, question: string) {
  const askedAt = performance.now();
  const data = await call('svcReasoning', { hostId, conversationId, question });
  const wholeMs = performance.now() - askedAt;
  const calls = data.restStatus as { durationMs: number }[];
  const modelMs = calls.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return { modelMs, ownMs: wholeMs - modelMs };
}

async function newConversation(): Promise<string> {
  return (await call('createConversationId', { hostId, hostSlug: 'demo' })).conversationId as string;
}

async function call(operation: string, body: object): Promise<Record<string, unknown>> {
  const { data } = await post(`/api/externalAPIs/public/${operation}`, body, token);
  return data as Record<string, unknown>;
}

async function post(path: string, body: object, bearer: string): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

function shareOf(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
}
