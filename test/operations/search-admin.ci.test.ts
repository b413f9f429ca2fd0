import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rules } from '../../platform/field-error.ts';
import { makeLog } from '../../platform/log.ts';
import { reconcile } from '../../workers/indexer/maintenance.ts';
import { limitsOf } from '../../workers/indexer/pipeline-limits.ts';
import { eventually } from '../support/eventually.ts';
import { insertIndexedRecord, insertRecord } from '../support/searched-records.ts';
import { openOwnService, startService } from '../support/service.ts';

const SEARCH = '/search-index';

describe('the search index', () => {
  const pipelineLimits = { flushMs: 80, reconcileEveryMs: 3_600_000 };
  const service = openOwnService({ indexer: true, pipelineLimits });
  const { db, demo, acme } = service;

  const stats = async (token?: string) =>
    (await service.call(`${SEARCH}/admin/stats`, undefined, token ? { token } : {})).body;
  const settled = () => eventually(async () => (await stats()).pipeline.pending, 0);
  const reconciled = () => {
    const { databaseUrl } = service.settings;
    const parts = { db, databaseUrl, limits: limitsOf.production, log: makeLog('test', 'silent') };
    return reconcile({ ...parts, lookedAt: new Map(), stop: new AbortController().signal });
  };

  it('takes one event or several over HTTP, and brings the index up to what the record is', async () => {
    const id = await insertIndexedRecord(db, demo.hostId, 'leads', { dealname: 'Vestibular' });
    await settled();
    await db('search_records').where({ origin_id: id }).delete();
    const event = { origin_table: 'leads', origin_id: id, operation: 'DELETE' };
    const sent = await service.call(`${SEARCH}/events`, [event, { ...event, origin_id: randomUUID() }]);
    expect([sent.status, sent.body]).to.deep.equal([202, { accepted: true, queued: 2 }]);
    await eventually(async () => (await db('search_records').where({ origin_id: id })).length, 1);
    for (const wrong of [{ origin_table: 'hosts' }, { operation: 'TRUNCATE' }, { origin_id: '1' }]) {
      const refused = await service.call(`${SEARCH}/events`, { ...event, ...wrong });
      expect([refused.status, refused.body.data.fields.length]).to.deep.equal([400, 1]);
    }
    const tooMany = Array.from({ length: 1_001 }, () => event);
    expect((await service.call(`${SEARCH}/events`, tooMany)).status).to.equal(400);
  });

  it('changes nothing of another host by an event', async () => {
    const id = await insertIndexedRecord(db, demo.hostId, 'leads', { dealname: 'Enem' });
    await settled();
    await db('search_records').where({ origin_id: id }).delete();
    const event = { origin_table: 'leads', origin_id: id, operation: 'UPDATE' };
    const { status } = await service.call(`${SEARCH}/events`, event, { token: acme.token });
    expect([status, (await db('search_outbox').where({ origin_id: id })).length]).to.deep.equal([202, 0]);
    await reconciled();
  });

  it('is reindexed where something is missing, one run at a time, and each token for its own hosts', async () => {
    for (let at = 0; at < 60; at += 1)
      await insertRecord(db, demo.hostId, 'leads', { dealname: `Curso ${at}` });
    await settled();
    const before = await stats();
    await db('search_records').where({ host_id: demo.hostId, origin_table: 'leads' }).delete();
    expect((await stats()).tables.leads.missing).to.equal(before.tables.leads.source);
    expect((await stats(acme.token)).tables.leads).to.include({ source: 0, missing: 0, coverage: 1 });
    const order = { tables: ['leads'], batch_size: 5 };
    const both = await Promise.all([1, 2].map(() => service.call(`${SEARCH}/admin/reindex`, order)));
    expect(both.map(({ status }) => status)).to.have.members([202, 409]);
    const [started, refused] = both.toSorted((a, b) => a.status - b.status).map(({ body }) => body);
    expect(started).to.include({ status: 'enqueued', estimated_rows: before.tables.leads.source });
    expect(refused.data.job_id).to.equal(started.job_id);
    await eventually(async () => (await stats()).tables.leads.missing, 0);
    const reindex = () => service.call(`${SEARCH}/admin/reindex`, { mode: 'full' });
    await eventually(async () => (await reindex()).status, 202);
    await eventually(() => db('search_reindexes').whereNull('finished_at'), []);
  });

  it('is not reindexed since a time that no calendar of the database has', async () => {
    const message = rules.date;
    const longYears = ['-004800-01-01', '-271821-04-20T00:00:00Z', '+012026-01-01'];
    for (const since of [...longYears, '2026-02-30', '2026-03']) {
      const { status, body } = await service.call(`${SEARCH}/admin/reindex`, { since });
      expect([status, body.data.fields?.[0]], since).to.deep.equal([
        400,
        { path: 'since', rule: 'date', message },
      ]);
    }
  });

  it('is reconciled: what is missing, stale or orphaned is mended, counted and listed', async () => {
    const [missing, stale] = [
      await insertIndexedRecord(db, demo.hostId, 'tickets', { subject: 'Um' }),
      await insertIndexedRecord(db, demo.hostId, 'tickets', { subject: 'Dois' }),
    ];
    await settled();
    await db('search_records').where({ origin_id: missing }).delete();
    await db('search_records').where({ origin_id: stale }).update({ hash: 1, content: 'outro' });
    const orphan = randomUUID();
    const [row] = await db('search_records').where({ origin_id: stale });
    await db('search_records').insert({ ...row, origin_id: orphan });
    await reconciled();
    const { reconcile: run, tables } = await stats();
    expect(tables.tickets).to.include({ missing: 0, orphans: 0, stale: 1 });
    expect(run).to.include({ removed: 1, repaired: 2 });
    expect(run.health_score).to.be.within(1, 99.9);
    const listed = run.repairs.map(({ origin_id, what }: Record<string, string>) => [origin_id, what]);
    expect(listed).to.deep.include.members([
      [missing, 'missing'],
      [stale, 'stale'],
      [orphan, 'orphan'],
    ]);
    await reconciled();
    expect((await stats()).reconcile.health_score).to.equal(100);
  });

  it('keeps orphans when they are too many to be believed, until somebody confirms', async () => {
    const orphans = 1_001;
    await db.raw(
      `insert into search_records (host_id, origin_table, origin_id, title, original, content, vector, updated_at, hash)
       select ?, 'leads', gen_random_uuid(), '', '', '', '', now(), 0 from generate_series(1, ?)`,
      [acme.hostId, orphans],
    );
    await reconciled();
    const { token } = acme;
    expect((await stats(token)).tables.leads.orphans).to.equal(orphans);
    await service.call(`${SEARCH}/admin/reindex`, { tables: ['leads'], confirm_orphans: true }, { token });
    await eventually(async () => (await stats(token)).tables.leads.orphans, 0);
  });

  it('tells its health, to who may tell it of events and to administrators', async () => {
    const { makeToken, call } = service;
    const writer = await makeToken({ hostIds: [demo.hostId], scopes: ['search:write'] });
    await settled();
    for (const address of ['events/health', 'admin/health']) {
      const { status, body } = await call(`${SEARCH}/${address}`);
      expect([status, body.status, body.checks.listener]).to.deep.equal([200, 'ok', 'ok']);
    }
    expect((await call(`${SEARCH}/events/health`, undefined, { token: writer })).status).to.equal(200);
    expect((await call(`${SEARCH}/admin/health`, undefined, { token: writer })).status).to.equal(403);
  });

  it('is degraded while an event waits for more than half a minute', async () => {
    const { call } = service;
    const record = { host_id: demo.hostId, origin_table: 'leads', origin_id: randomUUID() };
    const late = { ...record, operation: 'UPDATE' };
    const times = { created_at: new Date(Date.now() - 40_000), not_before: new Date(Date.now() + 60_000) };
    await db('search_outbox').insert({ ...late, ...times });
    const { status, body } = await call(`${SEARCH}/admin/health`);
    expect([status, body.status, body.checks.pipeline]).to.deep.equal([200, 'degraded', 'degraded']);
    expect(body.freshness_ms).to.be.greaterThan(30_000);
    await db('search_outbox').delete();
  });
});

describe('the search index without any worker', () => {
  it('is down, and says so within moments', async () => {
    const service = await startService({ workers: false });
    const asked = ['events/health', 'admin/health'].map(address => service.call(`${SEARCH}/${address}`));
    const answers = await Promise.all(asked);
    await service.close();
    const down = [503, { status: 'down', checks: { queue: 'down' } }];
    expect(answers.map(({ status, body }) => [status, body])).to.deep.equal([down, down]);
  });
});
