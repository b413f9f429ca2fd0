import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { insertAvatar } from '../db/assistants/avatars.ts';
import { changeHost, createHost } from '../db/hosts/hosts.ts';
import { makeToken } from '../db/hosts/token-text.ts';
import { insertToken } from '../db/hosts/tokens.ts';
import { insertChunk } from '../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../db/knowledge/datasets.ts';
import { withHost } from '../db/with-hosts.ts';
import { startScriptedMcp } from '../test/support/scripted-mcp.ts';
import { insertIndexedRecord } from '../test/support/searched-records.ts';
import { SECRET_KEY, startDatabase } from './database.bench.ts';
import { askLoad, readHeapMb } from './hostile/child-load.bench.ts';
import { clientShapes } from './hostile/client-shapes.bench.ts';
import { type Waits, waitsBeside } from './hostile/neighbour.bench.ts';
import { makeReportRows } from './hostile/report-rows.bench.ts';
import { shapes } from './hostile/shapes.bench.ts';
import { makeAttacker, makeCaller } from './hostile/target.bench.ts';
import { forkReady, startRedis, stopFork } from './stores.bench.ts';

/*
 * How much one tenant can affect another. One host sends each hostile input while a neighbour, in a separate
 * process, makes cheap calls and turns. Prints the worst delays of the neighbour in the second before and during the
 * input, its failures, the CPU time and event loop delays of worker and web process, the most memory that they had, the answers to the attacker,
 * and finally the memory that both processes keep. Exits with 1 when a limit is exceeded. `--store postgres` has no Redis. With
 * `--profile folder` both write a CPU profile there.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    settle: { type: 'string', default: '60' },
    limit: { type: 'string', default: '250' },
    /** The same limit for a turn, which asks a model and is claimed, stored and answered by a worker. */
    turn: { type: 'string', default: '1000' },
    growth: { type: 'string', default: '50' },
    profile: { type: 'string' },
    store: { type: 'string', default: 'redis' },
  },
});
const [limitMs, turnLimitMs] = [Number(values.limit), Number(values.turn)];

const mcp = await startScriptedMcp();
const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({
  max: 4,
  statementTimeoutMs: 600_000,
  answerWithinMs: 600_000,
});
const [calm, hostile] = [await tenant('neighbour'), await tenant('attacker')];
for (let at = 0; at < 40; at += 1) {
  const content = `palavra ${Array.from({ length: 5_000 }, (_, word) => `p${at}q${word} casa`).join(' ')}`;
  await insertIndexedRecord(db, hostile.hostId, 'tickets', { content: content.slice(0, 65_536) });
}
const learned = await withHost(db, hostile.hostId, async scope => {
  const avatar = await insertAvatar(scope, { sub_slug: 'learned', avatar_name: 'learned' });
  const dataset = await insertDataset(scope, { name: 'learned', type: 'common_rag' });
  await linkDataset(scope, { avatarId: avatar?.avatar_id ?? '', datasetId: dataset.id });
  for (let at = 0; at < 1_200; at += 1) {
    const content = Array.from({ length: 700 }, (_, word) => `p${at}q${word * 37}z`).join(' ');
    await insertChunk(scope, { datasetId: dataset.id, content: content.slice(0, 8_000), tokenCount: 2_000 });
  }
  return { avatarId: avatar?.avatar_id ?? '', datasetId: dataset.id };
});
const parts = [redis?.redisUrl ?? '', database.url, SECRET_KEY];
const profiled = values.profile
  ? [...process.execArgv, '--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  : process.execArgv;
const neighbour = await forkReady('hostile-neighbour', [calm.token, calm.hostId]);
const { baseURL } = neighbour.said as { baseURL: string };
const worker = await forkReady('hostile-worker', [...parts, baseURL], profiled);
const web = await forkReady('hostile-web', parts, profiled);
const { port } = web.said as { port: number };
const attacker = makeAttacker(makeCaller(port, hostile.token), {
  ...hostile,
  learned,
  mcp,
  port,
  rows: makeReportRows(db, hostile.hostId),
  setMask: mask => withHost(db, hostile.hostId, scope => changeHost(scope, { mask })),
});

console.log(
  `load of the machine: ${loadavg()
    .map(each => each.toFixed(1))
    .join(' ')}`,
);
console.log(
  `${'neighbour waits, worst, in ms:'.padEnd(58)} idle call/turn   then call/turn   failed   worker cpu/held   web cpu/held   worker/web MB`,
);
await waitsBeside(neighbour, port, () => delay(5_000));
const before = await heapMb();
for (const { name, send } of [...shapes, ...clientShapes].filter(({ name }) =>
  new RegExp(values.only).test(name),
)) {
  const idle = await waitsBeside(neighbour, port, () => delay(1_000));
  await loads();
  let statuses: string[] = [];
  const waits = await waitsBeside(neighbour, port, async () => {
    statuses = statusesIn(await send(attacker));
    await delay(300);
  });
  show(name, idle, waits, await loads(), statuses);
}
await delay(Number(values.settle) * 1_000);
const after = await heapMb();
for (const name of ['worker', 'web'] as const) {
  const [was, is] = [before[name], after[name]];
  const isOver = is - was > Number(values.growth);
  if (isOver) process.exitCode = 1;
  console.log(
    `${name}: ${was.toFixed(0)} MB in use before, ${is.toFixed(0)} MB after ${values.settle} s${isOver ? '  TOO MUCH' : ''}`,
  );
}
console.log(
  `load of the machine: ${loadavg()
    .map(each => each.toFixed(1))
    .join(' ')}`,
);

await stopFork(neighbour);
await stopFork(web);
await stopFork(worker);
await mcp.close();
await redis?.stop();
await database.stop();

async function heapMb() {
  return { worker: await readHeapMb(worker), web: await readHeapMb(web) };
}

async function loads() {
  return { worker: await askLoad(worker), web: await askLoad(web) };
}

function show(
  name: string,
  idle: Waits,
  { call, turn, failed }: Waits,
  used: Awaited<ReturnType<typeof loads>>,
  statuses: readonly string[],
): void {
  const isOver = call > limitMs || turn > turnLimitMs || failed > 0;
  if (isOver) process.exitCode = 1;
  const pair = (one: number, other: number) => `${one.toFixed(0)}/${other.toFixed(0)}`.padStart(15);
  const spent = [used.worker, used.web].map(({ cpuMs, heldMs }) => pair(cpuMs, heldMs));
  const memory = pair(used.worker.maxMb, used.web.maxMb);
  const figures = [
    pair(idle.call, idle.turn),
    pair(call, turn),
    String(failed).padStart(6),
    ...spent,
    memory,
  ];
  console.log(`${name.padEnd(58)} ${figures.join('  ')}   ${statuses.join(' ')}${isOver ? '  OVER' : ''}`);
}

/** The distinct statuses that the attacker got. */
function statusesIn(replies: unknown): string[] {
  const all = [replies].flat() as ({ status?: number } | undefined)[];
  return [...new Set(all.map(reply => String(reply?.status ?? '')))];
}

async function tenant(slug: string) {
  const host = await createHost(db, { slug, name: slug });
  if (!host) throw new Error(`The host ${slug} was not made.`);
  const scopes = ['reason', 'manage', 'search', 'search:write', 'intake', 'report'] as const;
  const tokens: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    const { text, hash } = makeToken();
    await insertToken(db, {
      name: `${slug} ${at}`,
      hash,
      scopes: [...scopes],
      expiresAt: null,
      hostIds: [host.id],
    });
    tokens.push(text);
  }
  return withHost(db, host.id, async scope => {
    const avatar = await insertAvatar(scope, { sub_slug: slug, avatar_name: slug });
    const dataset = await insertDataset(scope, { name: slug, type: 'common_rag' });
    await linkDataset(scope, { avatarId: avatar?.avatar_id ?? '', datasetId: dataset.id });
    return {
      hostId: host.id,
      token: tokens[0] ?? '',
      tokens,
      avatarId: avatar?.avatar_id ?? '',
      datasetId: dataset.id,
    };
  });
}
