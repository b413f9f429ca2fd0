import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seedDemo, startDatabase } from './database.bench.ts';
import { startDeployedProxy } from './deployed-proxy.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { makeProcessStarter, type StartedProcess } from './processes.bench.ts';
import { startRetryingProxy } from './retrying-proxy.bench.ts';
import { startRedis } from './stores.bench.ts';

/*
 * Turns through a proxy, on two web and two worker processes, of which one worker and then one web process is stopped by SIGTERM and
 * restarted at an interval. Prints the number of answers that were not 200, and the number of answered turns that are not stored
 * exactly once. `own` is a proxy that tries every failed request again, with an Idempotency-Key; `nginx` and `caddy` are these, if
 * they are installed, with the files of docs/deploy, and no request has a key: only what never reached a process is tried again.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    every: { type: 'string', default: '20' },
    lanes: { type: 'string', default: '8' },
    proxy: { type: 'string', default: 'own' },
  },
});
const [seconds = 120, everySeconds = 20, lanes = 8] = [values.seconds, values.every, values.lanes].map(
  Number,
);
const model = await startFixedModel({ answer: 'Às 8h.', afterMs: 50 });
const redis = await startRedis();
const { db, ...database } = await startDatabase({ max: 4 });
const { hostId, token } = await seedDemo(db);

const start = makeProcessStarter({
  databaseUrl: database.url,
  redisUrl: redis.redisUrl,
  openaiBaseUrl: model.baseURL,
});
const workers = await Promise.all([start('workers'), start('workers')]);
const webs = await Promise.all([start('api'), start('api')]);
// A restarted process takes the port of the one before, as the files of the proxies name it.
const ports = webs.map(({ port }) => port);
const own =
  values.proxy === 'own'
    ? await startRetryingProxy(() => webs.map(({ port }) => `http://127.0.0.1:${port}`))
    : undefined;
const proxy = own ?? (await startDeployedProxy(values.proxy === 'nginx' ? 'nginx' : 'caddy', ports));
const endAt = Date.now() + seconds * 1_000;
const statuses = new Map<number, number>();
let restarts = 0;
const running = Array.from({ length: lanes }, lane);
while (Date.now() + everySeconds * 1_000 < endAt) {
  await delay(everySeconds * 1_000);
  await restart(workers, 'workers', restarts);
  await restart(webs, 'api', restarts);
  restarts += 1;
}
const answered = (await Promise.all(running)).reduce((sum, count) => sum + count, 0);
const [stored] = await db('messages').where({ author: 'assistant' }).count<{ count: string }[]>('*');
const asked = [...statuses.values()].reduce((sum, count) => sum + count, 0);
const refused = [...statuses].reduce((sum, [status, count]) => sum + (status === 200 ? 0 : count), 0);
console.log(`${asked} turns in ${seconds} s; a worker and a web process restarted ${restarts} times each`);
const others = [...statuses]
  .filter(([status]) => status !== 200)
  .map(([status, count]) => `, ${count} × ${status}`);
console.log(
  `  not answered with 200     ${refused} (${((100 * refused) / asked).toFixed(3)} %)${others.join('')}`,
);
console.log(`  answered / stored         ${answered} / ${stored?.count}`);
if (own) console.log(`  tries at another process  ${own.retried()}`);

for (const { child } of [...workers, ...webs]) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
await proxy.close();
await redis.stop();
await database.stop();
model.close();

async function lane(_: unknown, name: number): Promise<number> {
  const { body } = await call('createConversationId', { hostId, hostSlug: 'demo' }, `c${name}`);
  const { conversationId } = body.data;
  let good = 0;
  for (let at = 0; Date.now() < endAt; at += 1) {
    const { status } = await call(
      'svcReasoning',
      { hostId, conversationId, question: `${at}?` },
      `${name}-${at}`,
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200) good += 1;
  }
  return good;
}

async function call(operation: string, body: object, key: string) {
  const response = await fetch(`${proxy.baseURL}/api/externalAPIs/public/${operation}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(own ? { 'idempotency-key': key } : {}),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text.startsWith('{') ? JSON.parse(text) : {}) as { data: { conversationId: string } },
  };
}

async function restart(all: StartedProcess[], folderName: 'api' | 'workers', round: number): Promise<void> {
  const at = round % all.length;
  const child = all[at]?.child;
  const ended = child && once(child, 'exit');
  child?.kill('SIGTERM');
  await ended;
  const port = folderName === 'api' ? ports[at] : undefined;
  all[at] = await start(folderName, 'bench', port);
}
