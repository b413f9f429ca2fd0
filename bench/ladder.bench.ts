import { parseArgs } from 'node:util';
import { insertAvatar } from '../db/assistants/avatars.ts';
import { withHost } from '../db/with-hosts.ts';
import { SVC } from '../queues/contract/operations/paths.ts';
import { CRM, deal } from '../test/support/crm.ts';
import { SECRET_KEY, seedDemo, startDatabase, tokenFor } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { askUsage } from './process-usage.bench.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * Where the cost of a turn goes: the processor time of each process, and the round trips to PostgreSQL, for requests that do
 * more and more of what a turn does, down to the whole one. The queue is on Redis, the model answers at once, there is no
 * indexer. What the processes do in the background meanwhile is counted, too.
 */

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '400' }, 'in-flight': { type: 'string', default: '8' } },
});
const requests = Number(values.requests);
const inFlight = Number(values['in-flight']);
const questions = [
  'Qual é o horário da secretaria?',
  'Como faço a rematrícula?',
  'Quanto custa a segunda via do boleto?',
  'Onde fica a biblioteca e quantos livros posso pegar?',
  'e aos sábados?',
];
const MESSAGES = 4;

const model = await startFixedModel({
  answer: 'A secretaria atende **de segunda a sexta**, das 8h às 21h.',
});
const redis = await startRedis();
const { db, ...database } = await startDatabase({ max: 2 });
const { hostId, avatarId, token } = await seedDemo(db);
await withHost(db, hostId, scope => insertAvatar(scope, { sub_slug: 'empty', avatar_name: 'Empty' }));
const intakeToken = await tokenFor(db, hostId, 'intake');
const manageToken = await tokenFor(db, hostId, 'manage');
const [dataset] = await db('datasets').where({ host_id: hostId }).select('id');
const parts = [redis.redisUrl ?? '', database.url, SECRET_KEY];
const worker = await forkReady('http-worker', [...parts, model.baseURL]);
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };

const conversations = await openConversations();
const attended = await openConversations();
for (const conversationId of attended) {
  await call('updateConversationHelper', { conversationId, ask_human_help: true });
  await call('appendMessageHelper', { conversationId, author: 'human', content: 'Bom dia!' });
}

const rungs: Record<string, (at: number) => Promise<unknown>> = {
  'HTTP alone (/health/live)': () => get('/health/live'),
  'the journey (modelListHelper)': () => call('modelListHelper', { hostId }, manageToken),
  'the journey and an insert (createConversationId)': newConversation,
  'the journey and a list (conversationsListHelper)': () => call('conversationsListHelper', { hostId }),
  'the journey and retrieval (chunkReadHelper)': at =>
    call(
      'chunkReadHelper',
      { hostId, avatar_id: avatarId, dataset_ids: [dataset.id], question: questions[at % 5] },
      manageToken,
    ),
  'a record (deals)': at => post(`${CRM}/deals`, deal(at), intakeToken),
  'a turn without knowledge': at => turn(conversations, at, { subSlug: 'empty' }),
  'a rehearsal': at => turn(conversations, at, { reasoningConfig: { rehearsal: true } }),
  'a silent turn': at => turn(attended, at),
  'a whole turn': at => turn(conversations, at),
};

console.log(
  `${requests} requests each, ${inFlight} at a time: processor time in ms, round trips in brackets`,
);
console.log(`${''.padEnd(50)}   all     web        worker     PostgreSQL  Redis   a second`);
for (const [name, request] of Object.entries(rungs)) {
  await atOnce(80, inFlight, async at => void (await request(at)));
  const before = await measureUsage();
  const { perSecond } = await atOnce(requests, inFlight, async at => void (await request(80 + at)));
  const after = await measureUsage();
  const each = (process: keyof typeof after, key: 'processorMs' | 'roundTrips') =>
    (after[process][key] - before[process][key]) / requests;
  const ms = (process: keyof typeof after) => each(process, 'processorMs').toFixed(2).padStart(5);
  const trips = (process: keyof typeof after) => `(${each(process, 'roundTrips').toFixed(1)})`.padEnd(6);
  const all = (Object.keys(after) as (keyof typeof after)[]).reduce(
    (sum, key) => sum + each(key, 'processorMs'),
    0,
  );
  console.log(
    `${name.padEnd(50)} ${all.toFixed(2).padStart(5)}   ${ms('web')} ${trips('web')} ${ms('worker')} ${trips('worker')} ` +
      `${ms('postgres')}       ${ms('redis')}   ${perSecond.toFixed(0)}`,
  );
}

await stopFork(api);
await stopFork(worker);
await redis.stop();
await database.stop();
model.close();

/** Opens conversations, each with a dialogue of eight messages. */
async function openConversations(): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: 40 }, newConversation));
  for (const id of ids) for (let at = 0; at < MESSAGES; at += 1) await turn([id], at);
  return ids;
}

async function measureUsage() {
  const notMeasured = { roundTrips: 0 };
  return {
    web: await askUsage(api),
    worker: await askUsage(worker),
    postgres: { processorMs: await database.processorMs(), ...notMeasured },
    redis: { processorMs: (await redis.processorMs?.()) ?? 0, ...notMeasured },
  };
}

function turn(of: readonly string[], at: number, more: object = {}): Promise<Record<string, unknown>> {
  const conversationId = of[at % of.length] ?? '';
  return call('svcReasoning', { hostId, conversationId, question: questions[at % 5], ...more });
}

async function newConversation(): Promise<string> {
  return (await call('createConversationId', { hostId, hostSlug: 'demo' })).conversationId as string;
}

async function call(operation: string, body: object, bearer = token): Promise<Record<string, unknown>> {
  const root = operation === 'svcReasoning' || operation === 'createConversationId';
  const path = root ? `/api/externalAPIs/public/${operation}` : `${SVC}/${operation}`;
  return (await post(path, body, bearer)).data as Record<string, unknown>;
}

async function post(path: string, body: object, bearer: string): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function get(path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}
