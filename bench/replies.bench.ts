import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import type { QueueName } from '../queues/contract/queues.ts';
import { openSide, type Part, parts, type Side, type SideName } from './replies-sides.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * Replies through job completion: our dispatcher and consumer compared with BullMQ's `waitUntilFinished` with its
 * defaults, with asking and answering side in two processes. The two take turns, round by round; each ratio is of one
 * round. The processor time is of both processes and of the store, for each reply; the use is its part of all cores. `catalog`
 * is first come, first served, as the peer's queue is; `turns` is in fair order, and one host never holds all of its slots.
 */

interface Load {
  readonly inFlight: number;
  readonly bytes: number;
  /** The number of replies in one round. */
  readonly count: number;
}

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly lost: number;
  /** The used part of all cores. */
  readonly use: number;
  /** Microseconds of processor time for each reply. */
  readonly micros: Record<Part | 'all', number>;
}

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    /** The number of 1 KB replies in the round with the most in flight. */
    count: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    /** Runs a single load, as `128x1` (in flight, KB). */
    load: { type: 'string' },
    queues: { type: 'string', default: 'catalog,turns' },
    memory: { type: 'boolean', default: false },
    /** Runs ours without the peer, which waits 20 s for each reply that it loses on PostgreSQL. */
    alone: { type: 'boolean', default: false },
  },
});
const isRedis = values.store === 'redis';
const count = Number(values.count ?? (isRedis ? 5_000 : 2_000));
/** Each side gives this many replies before the first round: the first thousands run unoptimized. */
const WARM_UP = 1_500;
const rounds = Number(values.rounds);
const key = randomBytes(32).toString('hex');

const [kb, most] = [1_024, isRedis ? 128 : 32];
const loads: Load[] = [1, 50].flatMap(size =>
  [1, 16, most].map(inFlight => ({
    inFlight,
    bytes: size * kb,
    count: Math.ceil((count * (inFlight === 1 ? 0.1 : 1)) / (size === 1 ? 1 : 5)),
  })),
);

const wanted = loads.filter(
  ({ inFlight, bytes }) => !values.load || values.load === `${inFlight}x${bytes / kb}`,
);
if (values.memory) await compareMemory();
else
  for (const queue of values.queues.split(',') as QueueName[])
    for (const load of wanted) await (values.alone ? askAlone : compare)(load, queue);

async function askAlone(load: Load, queue: QueueName): Promise<void> {
  const side = await openSide('ours', { isRedis, key, queue });
  const { perSecond, lost, p50, p99 } = await measure(side, load);
  await side.close();
  console.log(
    `${values.store}, ${queue}, ${load.inFlight} in flight, ${load.bytes / kb} KB: ${perSecond.toFixed(0)} a second, lost ${lost} of ${load.count}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  );
}

async function compare(load: Load, queue: QueueName): Promise<void> {
  const options = { isRedis, key, queue };
  const sides = { peer: await openSide('peer', options), ours: await openSide('ours', options) };
  const measured: Record<SideName, Round[]> = { peer: [], ours: [] };
  for (const side of [sides.peer, sides.ours])
    await measure(side, { ...load, count: Math.min(load.count, WARM_UP) });
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['peer', 'ours'] as const) : (['ours', 'peer'] as const);
    for (const name of order) measured[name].push(await measure(sides[name], load));
  }
  for (const side of [sides.peer, sides.ours]) await side.close();
  print(load, queue, measured);
}

async function measure(side: Side, { inFlight, bytes, count: asked }: Load): Promise<Round> {
  const text = makeText(bytes);
  const before = await side.processorMs();
  let lost = 0;
  const figures = await atOnce(asked, inFlight, async n => {
    if (!(await side.ask({ n, text: `${n} ${text}` }))) lost += 1;
  });
  const after = await side.processorMs();
  const used = parts.map(part => [part, ((after[part] - before[part]) * 1_000) / asked] as const);
  const all = used.reduce((sum, [, micros]) => sum + micros, 0);
  const use = (all * figures.perSecond) / 1e6 / availableParallelism();
  return { ...figures, lost, use, micros: { ...(Object.fromEntries(used) as Record<Part, number>), all } };
}

function print(
  { inFlight, bytes, count: asked }: Load,
  queue: QueueName,
  measured: Record<SideName, Round[]>,
): void {
  const size = `${bytes / kb} KB`;
  console.log(
    `${values.store}, ${queue}, ${inFlight} in flight, ${size}, ${rounds} rounds of ${asked} replies`,
  );
  for (const name of ['peer', 'ours'] as const) {
    const of = (pick: (round: Round) => number, digits = 0) => spreadOf(measured[name].map(pick), digits);
    const micros = parts.map(part => `${part} ${of(({ micros }) => micros[part])}`);
    const lost = measured[name].reduce((sum, round) => sum + round.lost, 0);
    console.log(`  ${name === 'peer' ? 'waitUntilFinished' : 'parley'}`);
    const use = of(({ use }) => use * 100);
    console.log(`    ${of(({ perSecond }) => perSecond)} a second, lost ${lost}; ${use} % of the cores used`);
    console.log(`    p50 ${of(({ p50 }) => p50, 1)} ms, p99 ${of(({ p99 }) => p99, 1)} ms`);
    console.log(`    processor µs ${of(({ micros }) => micros.all)}: ${micros.join(', ')}`);
  }
  const ratio = (pick: (round: Round) => number) =>
    spreadOf(
      measured.ours.map((round, at) => pick(round) / pick(measured.peer[at] as Round)),
      2,
    );
  console.log(
    `  ratio: replies a second ${ratio(({ perSecond }) => perSecond)} x, p99 ${ratio(({ p99 }) => p99)} x, ` +
      `processor time ${ratio(({ micros }) => micros.all)} x`,
  );
}

/** Median, and in brackets least and most. */
function spreadOf(figures: readonly number[], digits: number): string {
  const sorted = figures.toSorted((a, b) => a - b);
  const [least, median, greatest] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map(at =>
    (sorted[at] ?? Number.NaN).toFixed(digits),
  );
  return `${median} (${least} to ${greatest})`;
}

/** Text that compresses about as well as messages do. */
function makeText(bytes: number): string {
  const sentence = () =>
    `A matrícula ${randomBytes(3).toString('hex')} vence no dia ${Math.random().toFixed(3)}. `;
  return Array.from({ length: Math.ceil(bytes / 40) }, sentence)
    .join('')
    .slice(0, bytes);
}

/** Growth of Redis by 4,000 replies of 50 KB of text, at once and after the retention of finished jobs. */
async function compareMemory(): Promise<void> {
  const text = makeText(50_000);
  const grown: number[][] = [];
  for (const name of ['peer', 'ours'] as const) {
    const side = await openSide(name, { isRedis: true, key, queue: 'turns' });
    const redis = new Redis(side.store.redisUrl ?? '');
    const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) / 1_048_576;
    const before = await used();
    await atOnce(4_000, 32, async n => void (await side.ask({ n, text: `${n} ${text}` })));
    const atOnceMb = (await used()) - before;
    await new Promise(resolve => setTimeout(resolve, 90_000));
    grown.push([atOnceMb, (await used()) - before]);
    redis.disconnect();
    await side.close();
  }
  const [[peerNow = 0, peerLater = 0] = [], [now = 0, later = 0] = []] = grown;
  console.log('redis memory grown by 4,000 replies of 50 KB: at once, after 90 s');
  console.log(`  waitUntilFinished  ${peerNow.toFixed(1)} MB, ${peerLater.toFixed(1)} MB`);
  console.log(`  parley             ${now.toFixed(1)} MB, ${later.toFixed(1)} MB`);
  console.log(
    `  ratio              ${(now / peerNow).toFixed(3)} x at once, ${(later / peerLater).toFixed(3)} x after 90 s`,
  );
}
