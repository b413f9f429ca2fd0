import { connect, type Db } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { claimDueTexts, storeEmbeddings } from '../../db/vectors/embeddings-due.ts';
import { migrateVectors } from '../../db/vectors/migrate-vectors.ts';
import { maintainNeighbourIndexes } from '../../db/vectors/neighbour-indexes.ts';
import { findNeighbours } from '../../db/vectors/neighbours.ts';
import { withHost } from '../../db/with-hosts.ts';
import { type Knowledge, knowledgeOf } from './knowledge.bench.ts';
import { questionSets } from './question-sets.bench.ts';
import { at, fill, randomOf, searchByStatements } from './speed.bench.ts';

const DIMENSIONS = 384;
const SPACE = `bench/${DIMENSIONS}`;
const NAME = 'parley_bench_vectors';
const TOPICS = 300;
const NEAR = 40;

/**
 * Prints the time of a question in the database, by words and by vectors, and the recall of the ten nearest. The
 * vectors are simulated: topics in random directions, with passages around them.
 */
export async function showVectorSpeed(
  serverUrl: string | undefined,
  sizes: readonly number[],
): Promise<void> {
  if (!serverUrl) throw new Error('DATABASE_URL has to name a server with pgvector.');
  const admin = connect(serverUrl, { max: 1, answerWithinMs: 60_000 });
  await admin.raw(`drop database if exists ${NAME} with (force)`);
  await admin.raw(`create database ${NAME}`);
  const url = new URL(NAME, serverUrl).href;
  const db = connect(url, { max: 1, answerWithinMs: 600_000 });
  try {
    await migrate(db);
    await db.raw('set statement_timeout = 0');
    const reason = await migrateVectors(db);
    if (reason) throw new Error(reason);
    console.log(
      `milliseconds, ${DIMENSIONS} dimensions   vectors p50   p99   with words p50   p99   found of 10`,
    );
    for (const size of sizes) await showSize(db, url, size);
  } finally {
    await db.destroy();
    await admin.raw(`drop database ${NAME} with (force)`);
    await admin.destroy();
  }
}

async function showSize(db: Db, url: string, size: number): Promise<void> {
  const sets = questionSets();
  const knowledge = await knowledgeOf(db, []);
  await fill(db, knowledge, size, sets);
  const vectors = vectorsOf(size);
  await embedAll(db, vectors);
  await maintainNeighbourIndexes(url, SPACE, new AbortController().signal);
  await db.raw('vacuum analyze chunk_embeddings');
  const { near, whole, found } = await measure(db, knowledge, vectors);
  const figures = [near, whole].flatMap(times => [at(times, 0.5), at(times, 0.99)]);
  console.log(
    `${size} chunks`.padEnd(32),
    figures.map(figure => figure.toFixed(1).padStart(6)).join('   '),
    found,
  );
}

async function embedAll(db: Db, vectors: () => number[]): Promise<void> {
  for (;;) {
    const texts = await claimDueTexts(db, SPACE, 500, 3_600_000);
    if (texts.length === 0) return;
    const embedded = texts.map(text => ({ text, vector: vectors() }));
    await storeEmbeddings(db, SPACE, embedded);
  }
}

async function measure(db: Db, { hostId, avatarId }: Knowledge, vectors: () => number[]) {
  const near: number[] = [];
  const whole: number[] = [];
  const found: number[] = [];
  const questions = questionSets()
    .flatMap(set => set.questions)
    .filter((_, index) => index % 4 === 0);
  for (const isCounted of [false, true]) {
    for (const { text: query } of questions) {
      const vector = vectors();
      const filterTerms = {};
      const words = await withHost(db, hostId, scope => searchByStatements(scope, avatarId, query));
      const asked = performance.now();
      const search = { avatarId, filterTerms, space: SPACE, vector, limit: NEAR };
      const chunks = await withHost(db, hostId, scope => findNeighbours(scope, search, 5_000));
      if (!isCounted) continue;
      const took = performance.now() - asked;
      near.push(took);
      whole.push(words + took);
      if (found.length >= 50) continue;
      const best = await nearestOf(db, hostId, vector);
      found.push(chunks.slice(0, 10).filter(({ chunkId }) => best.includes(chunkId)).length);
    }
  }
  const mean = found.reduce((sum, one) => sum + one, 0) / found.length;
  return { near, whole, found: mean.toFixed(1).padStart(12) };
}

async function nearestOf(db: Db, hostId: string, vector: readonly number[]): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(db)`
    select chunk_id as id from chunk_embeddings where host_id = ${hostId}
    order by embedding <=> ${JSON.stringify(vector)}::vector limit 10`;
  return rows.map(({ id }) => id);
}

/** Vectors in sequence, each near one of the topics. */
function vectorsOf(seed: number): () => number[] {
  const random = randomOf(seed);
  const draw = () => Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
  const topics = Array.from({ length: TOPICS }, draw);
  return () => {
    const topic = topics[Math.floor(random() * TOPICS)] ?? [];
    return draw().map((strayed, at) => Number(((topic[at] ?? 0) + strayed).toFixed(4)));
  };
}
