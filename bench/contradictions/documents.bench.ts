import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { findContradictions, type Passage } from '../../workers/domain/contradictions/find-contradictions.ts';
import { readPassage, type Statement } from '../../workers/domain/contradictions/read-statements.ts';
import { cutPassages } from '../../workers/domain/documents/cut-passages.ts';
import { parseDocument } from '../../workers/knowledge/parser/parse-document.ts';

/*
 * What is flagged in real documents of one host, to be judged by eye, and how many changes of one figure are found there: every
 * third passage is given again with one figure changed, as a whole and as the changed sentence alone under its heading.
 */

const [LIMIT, MOST, EVERY] = [6_000, 20_000, 3];

interface Changed {
  readonly of: Passage;
  readonly manner: 'passage' | 'sentence';
  readonly content: string;
}

export async function showDocuments(paths: readonly string[]): Promise<void> {
  const passages = (await Promise.all(paths.map(readDocument))).flat();
  const own = await runInSlices(findContradictions(passages));
  console.log(`${passages.length} passages of ${paths.length} documents: ${own.length} flagged`);
  const textOf = new Map(passages.map(({ id, content }) => [id, content]));
  for (const { kind, likeness, places } of own) {
    console.log(`  ${kind}, ${likeness.toFixed(2)}:`);
    for (const { id, sentence, mark } of places) {
      const content = textOf.get(id) ?? '';
      console.log(
        `    ${id}: ${content.slice(sentence.from, sentence.to)} [${content.slice(mark.from, mark.to)}]`,
      );
    }
  }
  for (const manner of ['passage', 'sentence'] as const) await plant(passages, manner);
}

async function plant(passages: readonly Passage[], manner: Changed['manner']): Promise<void> {
  const changed = passages.flatMap((each, at) => (at % EVERY === 0 ? changesOf(each, manner, at) : []));
  const given = changed.map(({ content }, at) => ({ id: `${at}`, content, documentId: `changed ${at}` }));
  const all = [...passages, ...given];
  const isGiven = (at: number) => at >= passages.length;
  const steps = findContradictions(all, {
    isAsked: id => given[Number(id)] !== undefined,
    mayMeet: (one, other) => isGiven(one) !== isGiven(other),
  });
  const found = await runInSlices(steps);
  let [right, wrong] = [0, 0];
  for (const [at, { of, content }] of changed.entries()) {
    const mine = found.filter(({ places }) => places.some(({ id }) => id === `${at}`));
    const partners = mine.map(({ places }) => places.find(({ id }) => id !== `${at}`)?.id);
    const isRight = partners.includes(of.id);
    if (isRight) right += 1;
    wrong += partners.length - (isRight ? 1 : 0);
    if (process.argv.includes('-v') && (!isRight || partners.length > 1))
      console.log(`  ${isRight ? 'also' : 'not'} found: ${partners.join(', ')} for ${of.id}: ${content}`);
  }
  console.log(
    `changed in one ${manner}: ${right} of ${changed.length} found, ${wrong} other passages flagged for them`,
  );
}

/** `75% (setenta e cinco por cento)` is changed as a whole. */
const SPELLED = / ?\(\p{L}[^)]*\)/u;
const SPELLED_NEXT = new RegExp(`^${SPELLED.source}`, 'u');
const STATED = /^(?:money|percent|day|clock|hours|days|minutes|count|number|months)/;

/** The passage with one figure changed; none where it states no figure. */
export function changesOf(passage: Passage, manner: Changed['manner'], at: number): Changed[] {
  const { content } = passage;
  const stated = readPassage(content).statements.flatMap(statement =>
    statement.values
      .filter(({ of, from, to }) => STATED.test(of) && /\d/.test(content.slice(from, to)))
      .map(value => ({ statement, value })),
  );
  const chosen = stated[(at * 7) % Math.max(1, stated.length)];
  if (!chosen) return [];
  const { statement, value } = chosen;
  const written = content.slice(value.from, value.to);
  const other = written
    .replace(/\d+/, digits => String(Number(digits) + (/[39]$|59$/.test(digits) ? -1 : 1)))
    .replace(SPELLED, '');
  const whole = content.slice(0, value.from) + other + content.slice(value.to).replace(SPELLED_NEXT, '');
  return [
    {
      of: passage,
      manner,
      content: manner === 'passage' ? whole : sentenceOf(whole, statement, whole.length - content.length),
    },
  ];
}

function sentenceOf(content: string, { from, to }: Statement, longer: number): string {
  const path = content.startsWith('#') ? `${content.split('\n')[0]}\n\n` : '';
  return path + content.slice(from, to + longer);
}

async function readDocument(path: string): Promise<Passage[]> {
  const name = basename(path);
  const bytes = readFileSync(path);
  const result = await parseDocument({ kind: name.endsWith('.pdf') ? 'pdf' : 'markdown', bytes }, () => {});
  if (!('text' in result)) return [];
  const passages = await runInSlices(cutPassages(result.text, { name, limit: LIMIT, most: MOST }));
  return (passages ?? []).map(({ content }, at) => ({ id: `${name} ${at}`, content, documentId: name }));
}
