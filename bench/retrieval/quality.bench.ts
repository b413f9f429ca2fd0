import MiniSearch from 'minisearch';
import type { Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { searchChunks } from '../../test/db/search-chunks.ts';
import { joinQuery, retrievalQueryOf } from '../../workers/domain/retrieval/retrieval-query.ts';
import { type Knowledge, knowledgeOf } from './knowledge.bench.ts';
import { halfOf, type Question, type QuestionSet } from './question-set.bench.ts';

/** Indexes of the passages, best first. */
type Rank = (question: Question) => Promise<number[]>;

const DEPTH = 50;

/** Prints how often the right passage is first, how often among the first five, and the mean reciprocal rank. */
export async function showQuality(db: Db, set: QuestionSet, { byKind = false } = {}): Promise<void> {
  const knowledge = await knowledgeOf(db, set.passages);
  console.log(`\n${set.name}: ${set.questions.length} questions over ${set.passages.length} passages`);
  console.log(`${''.padEnd(26)}hit@1  hit@5  MRR`);
  await withHost(db, knowledge.hostId, async scope => {
    const peers = await peersOf(scope, knowledge, set.passages);
    for (const [name, rank] of [...peers, ['ours', ours(scope, knowledge)] as const]) {
      const places = await placesOf(set.questions, rank);
      console.log(`${name.padEnd(26)}${figuresOf(places)}`);
      if (name !== 'ours') continue;
      for (const half of ['tuning', 'held out'] as const) {
        const ofHalf = places.filter((_, at) => halfOf(set.questions[at] as Question) === half);
        console.log(`${`  ${half} (${ofHalf.length})`.padEnd(26)}${figuresOf(ofHalf)}`);
      }
      if (!byKind) continue;
      for (const kind of new Set(set.questions.map(question => question.kind))) {
        const ofKind = places.filter((_, at) => set.questions[at]?.kind === kind);
        console.log(`${`  ${kind} (${ofKind.length})`.padEnd(26)}${figuresOf(ofKind)}`);
      }
    }
  });
}

async function placesOf(questions: readonly Question[], rank: Rank): Promise<number[]> {
  const places: number[] = [];
  for (const question of questions) places.push((await rank(question)).indexOf(question.passage) + 1);
  return places;
}

function figuresOf(places: readonly number[]): string {
  const share = (most: number) => places.filter(place => place > 0 && place <= most).length / places.length;
  const mean = places.reduce((sum, place) => sum + (place > 0 ? 1 / place : 0), 0) / places.length;
  return [share(1), share(5), mean].map(figure => figure.toFixed(3)).join('  ');
}

function ours(scope: HostScope, { avatarId, chunkIds }: Knowledge): Rank {
  return async ({ text, earlier, lastAnswer }) => {
    const query = retrievalQueryOf(text, earlier, lastAnswer);
    const found = await searchChunks(scope, { avatarId, ...query, filterTerms: 'unfiltered', limit: DEPTH });
    return found.map(({ chunkId }) => chunkIds.indexOf(chunkId));
  };
}

const wordsAsked = ({ text, earlier }: Question) => joinQuery(retrievalQueryOf(text, earlier));

async function peersOf(
  { tx }: HostScope,
  { chunkIds }: Knowledge,
  passages: readonly string[],
): Promise<(readonly [string, Rank])[]> {
  await rowsOf(tx)`set local role none`;
  await rowsOf(tx)`
    create temporary table peer on commit drop as
    select id, to_tsvector('portuguese', fold_text(content)) as words
    from unnest(${chunkIds}::text[], ${passages}::text[]) as chunk (id, content)`;
  await rowsOf(tx)`grant select on peer to parley_app`;
  await rowsOf(tx)`set local role parley_app`;
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => chunkIds.indexOf(id));
  const allWords: Rank = async question =>
    ids(
      await rowsOf<{ id: string }>(tx)`
      select id from peer, websearch_to_tsquery('portuguese', fold_text(${wordsAsked(question)})) query
      where words @@ query order by ts_rank(words, query, 1) desc, id limit ${DEPTH}`,
    );
  const anyWord: Rank = async question =>
    ids(
      await rowsOf<{ id: string }>(tx)`
      select id from peer, (
        select replace(plainto_tsquery('portuguese', fold_text(${wordsAsked(question)}))::text, '&', '|')::tsquery as query
      ) asked
      where words @@ query order by ts_rank(words, query, 1) desc, id limit ${DEPTH}`,
    );
  const library = new MiniSearch({ fields: ['text'] });
  library.addAll(passages.map((text, id) => ({ id, text })));
  const bm25: Rank = async question => library.search(wordsAsked(question)).map(({ id }) => Number(id));
  return [
    ['all words', allWords],
    ['any word, ts_rank', anyWord],
    ['MiniSearch BM25', bm25],
  ];
}
