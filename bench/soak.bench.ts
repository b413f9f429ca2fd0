import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { SVC } from '../queues/contract/operations/paths.ts';
import { CRM, deal } from '../test/support/crm.ts';
import { sayInPieces } from '../test/support/scripted-model.ts';
import { tokenFor } from './database.bench.ts';
import { makeTold } from './delivery-parts.bench.ts';
import { describeTimes } from './percentiles.bench.ts';
import { askHeld, describeHeld } from './process-usage.bench.ts';
import { startServiceOfBench } from './service.bench.ts';

/*
 * Steady mixed traffic on one web and two worker processes: turns that are streamed, dropped or read as a whole, records of a
 * CRM, lists, and an event to a receiver for each turn. What the processes and stores hold after a tenth of the time, in the
 * middle and at the end, and how long each kind of call took in the two halves.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '16' },
    store: { type: 'string', default: 'redis' },
  },
});
const rate = Number(values.rate);
const PIECES = ['A secretaria ', 'atende **de segunda a sexta**, ', 'das 8h às 21h.'];
const QUESTIONS = ['Qual é o horário da secretaria?', 'Como faço a rematrícula?', 'Onde fica a biblioteca?'];
/** After this many turns, another conversation takes its place. */
const TURNS_OF_CONVERSATION = 12;
const SETTLE_MS = 10_000;

const service = await startServiceOfBench(values.store);
const { db, hostId, model } = service;
const intakeToken = await tokenFor(db, hostId, 'intake');
const receiver = await makeTold(db, hostId);
model.script(sayInPieces(PIECES, () => delay(50)));
const redis = service.redisUrl === undefined ? undefined : new Redis(service.redisUrl);

let called = 0;
let took = new Map<string, number[]>();
let statuses = new Map<string, number>();
const free: { id: string; turns: number }[] = [];
const kinds: Readonly<Record<string, () => Promise<number>>> = {
  'a turn': () => ask('all'),
  'a record': () => post(`${CRM}/deals`, deal(called), intakeToken),
  'a stream': () => ask('stream'),
  'a list': () => post(`${SVC}/conversationsListHelper`, { hostId, limit: 50 }),
  'a known record': () => post(`${CRM}/deals`, deal(called % 500), intakeToken),
  'a dropped stream': () => ask('first word'),
};

// Listeners are counted from here on.
await readHeld();
await run('warm-up', 0.1);
await show('start');
await run('first half', 0.45);
await show('middle');
await run('second half', 0.45);
await show('end');

redis?.disconnect();
await receiver.receiver.close();
await service.stop();

/** `part`: the share of the total time. */
async function run(name: string, part: number): Promise<void> {
  [took, statuses] = [new Map(), new Map()];
  const endAt = performance.now() + Number(values.minutes) * 60_000 * part;
  const names = Object.keys(kinds);
  const running = new Set<Promise<void>>();
  while (performance.now() < endAt) {
    const call = callOne(names[called % names.length] ?? '').finally(() => running.delete(call));
    running.add(call);
    called += 1;
    // The model keeps each request.
    if (called % 100 === 0) model.requests.length = 0;
    await delay(1_000 / rate);
  }
  await Promise.all(running);
  console.log(`${name}: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`);
  for (const [kind, times] of took) console.log(`  ${kind.padEnd(17)} ${describeTimes(times)}`);
}

async function callOne(kind: string): Promise<void> {
  const startedAt = performance.now();
  const status = await kinds[kind]?.().catch(() => 'no answer');
  const key = `${kind} ${status}`;
  statuses.set(key, (statuses.get(key) ?? 0) + 1);
  took.set(kind, [...(took.get(kind) ?? []), performance.now() - startedAt]);
}

async function ask(reads: 'all' | 'stream' | 'first word'): Promise<number> {
  const conversation = free.shift() ?? { id: await service.newConversation(), turns: 0 };
  const client = new AbortController();
  const response = await fetch(service.addressOf('svcReasoning'), {
    method: 'POST',
    headers: { ...service.headers, accept: reads === 'all' ? 'application/json' : 'text/event-stream' },
    body: JSON.stringify({
      hostId,
      conversationId: conversation.id,
      question: QUESTIONS[called % QUESTIONS.length],
    }),
    signal: client.signal,
  });
  if (reads === 'first word') {
    await response.body?.getReader().read();
    client.abort();
    return response.status;
  }
  await response.text();
  conversation.turns += 1;
  if (conversation.turns < TURNS_OF_CONVERSATION) free.push(conversation);
  return response.status;
}

async function post(path: string, body: object, token?: string): Promise<number> {
  const headers = {
    ...service.headers,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const url = new URL(path, service.addressOf(''));
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.text();
  return response.status;
}

async function readHeld(): Promise<string[]> {
  const processes = [service.api, ...service.workers];
  const held = await Promise.all(processes.map(async child => describeHeld(await askHeld(child))));
  return held.map((each, at) => `${at === 0 ? 'web' : `worker ${at}`}: ${each}`);
}

/** Prints the resources that are still open after the calls have ended. */
async function show(when: string): Promise<void> {
  await delay(SETTLE_MS);
  console.log(`${when}: after ${called} calls`);
  for (const line of await readHeld()) console.log(`  ${line}`);
  const { rows: sizes } = await db.raw<{ rows: { connections: number; megabytes: number }[] }>(
    `select count(*)::int as connections, (pg_database_size(current_database()) / 1048576)::int as megabytes
     from pg_stat_activity where datname = current_database()`,
  );
  console.log(`  PostgreSQL: ${sizes[0]?.connections} connections, ${sizes[0]?.megabytes} MB`);
  const { rows: tables } = await db.raw<{ rows: { name: string; dead: number; live: number }[] }>(
    `select relname as name, n_dead_tup::int as dead, n_live_tup::int as live from pg_stat_user_tables
     where n_dead_tup > 0 order by n_dead_tup desc`,
  );
  const dead = tables.reduce((sum, table) => sum + table.dead, 0);
  const most = tables.slice(0, 5).map(table => `${table.name} ${table.dead} of ${table.dead + table.live}`);
  console.log(`  dead rows: ${dead}; ${most.join(', ')}`);
  const pending = await db('deliveries').whereNot('state', 'delivered').count('* as rows').first();
  console.log(
    `  deliveries that are not delivered: ${pending?.['rows']}; arrived: ${receiver.arrivals.size}`,
  );
  const said = await redis?.info();
  if (!said) return;
  const [, clients] = /connected_clients:(\d+)/.exec(said) ?? [];
  const [, bytes] = /used_memory:(\d+)/.exec(said) ?? [];
  console.log(`  Redis: ${clients} connections, ${(Number(bytes) / 1_048_576).toFixed(1)} MB`);
}
