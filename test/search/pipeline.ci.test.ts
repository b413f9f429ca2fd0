import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { connect } from '../../db/connection.ts';
import { insertConversation, setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { claimEvents } from '../../db/search/outbox.ts';
import { makeLog } from '../../platform/log.ts';
import { type Indexer, startIndexer } from '../../workers/indexer/start.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { insertRecord } from '../support/searched-records.ts';

describe('the search pipeline', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const host = openOnce(() => buildHost(db));
  let indexer: Indexer | undefined;
  afterEach(async () => {
    await indexer?.close();
    indexer = undefined;
  });

  const start = async (limits = {}) => {
    const pipelineLimits = { flushMs: 60, backOffMs: 20, ...limits };
    const settings = { databaseUrl: database.url, appEnv: 'production', pipelineLimits } as const;
    indexer = await startIndexer(settings, makeLog('test', 'silent'));
  };
  const contentOf = async (id: string) => {
    const [record] = await rowsOf<{ content: string }>(db)`
      select content from search_records where host_id = ${host.hostId} and origin_id = ${id}`;
    return record?.content;
  };
  const outbox = () => rowsOf(db)`select * from search_outbox`;
  const drained = () => eventually(outbox, { length: 0 });
  const newConversation = (userName: string) =>
    host.inHost(async scope => {
      const id = await insertConversation(scope);
      await setConversation(scope, id, { userName });
      return id;
    });

  it('indexes what was written while nobody was there, and what is written then', async () => {
    const before = await newConversation('João da Silva');
    await start();
    await drained();
    expect(await contentOf(before)).to.equal('joão da silva');
    await host.inHost(scope =>
      appendMessage(scope, { conversationId: before, author: 'user', content: 'Olá, e a <b>matrícula</b>?' }),
    );
    await eventually(() => contentOf(before), 'joão da silva olá e a b matrícula b');
  });

  it('indexes what an earlier relay had claimed when it died', async () => {
    const id = await newConversation('Hugo');
    expect((await claimEvents(db, 100)).map(({ originId }) => originId)).to.include(id);
    await start();
    await eventually(outbox, { length: 0 });
    expect(await contentOf(id)).to.equal('hugo');
  });

  it('tells others of what triggers noted and of nothing twice, nor of what it was told', async () => {
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(JSON.parse(payload).origin_id));
    await listener.query('listen omni_search_events');
    const ids: string[] = [];
    for (const subject of ['told before', 'of a caller', 'of the channel', 'new'])
      ids.push(await insertRecord(db, host.hostId, 'tickets', { subject }));
    const [toldBefore, ofCaller, ofChannel, isNew] = ids;
    await rowsOf(db)`delete from search_outbox where origin_id <> all (${ids}::uuid[])`;
    await rowsOf(db)`update search_outbox set attempts = 1 where origin_id = ${toldBefore ?? ''}`;
    await rowsOf(db)`update search_outbox set source = 'http' where origin_id = ${ofCaller ?? ''}`;
    await rowsOf(db)`update search_outbox set source = 'channel' where origin_id = ${ofChannel ?? ''}`;
    await start();
    await drained();
    const last = await insertRecord(db, host.hostId, 'tickets', { subject: 'last' });
    await eventually(
      () => heard,
      told => told.includes(last),
    );
    await listener.end();
    expect(heard).to.deep.equal([isNew, last]);
  });

  it('takes out what was deleted, and knows the new phone of a contact', async () => {
    const id = await newConversation('Bia');
    const other = await newConversation('Caio');
    await host.inHost(scope => setConversation(scope, other, { contactId: host.contactId }));
    await start();
    await drained();
    await db('conversations').where({ id }).delete();
    await db('contacts').where({ id: host.contactId }).update({ phone: '(11) 98765-4321' });
    await drained();
    expect(await contentOf(id)).to.equal(undefined);
    const [record] = await rowsOf<{ phone: string }>(db)`
      select phone from search_records where origin_id = ${other}`;
    expect(record).to.include({ phone: '11987654321' });
  });

  it('tells of a change when it is committed, and queues what others tell', async () => {
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.query('listen omni_search_events');
    await start();
    const id = await newConversation('Dora');
    await drained();
    await eventually(
      () => heard.length,
      count => count >= 2,
    );
    const told = heard.map(payload => JSON.parse(payload)).filter(event => event.origin_id === id);
    expect(told).to.deep.equal([
      { origin_table: 'conversations', origin_id: id, operation: 'INSERT' },
      { origin_table: 'conversations', origin_id: id, operation: 'UPDATE' },
    ]);
    await rowsOf(db)`delete from search_records where origin_id = ${id}`;
    for (const payload of [
      'no json',
      '{}',
      JSON.stringify({ ...told[0], origin_id: randomUUID() }),
      heard[0],
    ])
      await listener.query('select pg_notify($1, $2)', ['omni_search_events', payload]);
    const repeat = JSON.stringify(told[0]);
    await listener.query('select pg_notify($1, $2)', ['omni_search_events', repeat]);
    await eventually(() => contentOf(id), 'dora');
    await listener.end();
  });

  it('queues what others have told although it could not at first', async () => {
    await start();
    const id = await newConversation('Elisa');
    await drained();
    await rowsOf(db)`delete from search_records where origin_id = ${id}`;
    await db.raw(`create function refuse_told() returns trigger language plpgsql as $$
      begin if new.source = 'channel' then raise 'refused'; end if; return new; end $$;
      create trigger refuse_told before insert on search_outbox for each row execute function refuse_told()`);
    const event = { origin_table: 'conversations', origin_id: id, operation: 'INSERT' };
    await rowsOf(db)`select pg_notify('omni_search_events', ${JSON.stringify(event)})`;
    const reconnects = async () =>
      (await rowsOf<{ reconnects: number }>(db)`select reconnects::integer from search_pipeline`)[0]
        ?.reconnects ?? 0;
    const earlier = await reconnects();
    await eventually(reconnects, count => count > earlier);
    await db.raw('drop trigger refuse_told on search_outbox');
    await eventually(() => contentOf(id), 'elisa');
  });

  it('forgets, while it stands by, what the one that leads has heard as well', async () => {
    await start();
    const id = await newConversation('Flora');
    await drained();
    const second = await startIndexer(
      { databaseUrl: database.url, appEnv: 'production', pipelineLimits: { flushMs: 60, backOffMs: 20 } },
      makeLog('test', 'silent'),
    );
    const lockTries = async () =>
      (
        await rowsOf<{ at: string }>(db)`
          select query_start::text as at from pg_stat_activity
          where application_name = 'parley-search-relay' and datname = current_database() and query ~ 'try_advisory'`
      ).map(({ at }) => at);
    await eventually(lockTries, { length: 1 });
    const event = { origin_table: 'conversations', origin_id: id, operation: 'UPDATE' };
    await rowsOf(db)`select pg_notify('omni_search_events', ${JSON.stringify(event)})`;
    for (let look = 0; look < 2; look += 1) {
      const last = await lockTries();
      await eventually(lockTries, tries => tries.length === 1 && tries[0] !== last[0]);
    }
    await drained();
    await rowsOf(db)`delete from search_records where origin_id = ${id}`;
    await indexer?.close();
    indexer = second;
    const other = await newConversation('Gina');
    await eventually(() => contentOf(other), 'gina');
    await drained();
    expect(await contentOf(id)).to.equal(undefined);
  });

  it('indexes what is far too long by its beginning', async () => {
    await start();
    const words = Array.from({ length: 90_000 }, (_, at) => `w${at.toString(36).padStart(9, 'x')}`);
    const ticket = { subject: 'Longo', content: words.join(' '), email: 'ana@example.com' };
    const id = await insertRecord(db, host.hostId, 'tickets', ticket);
    await drained();
    expect(await contentOf(id)).to.match(/^longo wxxxxxxxx0 .* ana example com /);
  });

  it('indexes the others of a batch when one cannot be, and that one when it can', async () => {
    const bad = await newConversation('Fausto');
    const good = await newConversation('Gil');
    await db.raw(`create function refuse() returns trigger language plpgsql as $$
      begin if new.content like '%fausto%' then raise 'refused'; end if; return new; end $$;
      create trigger refuse before insert or update on search_records for each row execute function refuse()`);
    await start();
    await eventually(() => contentOf(good), 'gil');
    await eventually(
      outbox,
      lines => lines.length > 0 && lines.every(line => (line as { attempts: number }).attempts > 0),
    );
    expect(await contentOf(bad)).to.equal(undefined);
    await db.raw('drop trigger refuse on search_records');
    await drained();
    expect(await contentOf(bad)).to.equal('fausto');
  });

  it('lets one relay lead, and another take over when its connection is cut', async () => {
    await start();
    const second = await startIndexer(
      { databaseUrl: database.url, appEnv: 'production', pipelineLimits: { flushMs: 60, backOffMs: 20 } },
      makeLog('test', 'silent'),
    );
    for (let cut = 0; cut < 3; cut += 1) {
      const id = await newConversation(`Helena ${cut}`);
      await rowsOf(db)`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'parley-search-relay' and datname = current_database()`;
      await drained();
      expect(await contentOf(id)).to.equal(`helena ${cut}`);
    }
    await second.close();
  });

  it('reconciles, and reindexes other hosts, although a reindexing that was ordered fails', async () => {
    const other = await createHost(db, { slug: 'impossible', name: 'Impossible' });
    await rowsOf(db)`
      insert into search_reindexes (host_id, id, tables, mode, batch_size, confirm_orphans)
      values (${other?.id ?? ''}, 'impossible', '{leads}', 'full', -1, false)`;
    await rowsOf(db)`delete from search_reindexes where host_id = ${host.hostId}`;
    await rowsOf(db)`
      insert into search_reindexes (host_id, id, tables, mode, batch_size, confirm_orphans)
      values (${host.hostId}, 'possible', '{leads}', 'full', 10, false)`;
    await rowsOf(db)`update search_pipeline set reconciled_at = null, next_reconcile_at = null`;
    await start({ reconcileEveryMs: 100 });
    await eventually(() => rowsOf(db)`select from search_pipeline where reconciled_at is not null`, {
      length: 1,
    });
    await eventually(
      () => rowsOf(db)`select from search_reindexes where id = 'possible' and finished_at is not null`,
      { length: 1 },
    );
    await rowsOf(db)`delete from search_reindexes`;
  });

  it('gives up when the database stays away, to be started again', async () => {
    await start();
    const elsewhere = new URL(database.url);
    const name = elsewhere.pathname.slice(1);
    elsewhere.pathname = '/postgres';
    const admin = connect(elsewhere.href, { max: 1 });
    await admin.raw(`alter database ${name} allow_connections false`);
    await rowsOf(admin)`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    const error = await indexer?.ended.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error);
    await indexer?.close();
    indexer = undefined;
    await admin.raw(`alter database ${name} allow_connections true`);
    await admin.destroy();
  });
});
