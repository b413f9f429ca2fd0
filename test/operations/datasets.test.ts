import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';

describe('datasets', () => {
  const service = openService();
  const { demo, acme, db } = service;

  const newAvatar = async (): Promise<string> => {
    const body = { sub_slug: `a${randomUUID()}`, avatar_name: 'Eva' };
    return (await demo.call('createSubAvatar', body)).body.data.avatar_id;
  };
  const create = async (more: Fields = {}) =>
    (await demo.call('createDataset', { datasetName: 'Manual', ...more })).body.data;
  const edit = (id: string, change: Fields) => demo.call('editDataset', { id, ...change });
  const link = (datasetId: string, avatarId: string) =>
    demo.call('linkDatasetAvatar', { datasetId, avatarId });
  const unlink = (datasetId: string, avatarId: string) =>
    demo.call('unlinkDatasetAvatar', { datasetId, avatarId });
  const listedFor = async (avatarIds?: string[]): Promise<string[]> =>
    (await demo.call('listDatasets', { avatarIds })).body.data.map(({ id }: { id: string }) => id);
  const readBy = async (avatar_id: string, datasetId: string): Promise<number> =>
    (await demo.call('readChunks', { avatar_id, dataset_ids: [datasetId] })).body.data.length;
  const teach = (dataset_id: string) =>
    demo.call('createChunk', { dataset_id, content: 'A secretaria abre às 8h.' });

  it('are made common, visible and lasting unless something else is said', async () => {
    const { id, created_at, updated_at, ...rest } = await create();
    expect(id).to.match(/^[0-9a-f-]{36}$/);
    for (const at of [created_at, updated_at])
      expect(at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(rest).to.deep.equal({
      dataset_name: 'Manual',
      dataset_type: 'common_rag',
      enrich: false,
      visible: true,
      deleted: false,
      expires: '2100-01-01T00:00:00.000Z',
    });
    const filtered = await create({ datasetType: 'filtered_rag', expires: '2031-05-01T12:00:00-03:00' });
    expect(filtered).to.include({ dataset_type: 'filtered_rag', expires: '2031-05-01T15:00:00.000Z' });
  });

  it('expire at the local midnight of the host where a day alone is given', async () => {
    await setHost(db, demo.slug, { timeZone: 'America/Sao_Paulo' });
    expect((await create({ expires: '2031-05-01' })).expires).to.equal('2031-05-01T03:00:00.000Z');
    expect((await create({ expires: '0000-01-01T00:00Z' })).expires).to.equal('0000-01-01T00:00:00.000Z');
    expect((await create({ expires: '9999-12-31' })).expires).to.equal('9999-12-31T03:00:00.000Z');
  });

  it('are not made, nor changed, with a day that no calendar has', async () => {
    const { id } = await create();
    const before = await readStoredRows(db);
    for (const expires of ['2031-02-30', '2031-W05', '2031-05-01T24:00:00Z', 'amanhã', '']) {
      expectWrong(await demo.call('createDataset', { datasetName: 'Manual', expires }), 'expires');
      expectWrong(await edit(id, { expires }), 'expires');
    }
    expect(await readStoredRows(db)).to.deep.equal(before);
  });

  it('are linked to all avatars that are named, each once', async () => {
    const [first, second] = [await newAvatar(), await newAvatar()];
    const { id } = await create({ avatarIds: [first, second, first, second.toUpperCase()] });
    expect([await listedFor([first]), await listedFor([second])]).to.deep.equal([[id], [id]]);
    expect(await db('dataset_avatars').where({ dataset_id: id })).to.have.length(2);
  });

  it('are not made at all where one of several avatars is unknown or another host’s', async () => {
    const [known, other] = [await newAvatar(), await newAvatar()];
    const before = await readStoredRows(db);
    for (const unknown of [randomUUID(), acme.avatarId]) {
      const wanted = { datasetName: 'Manual', avatarIds: [known, unknown, other] };
      expectRefused(await demo.call('createDataset', wanted), 'avatar-not-found');
    }
    expect(await readStoredRows(db)).to.deep.equal(before);
  });

  it('are listed by name, hidden and expired ones too, deleted ones not, with six fields each', async () => {
    const avatarIds = [await newAvatar()];
    const names = ['c', 'a', 'b', 'd'];
    const ids = new Map<string, string>();
    for (const datasetName of names) ids.set(datasetName, (await create({ datasetName, avatarIds })).id);
    await edit(ids.get('a') ?? '', { visible: false });
    await edit(ids.get('b') ?? '', { expires: '2001-01-01' });
    await edit(ids.get('d') ?? '', { deleted: true });
    const listed: Fields[] = (await demo.call('listDatasets', { avatarIds })).body.data;
    expect(listed.map(each => each['dataset_name'])).to.deep.equal(['a', 'b', 'c']);
    const fields = ['id', 'dataset_name', 'dataset_type', 'enrich', 'created_at', 'updated_at'];
    for (const each of listed) expect(each).to.have.all.keys(fields);
    expect(await listedFor()).to.include.members([ids.get('a'), ids.get('b'), ids.get('c')]);
    expect(await listedFor([])).to.deep.equal([]);
    expect(await listedFor([randomUUID()])).to.deep.equal([]);
  });

  it('change in what is given and nothing else, and come back whole when they were deleted', async () => {
    const avatarId = await newAvatar();
    const made = await create({ avatarIds: [avatarId], datasetType: 'filtered_rag' });
    await teach(made.id);
    const renamed = (await edit(made.id, { datasetName: 'Guia' })).body.data;
    expect(renamed).to.deep.equal({ ...made, dataset_name: 'Guia', updated_at: renamed.updated_at });
    for (const [change, readable] of [
      [{ visible: false }, 0],
      [{ visible: true }, 1],
      [{ deleted: true }, 0],
      [{ deleted: false }, 1],
      [{ expires: '2001-01-01' }, 0],
      [{ expires: '2101-01-01' }, 1],
    ] as const) {
      expect((await edit(made.id, change)).status).to.equal(200);
      expect(await readBy(avatarId, made.id), JSON.stringify(change)).to.equal(readable);
    }
    expectRefused(await edit(randomUUID(), { visible: false }), 'dataset-not-found');
  });

  describe('and the avatars that read them', () => {
    it('are linked once, and the second time changes nothing', async () => {
      const [{ id: datasetId }, avatarId] = [await create(), await newAvatar()];
      const first = await link(datasetId, avatarId);
      const { id, created_at, updated_at, ...rest } = first.body.data;
      expect([id, created_at, updated_at].join(' ')).to.match(/^\S{36} \S+Z \S+Z$/);
      expect(rest).to.deep.equal({
        dataset_name: 'Manual',
        avatar_id: avatarId,
        avatar_name: 'Eva',
        dataset_id: datasetId,
        visible: true,
        deleted: false,
      });
      expect((await link(datasetId, avatarId)).body).to.deep.equal(first.body);
    });

    it('are linked once however many ask at once', async () => {
      const [{ id: datasetId }, avatarId] = [await create(), await newAvatar()];
      const answers = await Promise.all(Array.from({ length: 20 }, () => link(datasetId, avatarId)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).to.have.property('size', 1);
      expect(await db('dataset_avatars').where({ dataset_id: datasetId })).to.have.length(1);
    });

    it('are linked by the same link, readable again, after it was deleted or hidden', async () => {
      const [{ id: datasetId }, avatarId] = [await create(), await newAvatar()];
      await teach(datasetId);
      const { id } = (await link(datasetId, avatarId)).body.data;
      for (const change of [{ deleted: true }, { visible: false }, { deleted: true, visible: false }]) {
        await db('dataset_avatars').where({ id }).update(change);
        expect(await readBy(avatarId, datasetId)).to.equal(0);
        const again = (await link(datasetId, avatarId)).body.data;
        expect(again).to.include({ id, visible: true, deleted: false });
        expect(await readBy(avatarId, datasetId)).to.equal(1);
      }
    });

    it('are not linked where either is unknown, or the dataset deleted', async () => {
      const [{ id: datasetId }, avatarId] = [await create(), await newAvatar()];
      expectRefused(await link(randomUUID(), avatarId), 'dataset-not-found');
      expectRefused(await link(datasetId, randomUUID()), 'avatar-not-found');
      await edit(datasetId, { deleted: true });
      expectRefused(await link(datasetId, avatarId), 'dataset-not-found');
    });

    it('are unlinked once or twice, and linked again by the same link', async () => {
      const [{ id: datasetId }, avatarId] = [await create(), await newAvatar()];
      await teach(datasetId);
      const linked = (await link(datasetId, avatarId)).body.data;
      const first = (await unlink(datasetId, avatarId)).body.data;
      expect(first).to.deep.equal({ ...linked, deleted: true, updated_at: first.updated_at });
      expect((await unlink(datasetId, avatarId)).body.data).to.deep.equal(first);
      expect([await readBy(avatarId, datasetId), await listedFor([avatarId])]).to.deep.equal([0, []]);
      expect(await listedFor()).to.include(datasetId);
      const [entry] = (await demo.call('listAudit', { operation: 'unlinkDatasetAvatar' })).body.data.items;
      expect(entry).to.deep.include({ table: 'dataset_avatars', rowId: linked.id, actorKind: 'token' });
      expect((await link(datasetId, avatarId)).body.data).to.include({ id: linked.id, deleted: false });
      expect(await readBy(avatarId, datasetId)).to.equal(1);
    });

    it('are not unlinked where either is unknown, or they never were linked', async () => {
      const [{ id: datasetId }, avatarId] = [await create({ avatarIds: [] }), await newAvatar()];
      await link(datasetId, avatarId);
      const [{ id: otherDataset }, otherAvatar] = [await create(), await newAvatar()];
      const before = await readStoredRows(db);
      expectRefused(await unlink(randomUUID(), avatarId), 'dataset-not-found');
      expectRefused(await unlink(datasetId, randomUUID()), 'avatar-not-found');
      expectRefused(await unlink(datasetId, otherAvatar), 'link-not-found');
      expectRefused(await unlink(otherDataset, avatarId), 'link-not-found');
      expect(await readStoredRows(db)).to.deep.equal(before);
    });
  });
});
