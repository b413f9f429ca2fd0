import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { insertAvatar } from '../db/avatars.ts';
import { insertDataset, linkDataset } from '../db/datasets.ts';
import { createHost } from '../db/hosts.ts';
import { makeToken } from '../db/token-text.ts';
import { insertToken } from '../db/tokens.ts';
import { withHost } from '../db/with-hosts.ts';
import { startScriptedMcp } from '../test/support/scripted-mcp.ts';
import { startDatabase } from './database.ts';
import { startFixedModel } from './fixed-model.ts';
import { neighbourOf } from './hostile/neighbour.ts';
import { shapes } from './hostile/shapes.ts';
import { makeAttacker, makeCaller } from './hostile/target.ts';
import { type Fork, forkReady, startRedis, stopFork } from './stores.ts';

/*
 * What one tenant can do to another. Each hostile shape is sent by one host while a neighbour makes cheap calls and
 * turns: printed are the neighbour's worst waits and failures, what the attacker was answered, and how much memory the
 * worker and the web process have kept of all of it after a while. It ends with 1 where a limit is passed.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    settle: { type: 'string', default: '60' },
    limit: { type: 'string', default: '250' },
    growth: { type: 'string', default: '50' },
  },
});
const limitMs = Number(values.limit);
const secretKey = randomBytes(32).toString('hex');

const model = await startFixedModel({ answer: 'A secretaria atende de segunda a sexta.' });
const mcp = await startScriptedMcp();
const redis = await startRedis();
const { db, ...database } = await startDatabase({ max: 4 });
const [neighbour, hostile] = [await tenant('neighbour'), await tenant('attacker')];
const parts = [redis.redisUrl ?? '', database.url, secretKey];
const worker = await forkReady('hostile-worker', [...parts, model.baseURL]);
const web = await forkReady('http-api', parts);
const { port } = web.said as { port: number };
const callAsNeighbour = makeCaller(port, neighbour.token);
const attacker = makeAttacker(makeCaller(port, hostile.token), { ...hostile, mcp });

const watched = (work: () => Promise<unknown>) => neighbourOf(work, callAsNeighbour, neighbour.hostId);
await watched(() => delay(5_000));
show('idle', await watched(() => delay(5_000)), '');
const before = { worker: residentMb(worker), web: residentMb(web) };
for (const { name, send } of shapes.filter(shape => shape.name.includes(values.only))) {
  let statuses: string[] = [];
  const waits = await watched(async () => {
    statuses = statusesIn(await send(attacker));
    await delay(300);
  });
  show(name, waits, statuses.join(' '));
}
await delay(Number(values.settle) * 1_000);
for (const [name, child] of [
  ['worker', worker],
  ['web', web],
] as const) {
  const now = residentMb(child);
  const isOver = now - before[name] > Number(values.growth);
  if (isOver) process.exitCode = 1;
  console.log(
    `${name}: ${before[name]} MB before, ${now} MB after ${values.settle} s${isOver ? '  TOO MUCH' : ''}`,
  );
}

await stopFork(web);
await stopFork(worker);
await mcp.close();
model.close();
await redis.stop();
await database.stop();

function show(
  name: string,
  { call, turn, failed }: Awaited<ReturnType<typeof watched>>,
  answered: string,
): void {
  const isOver = call > limitMs || failed > 0;
  if (isOver && name !== 'idle') process.exitCode = 1;
  const memory = `worker ${residentMb(worker)} MB, web ${residentMb(web)} MB`;
  const waits = `call ${call.toFixed(0).padStart(6)} ms  turn ${turn.toFixed(0).padStart(6)} ms  failed ${failed}`;
  console.log(`${name.padEnd(56)} ${waits}  ${memory}  ${answered}${isOver ? '  OVER' : ''}`);
}

/** What the attacker was answered, each status once. */
function statusesIn(replies: unknown): string[] {
  const all = [replies].flat() as ({ status?: number } | undefined)[];
  return [...new Set(all.map(reply => String(reply?.status ?? '')))];
}

function residentMb({ pid }: Fork): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString();
  return Math.round(Number(kilobytes) / 1_024);
}

async function tenant(slug: string) {
  const host = await createHost(db, { slug, name: slug });
  if (!host) throw new Error(`The host ${slug} was not made.`);
  const { text: token, hash } = makeToken();
  const scopes = ['reason', 'manage', 'search'] as const;
  await insertToken(db, { name: slug, hash, scopes: [...scopes], expiresAt: null, hostIds: [host.id] });
  return withHost(db, host.id, async scope => {
    const avatar = await insertAvatar(scope, { subSlug: slug, name: slug });
    const dataset = await insertDataset(scope, { name: slug, type: 'common_rag' });
    await linkDataset(scope, { avatarId: avatar?.id ?? '', datasetId: dataset.id });
    return { hostId: host.id, token, avatarId: avatar?.id ?? '', datasetId: dataset.id };
  });
}
