import { expect } from 'chai';
import { connect, type Db } from '../../db/connection.ts';
import { createHost, listHosts } from '../../db/hosts/hosts.ts';
import { migrate } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/list.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

describe('migrate', () => {
  const database = openEach(() => makeDatabase('empty'));

  it('changes nothing the second time', async () => {
    await migrate(database.db);
    const schema = await schemaOf(database.db);
    await createHost(database.db, { slug: 'kept', name: 'Kept' });
    await migrate(database.db);
    expect(await schemaOf(database.db)).to.eql(schema);
    expect(await listHosts(database.db)).to.have.length(1);
  });

  it('runs once when several processes start it at once, in two databases of one server', async () => {
    const other = await makeDatabase('empty');
    const starts = [database, database, database, other, other].map(async ({ url }) => {
      const db = connect(url, { max: 2 });
      await migrate(db);
      await db.destroy();
    });
    await Promise.all(starts);
    for (const { db } of [database, other]) {
      expect(await db('knex_migrations').pluck('name')).to.eql(migrations.map(({ name }) => name));
    }
    await other.drop();
  });

  it('leaves nothing when it is killed on the way, and no lock that stops the next', async () => {
    const killed = connect(database.url, { max: 1, applicationName: 'to-be-killed' });
    await database.db.raw('create extension pg_trgm; create extension unaccent');
    const blocker = await database.db.transaction();
    await blocker.raw('create table replies ()');
    const migrating = outcomeOf(migrate(killed));
    await waitForLock(blocker);
    await rowsOf(database.db)`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to-be-killed'`;
    expect(await migrating).to.not.equal('migrated');
    await blocker.rollback();
    await killed.destroy();
    expect(await schemaOf(database.db)).to.eql([]);
    await migrate(database.db);
  });

  it('starts anew where a process of the previous version holds what it needs, and waits for what it holds', async () => {
    await migrate(database.db);
    await database.db.raw(
      `update function_files set hash = 'of another version' where name in ('replies', 'turns')`,
    );
    const older = await database.db.transaction();
    // Of two that wait for each other, the one that has waited for longer is ended: here that is the release.
    await older.raw(`set local deadlock_timeout = '60s'`);
    await older.raw('lock table function_files in share mode');
    const released = connect(database.url, { max: 1 });
    const migrating = outcomeOf(migrate(released));
    await waitForLock(older);
    // The release has replaced this function, or waits until it may.
    await older.raw(`select pg_advisory_xact_lock_shared(hashtext('parley migrations'))`);
    await older.rollback();
    expect(await migrating).to.equal('migrated');
    await released.destroy();
  });

  it('keeps its migrations in the order of their names, each with a name of its own', async () => {
    const names = migrations.map(migration => migration.name);
    expect(names).to.eql(names.toSorted());
    expect(new Set(names).size).to.equal(names.length);
  });
});

describe('migrate in a database that knows no letters with accents', () => {
  it('says so, before anything is made there', async () => {
    const database = await makeDatabase('empty');
    const url = new URL(database.url);
    url.pathname += '_plain';
    const name = url.pathname.slice(1);
    await database.db.raw(
      `create database ${name} template template0 locale_provider libc lc_ctype 'C' lc_collate 'C'`,
    );
    const plain = connect(url.href, { max: 1 });
    expect(await outcomeOf(migrate(plain))).to.match(/^The database knows no letters with accents/);
    expect(await rowsOf(plain)`select from pg_tables where schemaname = 'public'`).to.eql([]);
    await plain.destroy();
    await database.db.raw(`drop database ${name}`);
    await database.drop();
  });
});

describe('migrate as a user who may little', () => {
  let database: TestDatabase;
  let user: string;
  let limited: Db;
  beforeEach(async () => {
    database = await makeDatabase('empty');
    user = new URL(database.url).pathname.replace('/test_', 'limited_');
    await database.db.raw(`create role ${user} login password 'secret' nosuperuser nocreaterole nocreatedb`);
    const url = new URL(database.url);
    url.username = user;
    url.password = 'secret';
    limited = connect(url.href);
  });
  afterEach(async () => {
    await limited.destroy();
    await database.db.raw(
      `reassign owned by ${user} to current_user; drop owned by ${user}; drop role ${user}`,
    );
    await database.drop();
  });

  const lineOf = () => outcomeOf(migrate(limited));

  it('says in one line what an administrator has to run, and works once that was run', async () => {
    const line = await lineOf();
    expect(line).to.equal(
      `The database user may not prepare the database; an administrator has to run there: ` +
        `create extension if not exists pg_trgm; create extension if not exists unaccent; ` +
        `grant all on schema public to ${user}; grant parley_app to ${user};`,
    );
    await database.db.raw(line.slice(line.indexOf('create extension')));
    expect(await lineOf()).to.equal('migrated');
    const host = await createHost(limited, { slug: 'own', name: 'Own' });
    const seen = await withHost(limited, host?.id ?? '', scope =>
      runIn(scope.tx, table('hosts').select('slug')),
    );
    expect(seen).to.eql([{ slug: 'own' }]);
  });

  it('names the role too where there is none, and one that could see everything', async () => {
    const name = `away_${user}`;
    await database.db.raw(`alter role parley_app rename to ${name}`);
    try {
      expect(await lineOf()).to.include('create role parley_app nologin; grant parley_app to');
      await database.db.raw('create role parley_app nologin bypassrls');
      expect(await lineOf()).to.include('alter role parley_app nosuperuser nobypassrls;');
      await database.db.raw('drop role parley_app');
    } finally {
      await database.db.raw(`alter role ${name} rename to parley_app`);
    }
  });

  it('needs nobody where the user may make roles and owns the database', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.db.raw(`alter role ${user} createrole; alter database ${name} owner to ${user}`);
    await database.db.raw(`alter role parley_app rename to away_${user}`);
    try {
      expect(await lineOf()).to.equal('migrated');
      await database.db.raw(`drop owned by parley_app; drop role parley_app`);
    } finally {
      await database.db.raw(`alter role away_${user} rename to parley_app`);
    }
  });
});

function schemaOf(db: Db): Promise<unknown[]> {
  return rowsOf(db)`
    select table_name, column_name, data_type, column_default from information_schema.columns
    where table_schema = 'public' order by 1, 2`;
}

function outcomeOf(migrating: Promise<unknown>): Promise<string> {
  return migrating.then(() => 'migrated').catch((error: Error) => error.message);
}
