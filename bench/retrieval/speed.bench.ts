import type { Db } from '../../db/connection.ts';
import { findCandidates, findKnownWords } from '../../db/knowledge/chunk-search.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { searchChunks } from '../../test/db/search-chunks.ts';
import { queryWordsOf } from '../../text/query-words.ts';
import { searchPlanOf } from '../../workers/domain/retrieval/search-plan.ts';
import { type Knowledge, knowledgeOf } from './knowledge.bench.ts';
import type { QuestionSet } from './question-set.bench.ts';
import { questionSets } from './question-sets.bench.ts';

const BATCH = 250;
const PASSAGE_WORDS = 120;
const RARE_WORDS = 30_000;

/** Prints the time of a search in the database and in total, in one host with this many chunks. */
export async function showSpeed(db: Db, sizes: readonly number[]): Promise<void> {
  const sets = questionSets();
  const medians: number[] = [];
  console.log('\nmilliseconds                 database p50    p99    whole p50    p99');
  for (const size of sizes) {
    const knowledge = await knowledgeOf(db, []);
    await fill(db, knowledge, size, sets);
    const { database, whole } = await measure(db, knowledge, sets);
    medians.push(at(database, 0.5));
    const figures = [at(database, 0.5), at(database, 0.99), at(whole, 0.5), at(whole, 0.99)];
    console.log(
      `${size} chunks`.padEnd(33),
      figures.map(figure => figure.toFixed(1).padStart(6)).join('   '),
    );
  }
  console.log(`growth of the database's p50: ${((medians.at(-1) ?? 0) / (medians[0] || 1)).toFixed(1)} ×`);
}

async function measure(db: Db, { hostId, avatarId }: Knowledge, sets: readonly QuestionSet[]) {
  const database: number[] = [];
  const whole: number[] = [];
  const questions = sets.flatMap(set => set.questions).filter((_, index) => index % 4 === 0);
  for (const isCounted of [false, true]) {
    for (const { text } of questions) {
      await withHost(db, hostId, async scope => {
        const took = await searchByStatements(scope, avatarId, text);
        if (isCounted) database.push(took);
      });
      const started = performance.now();
      await withHost(db, hostId, scope =>
        searchChunks(scope, { avatarId, query: text, filterTerms: {}, limit: 10 }),
      );
      if (isCounted) whole.push(performance.now() - started);
    }
  }
  return { database, whole };
}

/** The time of the statements of a search by words. */
export async function searchByStatements(scope: HostScope, avatarId: string, text: string): Promise<number> {
  const asked = queryWordsOf(text, []);
  const started = performance.now();
  const words = asked.map(({ word }) => word);
  const literalCount = asked.filter(({ synonymOf }) => synonymOf === undefined).length;
  const { stems: known } = await findKnownWords(
    scope,
    { avatarId, filterTerms: 'unfiltered' },
    words,
    literalCount,
  );
  await findCandidates(scope, { avatarId, ...searchPlanOf(known, asked), filterTerms: {}, limit: 80 });
  return performance.now() - started;
}

export function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

/**
 * Inserts chunks of words with the frequencies of the questions' passages, and one word in eight from a long tail: as skewed as a
 * language.
 */
export async function fill(
  db: Db,
  { hostId, datasetId }: Knowledge,
  size: number,
  sets: readonly QuestionSet[],
) {
  const words = sets.flatMap(set => set.passages.flatMap(passage => passage.split(/\s+/)));
  const random = randomOf(size);
  const draw = (): string => {
    if (random() > 0.125) return words[Math.floor(random() * words.length)] ?? '';
    return `termo${Math.floor(RARE_WORDS * random() ** 3)
      .toString(26)
      .replaceAll(/\d/g, digit => 'qrstuvwxyz'[Number(digit)] ?? '')}`;
  };
  for (let written = 0; written < size; written += BATCH) {
    const texts = Array.from({ length: BATCH }, () =>
      Array.from({ length: PASSAGE_WORDS * (0.5 + random()) }, draw).join(' '),
    );
    await rowsOf(db)`
      insert into chunks (host_id, dataset_id, content, token_count)
      select ${hostId}, ${datasetId}, content, 1 from unnest(${texts}::text[]) content`;
  }
  await db.raw('vacuum analyze chunks');
}

/** The same random numbers in every run. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
