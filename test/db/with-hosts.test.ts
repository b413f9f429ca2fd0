import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { connectAsHostLogin } from '../../db/access/host-login.ts';
import { provideHostLogin } from '../../db/access/provide-host-login.ts';
import { connect } from '../../db/connection.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import type { Runner } from '../../db/host-transaction.ts';
import { insertReply } from '../../db/replies.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { listRepairs, readReconciledStats, readTableStats } from '../../db/search/stats.ts';
import { withHost, withHosts } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runIn, table, watchStatements } from '../support/statements.ts';

describe('withHosts', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const a = openOnce(() => buildHost(db));
  const b = openOnce(() => buildHost(db));
  let hostTables: string[];
  before(async () => {
    const columns = await rowsOf<{ table: string }>(db)`
      select table_name as "table" from information_schema.columns
      where table_schema = 'public' and column_name = 'host_id'
        and table_name not in ('token_hosts', 'person_sessions')`;
    hostTables = columns.map(column => column.table);
    expect(hostTables).to.include.members(['chunks', 'turns', 'messages', 'replies', 'readable_chunks']);
  });

  it('shows a query that names no host the rows of the scope alone, in every table', async () => {
    for (const name of [...hostTables, 'hosts']) {
      const seen = await withHost(db, a.hostId, scope => hostsSeen(scope.tx, name));
      expect(seen, name).to.eql([a.hostId]);
    }
  });

  it('is not all that keeps the statistics of the index to their hosts: their statements name them, too', async () => {
    // As the owner, who sees all rows.
    const scope = { tx: await db.transaction(), hostIds: [a.hostId] };
    try {
      await scope.tx('search_reconciled').update({ source: 1, stale: 1 });
      expect((await readReconciledStats(scope))?.source).to.equal(1);
      expect((await listRepairs(scope, 100)).map(({ origin_id }) => origin_id)).to.deep.equal([a.hostId]);
      const leads = (await readTableStats(scope)).find(({ table }) => table === 'leads');
      expect(leads).to.deep.include({ source: 1, stale: 1 });
    } finally {
      await scope.tx.rollback();
    }
  });

  it('shows all hosts of a scope of several', async () => {
    const both = [a.hostId, b.hostId].toSorted();
    expect(await withHosts(db, both, scope => hostsSeen(scope.tx, 'messages'))).to.eql(both);
    expect(await withHosts(db, [], scope => hostsSeen(scope.tx, 'messages'))).to.eql([]);
  });

  it('shows nothing where no host was set, also on a connection that had one', async () => {
    const single = connect(database.url, { max: 1 });
    for (const hadOne of [false, true]) {
      if (hadOne) await withHost(single, a.hostId, async () => {});
      await single.transaction(async tx => {
        await tx.raw('set local role parley_app');
        for (const name of hostTables) expect(await hostsSeen(tx, name), name).to.eql([]);
      });
    }
    await single.destroy();
  });

  it('keeps every table from the role unless its rows belong to hosts', async () => {
    const open = await rowsOf<{ name: string }>(db)`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relrowsecurity
        and has_table_privilege('parley_app', oid, 'select, insert, update, delete, truncate')`;
    expect(open).to.eql([]);
    const refused = withHost(db, a.hostId, scope => runIn(scope.tx, table('tokens').select('id')));
    expect(await codeOf(refused)).to.equal('42501');
  });

  it('refuses to write into another host, or to move a row there', async () => {
    const insert = withHost(db, a.hostId, scope => insertConversation({ ...scope, hostId: b.hostId }));
    expect(await codeOf(insert)).to.equal('42501');
    const move = withHost(db, a.hostId, scope =>
      runIn(scope.tx, table('conversations').update({ host_id: b.hostId })),
    );
    expect(await codeOf(move)).to.equal('42501');
    const rename = withHost(db, a.hostId, scope => runIn(scope.tx, table('hosts').update({ name: 'Mine' })));
    expect(await codeOf(rename)).to.equal('42501');
  });

  it('finds no passages of a host outside the scope', async () => {
    const search = (asking: string) =>
      withHost(
        db,
        asking,
        scope => rowsOf(scope.tx)`select from chunk_candidates(
          ${b.hostId}, ${b.avatarId}, null, null, '{secret}', '{secret}', '{1}', 5)`,
      );
    expect(await search(b.hostId)).to.have.length(1);
    expect(await search(a.hostId)).to.eql([]);
  });

  it('lets no row point across hosts, not even for the owner', async () => {
    const host_id = a.hostId;
    const message = { host_id, author: 'system', content: 'x' };
    const crossing = [
      db('dataset_avatars').insert({ host_id, dataset_id: b.datasetId, avatar_id: a.avatarId }),
      db('dataset_avatars').insert({ host_id, dataset_id: a.datasetId, avatar_id: b.avatarId }),
      db('chunks').insert({ host_id, dataset_id: b.datasetId, content: 'x', token_count: 1 }),
      db('conversations').insert({ host_id, contact_id: b.contactId }),
      db('messages').insert({ ...message, conversation_id: b.conversationId }),
      db('messages').insert({ ...message, conversation_id: a.conversationId, turn_id: `k${b.slug}` }),
    ];
    for (const insert of crossing) expect(await codeOf(insert), insert.toQuery()).to.equal('23503');
  });

  it('takes only UUIDs for hosts, and asks the database nothing otherwise', async () => {
    const closed = connect('postgres://nobody@127.0.0.1:1/none');
    for (const id of ['', "x'; drop table hosts; --", `${randomUUID()}}`, `${randomUUID()}\n`]) {
      const message = await withHost(closed, id, async () => {}).catch(error => error.message);
      expect(message).to.match(/^A host's id is a UUID/);
    }
    await closed.destroy();
  });

  it('needs four messages to store a conversation and its reply', async () => {
    const statements = await watchStatements(db, () =>
      withHost(db, a.hostId, async scope => {
        await insertConversation(scope, { platform: 'whatsapp' });
        const outcome = { code: 200, message: 'Success' };
        const reply = { jobId: 'kfour', operation: 'createConversationId', isFinal: true, outcome };
        await insertReply({ tx: scope.tx, hostIds: [scope.hostId] }, reply);
      }),
    );
    expect(statements).to.have.length(4);
    expect(statements[0]).to.match(/^begin; set local role parley_app;/);
  });

  it('runs no statement that comes after its end, when its connection may be in the work of another host', async () => {
    const scope = await withHost(db, a.hostId, async left => left);
    const late = withHost(db, b.hostId, () => runIn(scope.tx, table('messages')));
    expect(await codeOf(late)).to.match(/^The transaction has ended before/);
    const owners = await db.transaction(async left => left);
    expect(await codeOf(runIn(owners, table('messages')))).to.match(/^The transaction has ended before/);
  });

  it('stores nothing, and says so, where a statement failed whose error was passed over', async () => {
    const [before] = await db('conversations').count();
    const passedOver = withHost(db, a.hostId, async scope => {
      await insertConversation(scope);
      await runIn(scope.tx, 'select 1 / 0').catch(() => undefined);
    });
    expect(await codeOf(passedOver)).to.equal('The transaction was rolled back: a statement had failed.');
    expect((await db('conversations').count())[0]).to.deep.equal(before);
  });

  it('leaves a connection as the owner, whether the work succeeds or fails', async () => {
    const single = connect(database.url, { max: 1 });
    const idle = async () => {
      const state = await rowsOf<{ user: string; hosts: string }>(single)`
        select current_user as user, current_setting('parley.hosts', true) as hosts`;
      return { user: state[0]?.user, hosts: state[0]?.hosts || '' };
    };
    const owner = await idle();
    await withHost(single, a.hostId, async () => {});
    expect(await idle()).to.eql(owner);
    const failed = withHost(single, a.hostId, async scope => {
      await insertConversation(scope);
      throw new Error('changed my mind');
    });
    expect(await failed.catch(error => error.message)).to.equal('changed my mind');
    expect(await idle()).to.eql(owner);
    await single.destroy();
  });

  it('puts no connection back whose transaction could not be opened, and stores none of the work', async () => {
    const single = connect(database.url, { max: 1 });
    await single.raw('alter role parley_app rename to parley_away');
    try {
      const before = await single('conversations').count();
      expect(await codeOf(withHost(single, a.hostId, async () => {}))).to.equal('22023');
      expect(await codeOf(withHost(single, a.hostId, insertConversation))).to.equal('22023');
      expect(await single('conversations').count()).to.deep.equal(before);
    } finally {
      await single.raw('alter role parley_away rename to parley_app');
    }
    await withHost(single, a.hostId, async () => {});
    await single.destroy();
  });

  it('runs none of the work with rights of its own where the opening ends before BEGIN', async () => {
    const secretKey = 'the secret of this test';
    await provideHostLogin(db, secretKey);
    const login = await connectAsHostLogin(db, database.url, secretKey, { max: 1 });
    if (!('db' in login)) throw new Error('There is no login for hosts.');
    for (const pool of [connect(database.url, { max: 1 }), login.db]) {
      // As a cancellation does that comes while PostgreSQL reads the message.
      const connection: pg.Client = await pool.client.acquireConnection();
      const { query } = connection;
      connection.query = ((...[statement, ...rest]: [{ text: string }]) =>
        Reflect.apply(query, connection, [
          statement.text.startsWith('begin;') ? { text: 'cancelled' } : statement,
          ...rest,
        ])) as typeof query;
      await pool.client.releaseConnection(connection);
      let isDone = false;
      const work = withHost(pool, a.hostId, async ({ tx }) => {
        await runIn(tx, table('conversations').where({ host_id: b.hostId }).update({ platform: 'stolen' }));
        isDone = true;
      });
      expect(await codeOf(work)).to.equal('42601');
      expect(await db('conversations').where({ platform: 'stolen' })).to.deep.equal([]);
      expect(isDone).to.equal(false);
      await pool.destroy();
    }
  });
});

function codeOf(failing: PromiseLike<unknown>): Promise<string> {
  return Promise.resolve(failing).then(
    () => 'nothing failed',
    error => error.code ?? error.message,
  );
}

async function hostsSeen(tx: Runner, name: string): Promise<string[]> {
  const column = name === 'hosts' ? 'id' : 'host_id';
  const rows = await runIn(tx, table(name).distinct(column).orderBy(column));
  return rows.map(row => row[column]);
}
