import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seedDemo, startDatabase } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { makeProcessStarter, type StartedProcess } from './processes.bench.ts';
import { startRedis } from './stores.bench.ts';

/*
 * Measures what a turn costs its client whose worker process is killed or stands still during the model call, beside an undisturbed
 * turn: with a worker in reserve, with the only worker restarted, with two workers killed one after the other, and with a worker
 * that stands still for three seconds. Of the cost, how long a new process takes to be ready, and how long after a kill the
 * model is asked again: the lock of the job has to end, and a worker has to see it.
 */

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, store: { type: 'string', default: 'redis' } },
});
const MODEL_MS = 1_500;
const STANDS_STILL_MS = 3_000;
let onModelCall = (_worker: string) => {};
let modelCalls = 0;
const readyMs: number[] = [];
const askedAgainMs: number[] = [];
const model = await startFixedModel({
  answer: 'Às 8h.',
  afterMs: MODEL_MS,
  onRequest(_body, key) {
    modelCalls += 1;
    onModelCall(key);
  },
});
const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 4 });
const { hostId, token } = await seedDemo(db);
const start = makeProcessStarter({
  databaseUrl: database.url,
  redisUrl: redis?.redisUrl,
  openaiBaseUrl: model.baseURL,
});
const web = await start('api');
const workers = new Map<string, StartedProcess>();
let started = 0;
await startWorker();
console.log(`${values.store}: a turn whose model takes ${MODEL_MS} ms`);

const plain = await measure('undisturbed', async () => {});
const replace = async (worker: string, isNextToo = false) => {
  const killedAt = performance.now();
  const note = (times: number[]) => void times.push(performance.now() - killedAt);
  await kill(worker);
  const askedAgain = nextCall();
  const ready = startWorker().then(() => note(readyMs));
  const next = await askedAgain;
  note(askedAgainMs);
  if (isNextToo) await replace(next);
  await ready;
};
await measure('only worker killed and restarted', worker => replace(worker), plain);
await startWorker();
await measure('worker killed, one in reserve', worker => replace(worker), plain);
await measure('the same, and the next worker too', worker => replace(worker, true), plain);
await measure(
  'worker stands still for 3 s',
  async worker => {
    const child = workers.get(worker)?.child;
    child?.kill('SIGSTOP');
    await delay(STANDS_STILL_MS);
    child?.kill('SIGCONT');
  },
  plain,
);

for (const worker of workers.keys()) await kill(worker);
await stop(web);
await redis?.stop();
await database.stop();
model.close();

/** Disturbs each turn when its model call has begun; `plain`: the median of undisturbed turns. */
async function measure(
  name: string,
  disturb: (worker: string) => Promise<unknown>,
  plain = 0,
): Promise<number> {
  const times: number[] = [];
  askedAgainMs.length = 0;
  readyMs.length = 0;
  const callsBefore = modelCalls;
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const called = nextCall();
    const startedAt = performance.now();
    const answered = ask().then(status => ({ status, ms: performance.now() - startedAt }));
    const disturbed = disturb(await called);
    const { status, ms } = await answered;
    // Nobody would ask the model again.
    if (status !== 200) throw new Error(`${name}: ${status}`);
    await disturbed;
    times.push(ms - plain);
  }
  const [median, max] = [medianOf(times), Math.max(...times)];
  const calls = ((modelCalls - callsBefore) / times.length).toFixed(1);
  const cost = plain === 0 ? '' : ' more';
  console.log(
    `  ${name.padEnd(34)} median ${seconds(median)}${cost}, longest ${seconds(max)}; ${calls} model calls a turn`,
  );
  if (readyMs.length > 0)
    console.log(
      `    after a kill: new process ready ${seconds(medianOf(readyMs))}, model asked again ${seconds(medianOf(askedAgainMs))}`,
    );
  return median;
}

/** The name of the worker that asks the model next. */
function nextCall(): Promise<string> {
  return new Promise(resolve => (onModelCall = resolve));
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

async function ask(): Promise<number> {
  const { data } = await call('createConversationId', { hostId, hostSlug: 'demo' });
  const { conversationId } = data as { conversationId: string };
  return (await call('svcReasoning', { hostId, conversationId, question: 'Quando?' })).status;
}

async function call(operation: string, body: object): Promise<{ status: number; data: unknown }> {
  const response = await fetch(`http://127.0.0.1:${web.port}/api/externalAPIs/public/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: unknown };
  return { status: response.status, data };
}

async function startWorker(): Promise<void> {
  started += 1;
  const name = `worker${started}`;
  workers.set(name, await start('workers', name));
}

async function kill(name: string): Promise<void> {
  const worker = workers.get(name);
  workers.delete(name);
  if (worker) await stop(worker);
}

async function stop({ child }: StartedProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
