import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../db/connection.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { migrate } from '../../db/migrate.ts';
import { rowsOf } from '../../db/rows-of.ts';
import type { Passage } from '../../workers/domain/contradictions/find-contradictions.ts';
import { checkContradictions } from '../../workers/knowledge/run-contradictions.ts';
import { knowledgeOf } from '../retrieval/knowledge.bench.ts';

const BATCH = 500;

/** Prints the time and memory of the first comparison of a host, and of the one after some of its passages changed. */
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
    const compare = async (what: string) => {
      const [started, before] = [performance.now(), process.cpuUsage()];
      let most = 0;
      const watching = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
      await checkContradictions({ owner: db, db }, new AbortController().signal, 0);
      clearInterval(watching);
      const { user, system } = process.cpuUsage(before);
      const [{ open } = { open: 0 }] = await rowsOf<{ open: number }>(db)`
        select count(*)::integer as open from contradictions where host_id = ${hostId} and state = 'open'`;
      console.log(
        `${what}: ${((performance.now() - started) / 1_000).toFixed(2)} s, of the processor ${((user + system) / 1e6).toFixed(2)} s, at most ${(most / 1e6).toFixed(0)} MB; ${open} open`,
      );
    };
    const change = () => rowsOf(db)`
      update chunks set content = content || ' Atualizado.', updated_at = now() where (host_id, id) in (
        select host_id, id from chunks where host_id = ${hostId} order by content limit ${changed})`;
    await rowsOf(db)`delete from contradiction_checks`;
    await change();
    await compare(`${changed} changed of ${passages.length}`);
    await change();
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
