import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { connect, type Db } from '../../db/connection.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { makeDataFolder } from '../support/data-folders.ts';
import { listDebianPostgres, startDebianPostgres } from '../support/debian-postgres.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';
import { type Service, startService } from '../support/service.ts';

/*
 * Upgrades of databases as earlier versions left them, each with the demonstration hosts, three conversations of two turns, two
 * tickets and a webhook. They are what `pg_dump --no-owner --no-comments --inserts --rows-per-insert=500` says,
 * without its comments and commands of psql, compressed with brotli.
 */

const dumps = join(import.meta.dirname, 'upgrades');
/** The tables of what people wrote and agreed on. */
const kept = [
  'hosts',
  'tokens',
  'avatars',
  'agents',
  'flow_versions',
  'datasets',
  'chunks',
  'webhooks',
  'conversations',
  'messages',
  'contacts',
  'tickets',
  'intake_records',
  'audit_entries',
];
const secretKey = 'the secret key of all these tests together';

const servers = [
  ['the embedded PostgreSQL', startPackaged] as const,
  ...listDebianPostgres().map(
    version => [`PostgreSQL ${version} of Debian`, () => startDebianPostgres(version)] as const,
  ),
];

if (servers.length === 1) it('an upgrade on a PostgreSQL of Debian: none is installed here');

for (const [name, start] of servers)
  describe(`an upgrade on ${name} by an owner who may make roles, and nothing more`, () => {
    const server = openOnce(start);
    let admin: Db;
    before(async () => {
      admin = connect(server.url, { max: 1 });
      await admin.raw(`create role keeper login createrole password 'secret'`);
    });
    after(async () => {
      await admin?.destroy();
      await server?.stop();
    });

    for (const dump of readdirSync(dumps)) {
      const commit = dump.replace('.sql.br', '');
      it(`of a database of commit ${commit} loses no row, replaces every SQL function, and searches and turns answer`, async () => {
        await admin.raw(`create database of_${commit} owner keeper`);
        const url = Object.assign(new URL(`/of_${commit}`, server.url), {
          username: 'keeper',
          password: 'secret',
        }).href;
        await restore(url, brotliDecompressSync(readFileSync(join(dumps, dump))).toString());
        const db = connect(url, { max: 1 });
        const [filtered] = await db('chunks').select('id', 'content').limit(1);
        const head = `---\ncampus: Norte\n---\n${filtered.content}`;
        const filter = { campus: ['norte'] };
        await db('chunks').where('id', filtered.id).update({ content: head, body: filtered.content, filter });
        const before = await countRows(db);
        expect(Object.values(before).every(count => count > 0)).to.equal(true);
        // As if every file of functions had changed.
        await db('function_files').update({ hash: 'of another version' });

        const released = await runCommand('migrate', [], { DATABASE_URL: url, SECRET_KEY: secretKey });
        const { code, out, err } = released;
        expect([code, out]).to.deep.equal([0, 'The database is up to date.\n']);
        // The secret of its webhook was sealed with a key that nobody has kept.
        expect(err).to.match(/^Neither SECRET_KEY [^\n]* 1 webhooks of demo [^\n]*\n$/);
        expect(await countRows(db)).to.deep.equal(before);
        const [moved] = await db('chunks').where('id', filtered.id).select('id', 'content', 'body', 'filter');
        expect(moved).to.deep.equal({ ...filtered, body: null, filter });
        await db.destroy();

        const service = await startService({
          secretKey,
          store: {
            redisUrl: undefined,
            databaseUrl: url,
            storedText: async () => '',
            drop: async () => {},
          },
        });
        try {
          await expectAnswers(service);
        } finally {
          await service.close();
        }
      });
    }
  });

async function startPackaged() {
  const dataDir = await makeDataFolder();
  const { url, stop } = await startEmbedded(dataDir);
  return {
    url,
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** In a session of its own: the dump sets parameters, and loads libraries. */
async function restore(url: string, dump: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(`select from pg_roles where rolname = 'parley_app'`);
  if (rows.length === 0) await client.query('create role parley_app nologin; grant parley_app to keeper');
  await client.query(dump);
  await client.end();
}

async function countRows(db: Db): Promise<Record<string, number>> {
  const counts = kept.map(async table => [table, Number((await db(table).count())[0]?.['count'])] as const);
  return Object.fromEntries(await Promise.all(counts));
}

async function expectAnswers({ call, ask, model }: Service): Promise<void> {
  const found = async (type: string, search: object) => {
    const { status, body } = await call(`/search-index/search/${type}`, search);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.results.map(({ origin_table }: { origin_table: string }) => origin_table);
  };
  expect(await found('fts', { query: 'boleto' })).to.include('tickets');
  // Misspelt words are found by how similar they are.
  expect(await found('hybrid', { query: 'trancamemto' })).to.include('tickets');
  expect(await found('phone', { phone: '+5511987654321' })).to.include('tickets');
  expect((await ask('Quais são as formas de pagamento?')).status).to.equal(200);
  expect(JSON.stringify(model.requests)).to.include('cartão de crédito');
}
