import { expect } from 'chai';
import { endValidity } from '../../db/knowledge/validity.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { chunksOf, importAndWait } from '../support/imports.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

const NEVER = '00000000-0000-4000-8000-000000000000';

describe('a document', () => {
  const service = openService();
  const host = openEach(() => service.addHost());
  const owner = { db: service.db, demo: host };
  const dataset = openEach(async () => {
    const made = await host.call('createDataset', { datasetName: 'Editais', avatarIds: [host.avatarId] });
    return { id: made.body.data.id as string };
  });

  const content = '# Inscrição\n\nAté 20 de março.\n\n# Prova\n\nEm 2 de maio.';
  const document = { name: 'Edital', external_key: 'edital', content_type: 'text/markdown' };
  const load = async (more: Fields = {}) =>
    (await importAndWait(owner, { ...document, dataset_id: dataset.id, content, ...more })).data
      ?.documentId ?? '';
  const read = async (more: Fields = {}): Promise<Fields[]> =>
    (await host.call('readChunks', { avatar_id: host.avatarId, dataset_ids: [dataset.id], ...more })).body
      .data;
  const edit = (id: string, more: Fields) => host.call('editDocument', { id, ...more });
  const listed = async () =>
    (await host.call('listDocuments', { dataset_id: dataset.id })).body.data.items[0];

  it('is read while it is valid, by its import or a later word, and staff see it always', async () => {
    const id = await load({ valid_until: '2020-12-31T00:00Z' });
    expect(await read()).to.deep.equal([]);
    expect((await read({ include_not_valid: true })).map(each => each['not_valid'])).to.deep.equal([
      true,
      true,
    ]);
    expect(await listed()).to.include({ not_valid: true, valid_until: '2020-12-31T00:00:00.000Z' });
    await load({ content: `${content}\n\n# Vagas\n\nSão 40.` });
    expect(await read()).to.deep.equal([]);
    const { body } = await edit(id, { valid_until: null });
    expect(body.data).not.to.have.any.keys('valid_until', 'not_valid');
    expect(await read()).to.have.length(3);
    await load({ valid_from: '2999-01-01' });
    expect(await read()).to.deep.equal([]);
  });

  it('leaves a passage that is valid no more so, until an import says something of that', async () => {
    await load();
    const [first] = await chunksOf(service, dataset.id);
    await host.inHost(scope => endValidity(scope, first?.id ?? '', new Date()));
    await load();
    expect(await read()).to.have.length(1);
    await load({ valid_until: null });
    expect(await read()).to.have.length(2);
  });

  it('of no address is not read again, and is refused where its end comes before its beginning', async () => {
    const id = await load({ valid_from: '2026-03-02' });
    for (const more of [{ refresh_every_hours: 6 }, { refresh_now: true }])
      expectWrong(await edit(id, more), Object.keys(more)[0] ?? '');
    expectWrong(
      await host.call('importDocument', {
        ...document,
        dataset_id: dataset.id,
        content,
        refresh_every_hours: 6,
      }),
      'refresh_every_hours',
    );
    expectWrong(await edit(id, { valid_until: '2026-03-01' }), 'valid_until');
    for (const operation of ['editDocument', 'listDocumentChanges'] as const)
      expectRefused(await host.call(operation, { id: NEVER }), 'document-not-found');
  });

  it('has the last hundred of its changes in its history, the newest first', async () => {
    const id = await load();
    await service.db.raw(
      `insert into document_changes (host_id, document_id, automatic, added, kept, removed)
       select ?, ?, true, nth, 0, 0 from generate_series(1, 150) nth`,
      [host.hostId, id],
    );
    await load({ content: '# Prova\n\nEm 9 de maio.' });
    const { data } = (await host.call('listDocumentChanges', { id })).body;
    expect([data.length, data[0].added, data[1].added]).to.deep.equal([100, 1, 150]);
    expect(await service.db('document_changes').where({ document_id: id })).to.have.length(100);
  });
});
