import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { functionFiles, functionNamesIn, readFunctionFile, vectorFunctionFiles } from '../../db/functions.ts';
import { migrate } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/list.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { chunkEmbeddings } from '../../db/vectors/0001-chunk-embeddings.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';

describe('the functions of the database', () => {
  const { db } = openEach(makeDatabase);

  const bodyOf = async (name: string) => {
    const [row] = await rowsOf<{ body: string }>(db)`
      select prosrc as body from pg_proc where proname = ${name}`;
    return row?.body;
  };

  it('stand in one file each, and every file is applied', async () => {
    const folder = readdirSync(join(import.meta.dirname, '..', '..', 'db', 'functions'));
    const there = folder.filter(name => name.endsWith('.sql'));
    const files = [...functionFiles, ...vectorFunctionFiles];
    expect(files.map(name => `${name}.sql`)).to.have.members(there);
    const names = (await Promise.all(files.map(readFunctionFile))).flatMap(functionNamesIn);
    expect(names).to.have.length.above(50);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('come back with a release when a restore has lost them', async () => {
    const body = await bodyOf('search_hybrid');
    expect(body).to.be.a('string');
    await db.raw('drop function search_hybrid');
    await migrate(db);
    expect(await bodyOf('search_hybrid')).to.equal(body);
  });

  it('are replaced by a release when their file has changed, and left alone when it has not', async () => {
    const body = await bodyOf('drop_cached_replies');
    const change = `create or replace function drop_cached_replies() returns trigger language plpgsql as $$ begin return null; end $$`;
    await db.raw(change);
    await migrate(db);
    expect(await bodyOf('drop_cached_replies')).to.not.equal(body);
    await db.raw(`update function_files set hash = 'an older one' where name = 'replies'`);
    await migrate(db);
    expect(await bodyOf('drop_cached_replies')).to.equal(body);
  });

  it('are named by a release with their file and what PostgreSQL said, when they cannot be replaced', async () => {
    await db.raw(
      `drop function drop_cached_replies cascade; create function drop_cached_replies() returns int return 1;
      update function_files set hash = 'an older one' where name = 'replies'`,
    );
    const said = await migrate(db).catch((error: Error) => error.message);
    expect(said).to.equal('db/functions/replies.sql: cannot change return type of existing function 42P13');
  });

  it('set no parameter of a library: only a superuser may, in a session that has not loaded it', async () => {
    const files = await Promise.all([...functionFiles, ...vectorFunctionFiles].map(readFunctionFile));
    const sql = [...files, ...migrations.map(migration => migration.sql), chunkEmbeddings].join('\n');
    expect(sql.match(/\bset\s+\w+\.\w+/gi) ?? []).to.deep.equal([]);
  });
});

describe('the migrations', () => {
  const path = join(import.meta.dirname, 'landed-migrations.json');
  const landed: Record<string, string> = JSON.parse(readFileSync(path, 'utf8'));

  it('never change once they have landed', () => {
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const now = Object.fromEntries(migrations.map(({ name, sql }) => [name, digest(sql)]));
    expect(now).to.deep.equal(landed, 'a new migration goes into landed-migrations.json, an old one stays');
  });

  it('have the hash that was first committed: the list of hashes is not rewritten beside them', () => {
    const committed = listCommittedHashes(path);
    for (const [name, hash] of Object.entries(landed)) {
      const hashes = new Set(committed.get(name) ?? []).add(hash);
      expect(hashes.size, `versions of ${name}`).to.be.at.most(1 + (EDITED[name] ?? 0));
      expect(committed.get(name)?.at(-1) ?? hash, name).to.equal(hash);
    }
  });
});

/** They were edited this often before the history was looked at. */
const EDITED: Readonly<Record<string, number>> = {
  '0044-budgets': 2,
  '0047-conversation-lists': 1,
  '0050-documents': 2,
};

/**
 * The hashes of each migration in the list, as the first parents of this commit had them, the oldest first: what a branch did
 * before it landed does not count. Of a shallow clone those that it has; none where there is no history.
 */
function listCommittedHashes(path: string): ReadonlyMap<string, readonly string[]> {
  const order = [
    ...'log --first-parent --diff-merges=first-parent --reverse -p --format= --'.split(' '),
    path,
  ];
  const { stdout } = spawnSync('git', order, { cwd: import.meta.dirname, encoding: 'utf8' });
  const hashes = new Map<string, string[]>();
  for (const [, name = '', hash = ''] of (stdout ?? '').matchAll(/^\+\s+"([^"]+)": "([0-9a-f]{64})"/gm))
    hashes.set(name, [...(hashes.get(name) ?? []), hash]);
  return hashes;
}
