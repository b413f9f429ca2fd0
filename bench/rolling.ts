import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '../db/connection.ts';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { seed } from '../db/seed.ts';
import { makeToken } from '../db/token-text.ts';
import { insertToken } from '../db/tokens.ts';
import { startRetryingProxy } from './retrying-proxy.ts';
import { makeFolder, startRedis } from './stores.ts';

/*
 * Turns under an Idempotency-Key through a retrying proxy, on two web and two worker processes, of which one worker and
 * then one web process is ended by SIGTERM and started again every so many seconds. Printed is how many of the answers
 * were 5xx, and how many answered turns are not in the database exactly once.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    every: { type: 'string', default: '20' },
    lanes: { type: 'string', default: '8' },
  },
});
const [seconds = 120, everySeconds = 20, lanes = 8] = [values.seconds, values.every, values.lanes].map(
  Number,
);
const secretKey = randomBytes(32).toString('hex');
const own = fileURLToPath(import.meta.url);
const model = createServer((request, response) => {
  const message = { role: 'assistant', content: 'Às 8h.' };
  const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const body = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices,
    usage,
  });
  request
    .resume()
    .once('end', () =>
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), 50),
    );
}).listen(0, '127.0.0.1');
await once(model, 'listening');
const redis = await startRedis();
const folder = await makeFolder();
const server = await startEmbedded(folder.path);
const databaseUrl = await ensureDatabase(server.url, 'bench');
const db = connect(databaseUrl, { max: 4 });
await migrate(db);
const [demo] = await seed(db);
const hostId = demo?.hostId ?? '';
const { text: token, hash } = makeToken();
await insertToken(db, { name: 'bench', hash, scopes: ['reason'], expiresAt: null, hostIds: [hostId] });

const workers = await Promise.all([startProcess('workers'), startProcess('workers')]);
const webs = await Promise.all([startProcess('api'), startProcess('api')]);
const proxy = await startRetryingProxy(() => webs.map(({ port }) => `http://127.0.0.1:${port}`));
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
const refused = [...statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0);
console.log(`${asked} turns in ${seconds} s; a worker and a web process restarted ${restarts} times each`);
console.log(`  5xx that a client saw     ${refused} (${((100 * refused) / asked).toFixed(3)} %)`);
console.log(`  answered / stored         ${answered} / ${stored?.count}`);
console.log(`  tries at another process  ${proxy.retried()}`);

for (const { child } of [...workers, ...webs]) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
await proxy.close();
await db.destroy();
await redis.stop();
await server.stop();
await folder.remove();
model.close();
model.closeAllConnections();

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
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text ? JSON.parse(text) : {}) as { data: { conversationId: string } },
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

async function restart(all: Started[], folderName: 'api' | 'workers', round: number): Promise<void> {
  const at = round % all.length;
  const child = all[at]?.child;
  const ended = child && once(child, 'exit');
  child?.kill('SIGTERM');
  await ended;
  all[at] = await startProcess(folderName);
}

async function startProcess(folderName: 'api' | 'workers'): Promise<Started> {
  const { port } = model.address() as AddressInfo;
  const env = {
    APP_ENV: 'production',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.redisUrl,
    SECRET_KEY: secretKey,
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: 'bench',
    OPENAI_MODEL: 'bench',
    RATE_LIMIT_PER_MINUTE: '0',
  };
  const main = join(own, '..', '..', folderName, `main${extname(own)}`);
  const child = spawn(process.execPath, [...process.execArgv, main], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (!/is listening|are at work/.test(line)) continue;
    child.stdout?.resume();
    return { child, port: (JSON.parse(line) as { port?: number }).port ?? 0 };
  }
  throw new Error(`a process of ${folderName} ended before it was ready`);
}
