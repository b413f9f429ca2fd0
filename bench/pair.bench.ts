import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startFixedModel } from './fixed-model.bench.ts';
import { LISTED, type Side, startSide } from './pair-side.bench.ts';
import { atOnce, makeFolder } from './stores.bench.ts';

/*
 * This checkout and another, which may be of an older commit, asked the same at the same time: what one costs more than the
 * other, by processor time of each process, in requests that do more and more of what a turn does. Load makes a turn cost up to
 * four times as much, so a figure of one run cannot be compared with one of another; what both cost beside each other can.
 *
 * Each is a whole installation: `npm start` without its indexer, with a database, a Redis and a demo host of its own. Only
 * commands, settings and calls that both have are used. Background work is counted on both sides.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: 'journey,record,list,retrieval,silent,turn' },
    rounds: { type: 'string', default: '6' },
    requests: { type: 'string', default: '80' },
    'in-flight': { type: 'string', default: '8' },
    // A worker that has just started costs a tenth to a fifth more for its first 500 turns.
    warm: { type: 'string', default: '500' },
    store: { type: 'string', default: 'redis' },
  },
});
const other = positionals[0];
if (other === undefined) throw new Error('Name the folder of the other checkout; it needs its node_modules.');
const [rounds = 6, requests = 80, inFlight = 8, warm = 500] = [
  values.rounds,
  values.requests,
  values['in-flight'],
  values.warm,
].map(Number);

interface Rung {
  readonly name: string;
  /** What of one request is counted. */
  readonly items: number;
  readonly count: number;
  readonly inFlight: number;
}

const many = { items: 1, count: requests, inFlight };
const rungs: Readonly<Record<string, Rung>> = {
  journey: { name: 'the journey of a job (modelListHelper)', ...many },
  record: { name: 'a record (deals)', ...many },
  list: { name: `a record of a list of ${LISTED}`, items: LISTED, count: 3, inFlight: 1 },
  retrieval: { name: 'the journey and retrieval (chunkReadHelper)', ...many },
  silent: { name: 'a silent turn', ...many },
  turn: { name: 'a whole turn', ...many },
};

const here = dirname(createRequire(import.meta.url).resolve('#package.json'));
const model = await startFixedModel({
  answer: 'A secretaria atende **de segunda a sexta**, das 8h às 21h.',
});
const folder = await makeFolder();
const atEnd: (() => Promise<unknown>)[] = [];
const sides: Side[] = [];
try {
  const parts = {
    folder: folder.path,
    store: values.store,
    baseURL: model.baseURL,
    connections: inFlight,
    atEnd,
  };
  for (const [name, root] of Object.entries({ this: here, other: resolve(other) }))
    sides.push(await startSide({ ...parts, name, root }));
  await runAll('turn', 0, { ...many, count: warm });
  for (const name of values.only.split(',')) await measure(name);
} finally {
  for (const end of atEnd) await end();
  model.close();
  await folder.remove();
}

async function measure(rungName: string): Promise<void> {
  const rung = rungs[rungName];
  if (!rung) throw new Error(`There is ${Object.keys(rungs).join(', ')}, and no ${rungName}.`);
  const loads: number[] = [];
  const rows: Awaited<ReturnType<typeof runAll>>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    loads.push(loadavg()[0] ?? 0);
    rows.push(await runAll(rungName, warm + round * rung.count, rung));
  }
  // The first one is to warm up.
  rows.shift();
  console.log(
    `${rung.name}: ${rounds} rounds of ${rung.count * rung.items}, load ${spanOf(loads.slice(1), 0)}`,
  );
  for (const [at, { name }] of sides.entries()) {
    const of = (key: string) => rows.map(row => row[at]?.[key] ?? Number.NaN);
    const each = ['web', 'worker', 'database', 'redis'].map(key => `${key} ${describe(of(key))}`);
    const pace = `${describe(of('perSecond'), 0)}/s, p50 ${describe(of('p50'), 0)}, p99 ${describe(of('p99'), 0)}`;
    console.log(`  ${name.padEnd(6)} ${describeSpread(of('all'))} ms: ${each.join(', ')}; ${pace}`);
  }
  const pairs = rows.map(([mine, its]) => [mine?.['all'] ?? Number.NaN, its?.['all'] ?? Number.NaN] as const);
  const ratios = describeSpread(pairs.map(([mine, its]) => mine / its));
  console.log(
    `  this / other ${ratios}; this - other ${describeSpread(pairs.map(([mine, its]) => mine - its))} ms`,
  );
}

/** Runs a round on both sides at once. */
function runAll(name: string, from: number, rung: Pick<Rung, 'items' | 'count' | 'inFlight'>) {
  return Promise.all(
    sides.map(async (side): Promise<Readonly<Record<string, number>>> => {
      const before = await side.processorMs();
      const { perSecond, ...times } = await atOnce(rung.count, rung.inFlight, async at => {
        await side.ask(name, from + at);
      });
      const after = await side.processorMs();
      const counted = rung.count * rung.items;
      const each = Object.entries(after).map(
        ([key, ms]) => [key, (ms - (before[key] ?? 0)) / counted] as const,
      );
      const all = each.reduce((sum, [, ms]) => sum + ms, 0);
      return { ...Object.fromEntries(each), all, perSecond: perSecond * rung.items, ...times };
    }),
  );
}

function describe(figures: readonly number[], digits = 2): string {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = [(sorted.length - 1) / 2, sorted.length / 2].map(at => sorted[Math.floor(at)] ?? Number.NaN);
  return (middle.reduce((sum, each) => sum + each, 0) / 2).toFixed(digits);
}

function describeSpread(figures: readonly number[]): string {
  return `${describe(figures)} (${spanOf(figures, 2)})`;
}

function spanOf(figures: readonly number[], digits: number): string {
  return `${Math.min(...figures).toFixed(digits)} to ${Math.max(...figures).toFixed(digits)}`;
}
