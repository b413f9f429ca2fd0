import { readFileSync } from 'node:fs';
import { runInSlices } from '../platform/run-in-slices.ts';
import {
  type Contradiction,
  findContradictions,
  type Passage,
} from '../workers/domain/contradictions/find-contradictions.ts';
import { showDocuments } from './contradictions/documents.bench.ts';
import { showIncremental } from './contradictions/incremental.bench.ts';
import { showPairs } from './contradictions/pairs.bench.ts';
import { heldOutPassages } from './retrieval/held-out-passages.ts';
import { similarPassages } from './retrieval/similar-passages.bench.ts';
import { tuningPassages } from './retrieval/tuning-passages.ts';

/*
 * How many planted contradictions are found among the passages of the retrieval sets, and what else is flagged there. Arguments: `speed
 * [NUMBER]` for the time and memory of that many passages; `incremental [NUMBER]` for those of a host with so many and 50 that change; `pairs` for the kinds of `pairs.md`;
 * `documents FILE…` for PDF and Markdown files of one host; `-v` prints what was
 * not found and what was flagged wrongly.
 */

const KINDS: Readonly<Record<string, string>> = {
  d: 'date',
  p: 'price',
  n: 'number',
  w: 'weekday',
  t: 'time',
  x: 'negation',
  '=': 'nothing',
};

interface Planted {
  readonly kind: string;
  readonly of: string;
  readonly content: string;
}

const isWordy = process.argv.includes('-v');
const keyedPassages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Serra Azul': passagesOf('serra-azul.md'),
  'higher education': passagesOf('university.md'),
  'one university': { ...tuningPassages, ...heldOutPassages },
};

function passagesOf(file: string): Record<string, string> {
  const text = readFileSync(new URL(`retrieval/${file}`, import.meta.url), 'utf8');
  return Object.fromEntries(
    text
      .split(/^## /m)
      .slice(1)
      .map(section => {
        const [key = '', ...lines] = section.split('\n');
        return [
          key.trim(),
          lines
            .filter(line => !/^[?a-z] /.test(line))
            .join('\n')
            .trim(),
        ];
      }),
  );
}

function readPlanted(): Map<string, Planted[]> {
  const text = readFileSync(new URL('contradictions/planted.md', import.meta.url), 'utf8');
  const sets = text.split(/^# /m).slice(1);
  return new Map(
    sets.map(set => {
      const [name = '', ...lines] = set.split('\n');
      const planted = lines.flatMap(line => {
        const [, letter = '', of = '', content = ''] = /^(\S) ([\w-]+): (.*)$/.exec(line) ?? [];
        return letter ? [{ kind: KINDS[letter] ?? '', of, content }] : [];
      });
      return [name.trim(), planted];
    }),
  );
}

const counts = new Map<string, { found: number; of: number }>();
let [flaggedWrongly, pairs] = [0, 0];

async function plant(name: string, planted: readonly Planted[]): Promise<void> {
  const own = Object.entries(keyedPassages[name] ?? {}).map(([id, content]) => ({ id, content }));
  const added: Passage[] = planted.map(({ content }, at) => ({ id: `planted ${at}`, content }));
  const found = await runInSlices(findContradictions([...own, ...added]));
  const isOwn = (id: string) => !id.startsWith('planted');
  pairs += (own.length * (own.length - 1)) / 2 + own.length * planted.length;
  for (const [at, { kind, of, content }] of planted.entries()) {
    const mine = found.filter(
      ({ places }) => places.some(({ id }) => id === `planted ${at}`) && places.some(({ id }) => isOwn(id)),
    );
    const right = mine.find(({ places }) => places.some(({ id }) => id === of));
    const count = counts.get(kind) ?? { found: 0, of: 0 };
    counts.set(kind, { found: count.found + (right ? 1 : 0), of: count.of + 1 });
    if (!right && kind !== 'nothing' && isWordy) console.log(`  not found (${kind}): ${of}: ${content}`);
    if (kind === 'nothing' && right) tellWrong(own, added, right);
    for (const wrong of mine.filter(each => !each.places.some(({ id }) => id === of)))
      tellWrong(own, added, wrong);
  }
  for (const wrong of found.filter(({ places }) => places.every(({ id }) => isOwn(id))))
    tellWrong(own, added, wrong);
}

function tellWrong(
  own: readonly Passage[],
  added: readonly Passage[],
  { kind, places, likeness }: Contradiction,
): void {
  flaggedWrongly += 1;
  console.log(`  flagged wrongly (${kind}, ${likeness.toFixed(2)}):`);
  for (const { id, sentence, mark } of places) {
    const content = [...own, ...added].find(each => each.id === id)?.content ?? '';
    console.log(
      `    ${id}: ${content.slice(sentence.from, sentence.to)} [${content.slice(mark.from, mark.to)}]`,
    );
  }
}

async function showQuality(): Promise<void> {
  for (const [name, planted] of readPlanted()) {
    console.log(name);
    await plant(name, planted);
  }
  console.log('248 similar passages');
  const own = similarPassages().passages.map((content, at) => ({ id: String(at), content }));
  pairs += (own.length * (own.length - 1)) / 2;
  for (const wrong of await runInSlices(findContradictions(own))) tellWrong(own, [], wrong);
  console.log('\nkind        found');
  const kinds = [...counts].filter(([kind]) => kind !== 'nothing');
  for (const [kind, { found, of }] of kinds) console.log(kind.padEnd(10), `${found} of ${of}`);
  const sum = (of: 'found' | 'of') => kinds.reduce((total, [, count]) => total + count[of], 0);
  console.log(
    'all'.padEnd(10),
    `${sum('found')} of ${sum('of')} (${((100 * sum('found')) / sum('of')).toFixed(0)} %)`,
  );
  console.log(`flagged wrongly: ${flaggedWrongly} of ${pairs} other pairs`);
}

/** Passages of the sets in which three words of ten, by their place, are made up: as many words as a large host has. */
function manyPassages(size: number): Passage[] {
  const texts = [
    ...Object.values(keyedPassages).flatMap(set => Object.values(set)),
    ...similarPassages().passages,
  ];
  const made = (n: number) =>
    [n % 21, (n * 7 + 3) % 19, Math.floor(n / 61) % 20]
      .map(at => `${'bcdfglmnprstv'[at % 13]}${'aeiou'[at % 5]}`)
      .join('');
  return Array.from({ length: size }, (_, number) => ({
    id: String(number),
    content: (texts[(number * 7_919) % texts.length] ?? '').replace(
      /\b[a-zà-ú]{7,}\b/g,
      (word: string, at: number) =>
        (at * 31 + number * 17) % 10 < 3 ? made((number * 131 + at) % 30_000) : word,
    ),
  }));
}

async function showSpeed(size: number): Promise<void> {
  const passages = manyPassages(size);
  const [started, before] = [performance.now(), process.cpuUsage()];
  const found = await runInSlices(findContradictions(passages));
  const { user, system } = process.cpuUsage(before);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const { rss } = process.memoryUsage();
  console.log(
    `${size} passages: ${seconds} s, of the processor ${((user + system) / 1e6).toFixed(1)} s, ${(rss / 1e6).toFixed(0)} MB; ${found.length} flagged`,
  );
}

const [part = 'quality', size = '20000'] = process.argv.slice(2);
if (part === 'speed') await showSpeed(Number(size));
else if (part === 'incremental') await showIncremental(manyPassages(Number(size)), 50);
else if (part === 'pairs') await showPairs();
else if (part === 'documents') await showDocuments(process.argv.slice(3).filter(path => path !== '-v'));
else await showQuality();
