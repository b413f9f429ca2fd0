import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createParser } from 'eventsource-parser';
import { sayInPieces, startScriptedModel } from '../test/support/scripted-model.ts';
import { seedDemo, startDatabase } from './database.ts';
import { atOnce, forkReady, startRedis, stopFork } from './stores.ts';

/*
 * Answers that are read while they are generated: a hundred at a time, of a model that writes a word every 100 ms. How much later
 * than from the model itself the first word comes, and how long each piece is on its way. Then the same turns without streaming.
 * Then streams that are dropped after their first word: what `web` keeps of them.
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    streams: { type: 'string', default: '400' },
    'at-once': { type: 'string', default: '100' },
    dropped: { type: 'string', default: '1000' },
  },
});
const [streams, open, dropped] = [Number(values.streams), Number(values['at-once']), Number(values.dropped)];
const THINKS_MS = 500;
const WORD_EVERY_MS = 100;
const WORDS = 40;

const model = await startScriptedModel();
const redis = values.store === 'redis' ? await startRedis() : undefined;
const { db, ...database } = await startDatabase({ max: 4 });
const { hostId, token } = await seedDemo(db);
const parts = [redis?.redisUrl ?? '', database.url, randomBytes(32).toString('hex')];
const api = await forkReady('http-api', parts);
const { port } = api.said as { port: number };
const addressOf = (operation: string) => `http://127.0.0.1:${port}/api/externalAPIs/public/${operation}`;
const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
// So many turns of one host: two thirds of the slots of the workers.
const workers = [
  await forkReady('http-worker', [...parts, model.baseURL, '96']),
  await forkReady('http-worker', [...parts, model.baseURL, '96']),
];
/** When the model wrote each word of each answer. */
const written = new Map<string, number[]>();
model.script((request, response) => {
  const [name = ''] = /q\d+/.exec(request.messages.at(-1)?.content ?? '') ?? [];
  const times: number[] = [];
  written.set(name, times);
  const words = Array.from({ length: WORDS }, (_, at) => `palavra${at} `);
  return sayInPieces(words, async at => {
    await delay(at === 0 ? THINKS_MS : WORD_EVERY_MS);
    times.push(performance.now());
  })(request, response);
});

await readStreams();
await readWhole();
await dropStreams();

await stopFork(api);
await Promise.all(workers.map(stopFork));
await redis?.stop();
await database.stop();
await model.close();

async function readStreams(): Promise<void> {
  const [first, onTheWay]: [number[], number[]] = [[], []];
  let replaced = 0;
  const conversations = await makeConversations(streams);
  await atOnce(streams, open, async at => {
    // The streams begin one after the other, not all at the same moment.
    if (at < open) await delay((at * (THINKS_MS + WORDS * WORD_EVERY_MS)) / open);
    const sentAt = performance.now();
    let words = 0;
    await ask(`q${at}`, conversations[at] ?? '', (event, data) => {
      if (event === 'replace') replaced += 1;
      if (event !== 'delta') return;
      const now = performance.now();
      if (words === 0) first.push(now - sentAt - THINKS_MS);
      words += data.text?.match(/palavra/g)?.length ?? 0;
      onTheWay.push(now - (written.get(`q${at}`)?.[words - 1] ?? Number.NaN));
    });
  });
  console.log(`${streams} streams, ${open} at a time, ${values.store}; replaced: ${replaced}`);
  console.log(`  first word, over the model's own   ${shares(first)}`);
  console.log(`  a word, from the model to the client ${shares(onTheWay)}`);
}

async function readWhole(): Promise<void> {
  const conversations = await makeConversations(streams);
  const after: number[] = [];
  await atOnce(streams, open, async at => {
    if (at < open) await delay((at * (THINKS_MS + WORDS * WORD_EVERY_MS)) / open);
    const sentAt = performance.now();
    await call('svcReasoning', { hostId, conversationId: conversations[at], question: `q${at}` });
    // The model answers such a request at once.
    after.push(performance.now() - sentAt);
  });
  console.log(`without streaming, a turn of a model that answers at once  ${shares(after)}`);
}

async function dropStreams(): Promise<void> {
  const conversations = await makeConversations(dropped);
  const before = await memoryOf(api.pid);
  await atOnce(dropped, open, async at => {
    const client = new AbortController();
    const dropAtFirst = (event: string) => event === 'delta' && client.abort();
    await ask(`q${at}`, conversations[at] ?? '', dropAtFirst, client.signal).catch(() => undefined);
  });
  await delay(2_000);
  const { connections, megabytes } = await memoryOf(api.pid);
  console.log(
    `${dropped} streams dropped: web holds ${connections} descriptors (${before.connections} before), ` +
      `${megabytes} MB (${before.megabytes} before)`,
  );
}

/** Open descriptors and resident memory of a process; on Linux only. */
async function memoryOf(pid: number | undefined): Promise<{ connections: number; megabytes: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return { connections: descriptors.length, megabytes: Math.round(kilobytes / 1_024) };
}

async function makeConversations(count: number): Promise<string[]> {
  const made: string[] = [];
  await atOnce(count, 8, async () => {
    const { data } = await call('createConversationId', { hostId, hostSlug: 'demo' });
    made.push(data['conversationId'] as string);
  });
  return made;
}

async function ask(
  question: string,
  conversationId: string,
  onEvent: (event: string, data: { text?: string }) => unknown,
  signal: AbortSignal | null = null,
): Promise<void> {
  const response = await fetch(addressOf('svcReasoning'), {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ hostId, conversationId, question }),
    signal,
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const parser = createParser({ onEvent: ({ event = '', data }) => onEvent(event, JSON.parse(data)) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? [])
    parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
}

async function call(operation: string, body: object) {
  const response = await fetch(addressOf(operation), { method: 'POST', headers, body: JSON.stringify(body) });
  const { data = {} } = (await response.json()) as { data?: Record<string, unknown> };
  return { status: response.status, data };
}

function shares(times: readonly number[]): string {
  const sorted = times.filter(ms => !Number.isNaN(ms)).toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms (${sorted.length})`;
}
