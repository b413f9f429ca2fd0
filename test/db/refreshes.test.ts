import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { countOpenImports, findWaitingImports, insertImport } from '../../db/knowledge/document-imports.ts';
import { openDocument } from '../../db/knowledge/documents.ts';
import { MAX_REFRESHING, orderRefreshes, setRefresh } from '../../db/knowledge/refreshes.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const HOSTS = MAX_REFRESHING + 1;
const DUE = 1_000;

describe('documents that are due to be read again', () => {
  const { db } = openOnce(makeDatabase);

  /** A host with this many due documents of addresses. */
  const addHost = async (due: number) => {
    const host = await buildHost(db);
    await db('document_imports').where({ host_id: host.hostId }).delete();
    const token = { id: randomUUID(), name: 'CRM' };
    await db.raw(
      `with made as (
         insert into documents (host_id, dataset_id, name, media_type, url, refresh_every_hours)
         select ?, ?, 'Guia', 'text/html', 'https://site.example/' || nth, 10 from generate_series(1, ?::integer) nth
         returning host_id, id
       ), ended as (
         insert into document_imports (host_id, id, document_id, name, media_type, url, token_id, token_name, stage, ended_at)
         select host_id, 'x' || id, id, 'Guia', 'text/html', 'x', ?, 'CRM', 'ended', now() from made
       )
       insert into document_refreshes (host_id, document_id, due_at) select host_id, id, now() from made`,
      [host.hostId, host.datasetId, due, token.id],
    );
    return { ...host, token };
  };
  const running = () => db('document_imports').where({ ended_at: null, automatic: true });

  it('keep no person waiting, however many they are: one a host at a time, few over all, and behind what people order', async () => {
    const hosts = await Promise.all(Array.from({ length: HOSTS }, () => addHost(DUE)));
    for (let look = 0; look < 3; look += 1) await orderRefreshes(db);
    const ordered = await running();
    expect(new Set(ordered.map(({ host_id }) => host_id)).size).to.equal(MAX_REFRESHING);
    expect(ordered).to.have.length(MAX_REFRESHING);
    const { inHost, datasetId, token } = assertDefined(
      hosts.find(({ hostId }) => hostId === ordered[0]?.host_id),
    );
    const document = { datasetId, name: 'Edital', mediaType: 'text/plain' };
    await inHost(async scope => {
      const documentId = assertDefined(await openDocument(scope, document));
      await insertImport(scope, { ...document, id: 'person', documentId, token });
      expect(await countOpenImports(scope)).to.equal(1);
    });
    expect((await findWaitingImports(db))[0]?.id).to.equal('person');
    await running().update({ stage: 'ended', ended_at: db.fn.now() });
    await orderRefreshes(db);
    expect(await running()).to.have.length(MAX_REFRESHING);
    await db('document_imports').update({ stage: 'ended', ended_at: db.fn.now() });
  });

  it('are due again at times that fall apart, within a twentieth of what was asked for', async () => {
    const { inHost, datasetId } = await addHost(0);
    await inHost(async scope => {
      for (let nth = 0; nth < 20; nth += 1) {
        const page = { datasetId, name: 'Guia', mediaType: 'text/html', url: 'https://site.example/' };
        await setRefresh(scope, assertDefined(await openDocument(scope, page)), 10);
      }
    });
    const rows = await db('document_refreshes')
      .join('documents', 'documents.id', 'document_id')
      .where({ 'documents.dataset_id': datasetId })
      .whereNotNull('refresh_every_hours')
      .select(db.raw('extract(epoch from due_at - now()) / 3600 as hours'));
    const hours = rows.map(row => Number(row.hours));
    expect(new Set(hours).size).to.equal(20);
    expect(Math.min(...hours)).to.be.above(9.49);
    expect(Math.max(...hours)).to.be.below(10.51);
  });

  it('wait while their host is disabled, their dataset deleted or an import of them open', async () => {
    await db('document_imports').update({ stage: 'ended', ended_at: db.fn.now() });
    await db('document_refreshes').delete();
    const [disabled, without, busy] = [await addHost(1), await addHost(1), await addHost(1)];
    await db('hosts').where({ id: disabled.hostId }).update({ disabled: true });
    await db('datasets').where({ host_id: without.hostId }).update({ deleted: true });
    await db('document_imports').where({ host_id: busy.hostId }).update({ stage: 'waiting', ended_at: null });
    await orderRefreshes(db);
    expect(await running()).to.deep.equal([]);
    await db('document_imports')
      .where({ host_id: busy.hostId })
      .update({ stage: 'ended', ended_at: db.fn.now() });
    await orderRefreshes(db);
    expect((await running()).map(({ host_id }) => host_id)).to.deep.equal([busy.hostId]);
  });
});
