import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Db } from '../../db/connection.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { migrate } from '../../db/migrate.ts';
import { rowsOf } from '../../db/rows-of.ts';
import type { Passage } from '../../workers/domain/contradictions/find-contradictions.ts';
import { checkContradictions } from '../../workers/knowledge/run-contradictions.ts';
import { knowledgeOf } from '../retrieval/knowledge.bench.ts';
import { changesOf } from './documents.bench.ts';

const [BATCH, EVERY] = [500, 7];

/**
 * Prints the time and memory of the first comparison of a host, and of the one after some of its passages changed; and how many of those
 * are found that say what another passage says, with one figure changed.
 */
export async function showIncremental(passages: readonly Passage[], changed: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const server = await startEmbedded(dataDir, { settings: { fsync: 'off', synchronous_commit: 'off' } });
  const db = connect(server.url);
  try {
    await migrate(db);
    const { hostId, datasetId } = await knowledgeOf(db, []);
    for (let from = 0; from < passages.length; from += BATCH) {
      const texts = passages.slice(from, from + BATCH).map(({ content }) => content);
      await rowsOf(db)`
        insert into chunks (host_id, dataset_id, content, token_count)
        select ${hostId}, ${datasetId}, content, 1 from unnest(${texts}::text[]) content`;
    }
    await db.raw('vacuum analyze');
    const plantedIds: string[] = [];
    const compare = async (what: string) => {
      const [started, before] = [performance.now(), process.cpuUsage()];
      let most = 0;
      const watching = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
      await checkContradictions({ owner: db, db }, new AbortController().signal, 0);
      clearInterval(watching);
      const { user, system } = process.cpuUsage(before);
      const [{ open, found } = { open: 0, found: 0 }] = await rowsOf<{ open: number; found: number }>(db)`
        select count(*)::integer as open, (
          select count(*)::integer from unnest(${plantedIds}::uuid[]) planted
          where planted in (select chunk_id from contradictions union select other_chunk_id from contradictions)
        ) as found
        from contradictions where host_id = ${hostId} and state = 'open'`;
      console.log(
        `${what}: ${((performance.now() - started) / 1_000).toFixed(2)} s, of the processor ${((user + system) / 1e6).toFixed(2)} s, at most ${(most / 1e6).toFixed(0)} MB; ${open} open, ${found} of ${plantedIds.length} planted`,
      );
    };
    const plant = async () => plantedIds.push(...(await plantIn(db, hostId, passages, changed, plantedIds)));
    await rowsOf(db)`delete from contradiction_checks`;
    await plant();
    await compare(`${changed} changed of ${passages.length}`);
    await plant();
    await compare(`${changed} changed of ${passages.length}, again`);
    await rowsOf(db)`
      insert into contradiction_checks (host_id, chunk_id, due_at)
      select host_id, id, now() - interval '1 minute' from chunks where host_id = ${hostId}`;
    await compare(`all ${passages.length}`);
  } finally {
    await db.destroy();
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
}

/** Gives so many chunks the text of another passage with one figure changed. */
async function plantIn(
  db: Db,
  hostId: string,
  passages: readonly Passage[],
  most: number,
  before: readonly string[],
): Promise<string[]> {
  const texts = passages
    .flatMap((each, at) => (at % EVERY === before.length % EVERY ? changesOf(each, 'passage', at) : []))
    .slice(0, most)
    .map(({ content }) => content);
  const planted = await rowsOf<{ id: string }>(db)`
    with given as (
      select content, row_number() over () as place from unnest(${texts}::text[]) content
    ), chosen as (
      select id, row_number() over (order by id) as place from chunks
      where host_id = ${hostId} and id <> all (${before}::uuid[])
    )
    update chunks set content = given.content, updated_at = now() from given join chosen using (place)
    where chunks.host_id = ${hostId} and chunks.id = chosen.id returning chunks.id`;
  return planted.map(({ id }) => id);
}
