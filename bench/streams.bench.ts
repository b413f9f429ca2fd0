import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createParser } from 'eventsource-parser';
import { sayInPieces } from '../test/support/scripted-model.ts';
import { describeTimes } from './percentiles.bench.ts';
import { askHeld, describeHeld } from './process-usage.bench.ts';
import { startServiceOfBench } from './service.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * Answers that are read while they are generated: a hundred at a time, of a model that writes a word every 100 ms. How much later
 * than from the model itself the first word comes, and how long each piece is on its way. Then the same turns without streaming.
 * Then streams that are dropped after their first word: what `web` and the workers keep of them.
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    streams: { type: 'string', default: '400' },
    'at-once': { type: 'string', default: '100' },
    words: { type: 'string', default: '120' },
    dropped: { type: 'string', default: '1000' },
  },
});
const [streams, open, dropped] = [Number(values.streams), Number(values['at-once']), Number(values.dropped)];
const THINKS_MS = 500;
const WORD_EVERY_MS = 100;
const WORDS = Number(values.words);
/** Warm-up streams, which are not measured. */
const WARM_UP = 200;
/** In this time, the queue store drops ended jobs, and idle connections are closed. */
const SETTLE_MS = 10_000;

// All turns are of one host, so each worker needs this many slots.
const service = await startServiceOfBench(values.store, ['96']);
const { hostId, model, api, call } = service;
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

// New processes compile and open connections while the first streams wait.
await readStreams(WARM_UP);
reportStreams(await readStreams(streams));
await readWhole();
await dropStreams();

await service.stop();

interface ReadStreams {
  readonly first: readonly number[];
  readonly onTheWay: readonly number[];
  readonly replaced: number;
}

async function readStreams(count: number): Promise<ReadStreams> {
  const [first, onTheWay]: [number[], number[]] = [[], []];
  let replaced = 0;
  const conversations = await makeConversations(count);
  await atOnce(count, open, async at => {
    // The streams begin one after another, not all at the same moment.
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
  return { first, onTheWay, replaced };
}

function reportStreams({ first, onTheWay, replaced }: ReadStreams): void {
  console.log(`${streams} streams, ${open} at a time, ${values.store}; replaced: ${replaced}`);
  console.log(`  first word, over the model's own   ${describeTimes(first)}`);
  console.log(`  a word, from the model to the client ${describeTimes(onTheWay)}`);
}

async function readWhole(): Promise<void> {
  const conversations = await makeConversations(streams);
  const after: number[] = [];
  await atOnce(streams, open, async at => {
    if (at < open) await delay((at * (THINKS_MS + WORDS * WORD_EVERY_MS)) / open);
    const sentAt = performance.now();
    await call('svcReasoning', { hostId, conversationId: conversations[at], question: `q${at}` });
    // The model answers this request at once.
    after.push(performance.now() - sentAt);
  });
  console.log(`without streaming, a turn of a model that answers at once  ${describeTimes(after)}`);
}

async function dropStreams(): Promise<void> {
  const conversations = await makeConversations(dropped + WARM_UP);
  const drop = async (question: string, conversationId = '') => {
    const client = new AbortController();
    const dropAtFirst = (event: string) => event === 'delta' && client.abort();
    await ask(question, conversationId, dropAtFirst, client.signal).catch(() => undefined);
  };
  // Listeners are counted from here on.
  await readHeld();
  await atOnce(WARM_UP, open, at => drop(`q${at}`, conversations[dropped + at]));
  await delay(SETTLE_MS);
  const before = await readHeld();
  await atOnce(dropped, open, at => drop(`q${at}`, conversations[at]));
  await delay(SETTLE_MS);
  const after = await readHeld();
  console.log(`${dropped} streams dropped`);
  for (const [at, { name, held }] of after.entries()) {
    console.log(`  ${name.padEnd(9)} before  ${before[at]?.held}`);
    console.log(`  ${name.padEnd(9)} after   ${held}`);
  }
}

async function readHeld(): Promise<{ name: string; held: string }[]> {
  const processes = { web: api, 'worker 1': service.workers[0], 'worker 2': service.workers[1] };
  const read = Object.entries(processes).map(async ([name, child]) => ({
    name,
    held: child ? describeHeld(await askHeld(child)) : '',
  }));
  return Promise.all(read);
}

async function makeConversations(count: number): Promise<string[]> {
  const made: string[] = [];
  await atOnce(count, 8, async () => void made.push(await service.newConversation()));
  return made;
}

async function ask(
  question: string,
  conversationId: string,
  onEvent: (event: string, data: { text?: string }) => unknown,
  signal: AbortSignal | null = null,
): Promise<void> {
  const response = await fetch(service.addressOf('svcReasoning'), {
    method: 'POST',
    headers: { ...service.headers, accept: 'text/event-stream' },
    body: JSON.stringify({ hostId, conversationId, question }),
    signal,
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const parser = createParser({ onEvent: ({ event = '', data }) => onEvent(event, JSON.parse(data)) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? [])
    parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
}
