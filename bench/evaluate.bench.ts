import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { SECRET_KEY, seedDemo, startDatabase } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { forkReady, startRedis, stopFork } from './stores.bench.ts';

/* How long `npm run evaluate` takes for this many cases, with one worker process and a model that answers at once, on Redis and on PostgreSQL. */

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '1000' }, 'at-once': { type: 'string', default: '16' } },
});
const count = Number(values.cases);
const file = join(tmpdir(), `parley-bench-${process.pid}.jsonl`);
const cases = Array.from({ length: count }, (_, at) =>
  JSON.stringify({
    question: `Que horas abre a secretaria no dia ${at}?`,
    expect: { contains: '8h', unsupported: 9 },
  }),
);
await writeFile(file, cases.join('\n'));
const model = await startFixedModel({ answer: 'A secretaria abre às 8h.' });
const database = await startDatabase();
const { hostId } = await seedDemo(database.db);
const { sub_slug: avatar } = await database
  .db('avatars')
  .where({ host_id: hostId })
  .orderBy('created_at')
  .first('sub_slug');
const redis = await startRedis();

for (const redisUrl of [redis.redisUrl ?? '', '']) {
  const worker = await forkReady('http-worker', [redisUrl, database.url, SECRET_KEY, model.baseURL]);
  const startedAt = performance.now();
  const stdout = await evaluate(redisUrl);
  const seconds = (performance.now() - startedAt) / 1_000;
  const store = redisUrl ? 'Redis' : 'PostgreSQL';
  console.log(
    `${store}: ${stdout.trim().split('\n').at(-1)} ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)} a second`,
  );
  await stopFork(worker);
}

await redis.stop();
await database.stop();
model.close();
await rm(file);

async function evaluate(redisUrl: string): Promise<string> {
  const options = ['--host', 'demo', '--avatar', avatar, '--file', file, '--at-once', values['at-once']];
  const program = ['--import', 'tsx', join(import.meta.dirname, '..', 'commands', 'evaluate.ts'), ...options];
  const settings = { DATABASE_URL: database.url, SECRET_KEY };
  const env = redisUrl ? { ...settings, REDIS_URL: redisUrl } : settings;
  const { stdout } = await promisify(execFile)(process.execPath, program, { env, maxBuffer: 64 * 1_048_576 });
  return stdout;
}
