import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../db/connection.ts';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { readConfig } from '../platform/config.ts';
import { showQuality } from './retrieval/quality.bench.ts';
import { followUpSet, questionSets, serraAzulSet } from './retrieval/question-sets.bench.ts';
import { readSquad, showQuotes } from './retrieval/quotes.bench.ts';
import { showRewritten } from './retrieval/rewritten.bench.ts';
import { showSpeed } from './retrieval/speed.bench.ts';
import { showVectorSpeed } from './retrieval/vector-speed.bench.ts';

/*
 * Quality of the knowledge search compared with alternatives, and its speed in one host with many chunks. Arguments:
 * `quality`, `follow-ups` or `speed` alone; `speed 20000` for that many chunks; `vectors` for the speed with vectors, in a new
 * database on the server of DATABASE_URL, which needs pgvector; `rewritten [FOLDER]` for questions that are asked anew;
 * `quotes [FILE]` for what is quoted without a model, also from a file in the form of SQuAD.
 */

const [part = 'all', most = '100000'] = process.argv.slice(2);
if (part === 'vectors') {
  await showVectorSpeed(readConfig().databaseUrl, [1_000, 4_000, Number(most)]);
  process.exit();
}
const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
const server = await startEmbedded(dataDir, { settings: { fsync: 'off', synchronous_commit: 'off' } });
const db = connect(server.url);
try {
  await migrate(db);
  if (part === 'follow-ups' || part === 'all') await showQuality(db, followUpSet(), { byKind: true });
  if (part === 'quality' || part === 'all') for (const set of questionSets()) await showQuality(db, set);
  if (part === 'rewritten') await showRewritten(db, process.argv[3]);
  if (part === 'quotes')
    for (const set of [serraAzulSet(), ...process.argv.slice(3).map(readSquad)]) await showQuotes(db, set);
  if (part === 'speed' || part === 'all') await showSpeed(db, [1_000, Number(most)]);
} finally {
  await db.destroy();
  await server.stop();
  await rm(dataDir, { recursive: true });
}
