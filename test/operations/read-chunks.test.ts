import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { makeAvatarWithKnowledge, teach as teachAll } from '../support/avatar-with-knowledge.ts';
import { expectRefused } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { runIn, table } from '../support/statements.ts';

interface Entry {
  readonly chunk_id: string;
  readonly dataset_id: string;
  readonly content: string;
}

describe('reading chunks', () => {
  const service = openService();
  const { demo } = service;
  const eva = openEach(() => makeAvatarWithKnowledge(demo, `a${randomUUID()}`, []));

  const newDataset = async () => (await teachAll(demo, eva.avatarId, [])).datasetId;
  const teach = (datasetId: string, content: string) =>
    demo.inHost(scope => insertChunk(scope, { datasetId, content, tokenCount: 1 }));
  const ask = (dataset_ids: string[], more: Fields = {}, path = 'chunkReadHelper') =>
    service.call(`${SVC}/${path}`, { hostId: demo.hostId, avatar_id: eva.avatarId, dataset_ids, ...more });
  const contentsOf = async (dataset_ids: string[], more: Fields = {}): Promise<string[]> =>
    (await ask(dataset_ids, more)).body.data.map((entry: Entry) => entry.content);

  it('gives ten fields of each, under either name of the operation', async () => {
    const datasetId = await newDataset();
    const token = await service.makeToken({ hostIds: [demo.hostId], name: 'CMS' });
    const wanted = { host_id: demo.hostId, dataset_id: datasetId, content: 'A secretaria abre às 8h.' };
    const made = await demo.call('createChunk', wanted, { token });
    const { id: user_id } = await service.db('tokens').where({ name: 'CMS' }).first('id');
    for (const path of ['chunkReadHelper', 'readChunksHelper']) {
      for (const question of [undefined, '', 'Quando abre a secretaria?']) {
        const { data } = (await ask([datasetId], question === undefined ? {} : { question }, path)).body;
        expect(data).to.have.length(1);
        const { last_update, ...rest } = data[0];
        expect(new Date(last_update).toISOString()).to.equal(last_update);
        expect(rest).to.deep.equal({
          dataset_id: datasetId,
          dataset_name: 'Manual',
          expires: '2100-01-01T00:00:00.000Z',
          chunk_id: made.body.data.chunk_id,
          content: wanted.content,
          token_count: 8,
          search_question: question ?? '',
          user_id,
          user_name: 'CMS',
        });
      }
    }
  });

  it('names nobody where a command wrote', async () => {
    const datasetId = await newDataset();
    await teach(datasetId, 'x');
    expect((await ask([datasetId])).body.data[0]).to.include({ user_id: '', user_name: '' });
  });

  it('gives what the datasets that are named hold, and only where the avatar may read them', async () => {
    const [first, second] = [await newDataset(), await newDataset()];
    await teach(first, 'O zepelim um.');
    await teach(second, 'O zepelim dois.');
    for (const more of [{}, { question: 'zepelim' }]) {
      expect(await contentsOf([first], more)).to.deep.equal(['O zepelim um.']);
      expect(await contentsOf([first, second], more)).to.have.members(['O zepelim um.', 'O zepelim dois.']);
      expect(await contentsOf([], more)).to.deep.equal([]);
      expect(await contentsOf([randomUUID()], more)).to.deep.equal([]);
    }
    const avatar = { avatar_id: randomUUID() };
    expectRefused(await ask([first], avatar), 'avatar-not-found');
  });

  const hidings: readonly [why: string, table: string, change: Fields][] = [
    ['the dataset is hidden', 'datasets', { visible: false }],
    ['the dataset is deleted', 'datasets', { deleted: true }],
    ['the dataset has expired', 'datasets', { expires: new Date(0) }],
    ['the link is hidden', 'dataset_avatars', { visible: false }],
    ['the link is deleted', 'dataset_avatars', { deleted: true }],
  ];
  for (const [why, table, change] of hidings) {
    it(`gives nothing where ${why}`, async () => {
      const datasetId = await newDataset();
      await teach(datasetId, 'O zepelim.');
      const key = table === 'datasets' ? 'id' : 'dataset_id';
      await service.db(table).where(key, datasetId).update(change);
      expect(await contentsOf([datasetId])).to.deep.equal([]);
      expect(await contentsOf([datasetId], { question: 'zepelim' })).to.deep.equal([]);
    });
  }

  it('gives with a question what fits best, at most as many as the host allows, of these datasets', async () => {
    const [asked, other] = [await newDataset(), await newDataset()];
    for (let at = 0; at < 30; at += 1) await teach(other, `O zepelim parte no dia ${at}, o zepelim.`);
    for (const day of ['um', 'dois', 'três', 'quatro'])
      await teach(asked, `Na plataforma ${day}, o zepelim.`);
    await teach(asked, 'O zepelim parte do hangar.');
    await setHost(service.db, demo.slug, { maxChunks: 3 });
    try {
      const found = await contentsOf([asked], { question: 'De que hangar parte o zepelim?' });
      expect(found).to.have.length(3);
      expect(found[0]).to.equal('O zepelim parte do hangar.');
      expect(await contentsOf([asked])).to.have.length(5);
    } finally {
      await setHost(service.db, demo.slug, { maxChunks: 10 });
    }
  });

  it('gives those that are named, of these datasets, whatever the question', async () => {
    const [one, other] = [await newDataset(), await newDataset()];
    const ids = [await teach(one, 'Alfa'), await teach(one, 'Beta'), await teach(other, 'Gama')];
    const named = { chunk_ids: [ids[0], ids[2], randomUUID()], question: 'Beta?' };
    expect(await contentsOf([one], named)).to.deep.equal(['Alfa']);
    expect(await contentsOf([one, other], named)).to.deep.equal(['Gama', 'Alfa']);
    expect(await contentsOf([one], { chunk_ids: [] })).to.deep.equal([]);
  });

  it('gives without a question all, what was written last first, in pages if that is wanted', async () => {
    const datasetId = await newDataset();
    const ids: (string | undefined)[] = [];
    for (const content of ['a', 'b', 'c', 'd']) ids.push(await teach(datasetId, content));
    await demo.call('editChunk', { id: ids[1], dataset_id: datasetId, content: 'B' });
    expect(await contentsOf([datasetId])).to.deep.equal(['B', 'd', 'c', 'a']);
    expect(await contentsOf([datasetId], { limit: 2 })).to.deep.equal(['B', 'd']);
    expect(await contentsOf([datasetId], { limit: 2, offset: 3 })).to.deep.equal(['a']);
    expect(await contentsOf([datasetId], { offset: 4 })).to.deep.equal([]);
    expect((await ask([datasetId], { limit: 10_001 })).status).to.equal(400);
  });

  it('gives no more than a response may hold, in whatever characters', async () => {
    const datasetId = await newDataset();
    await rowsOf(service.db)`
      insert into chunks (host_id, dataset_id, content, token_count)
      select ${demo.hostId}, ${datasetId}, repeat(chr(1), 8000), 1 from generate_series(1, 300)`;
    const { body } = await ask([datasetId], {});
    expect(JSON.stringify(body.data).length).to.be.below(9_000_000);
    expect(body.data.length).to.be.within(170, 180);
  });

  it('gives a long page again for its Idempotency-Key', async () => {
    const datasetId = await newDataset();
    for (let at = 0; at < 20; at += 1) await teach(datasetId, `${at} ${'ção "\n'.repeat(1_300)}`);
    const headers = { 'idempotency-key': randomUUID() };
    const body = { hostId: demo.hostId, avatar_id: eva.avatarId, dataset_ids: [datasetId] };
    const read = async () => (await demo.call('readChunks', body, { headers })).body;
    const first = await read();
    expect(first.data).to.have.length(20);
    await demo.inHost(({ tx }) => runIn(tx, table('chunks').where({ dataset_id: datasetId }).delete()));
    expect(await read()).to.deep.equal(first);
  });

  it('gives what one answer cannot hold in several of a bearable size, each once', async () => {
    const datasetId = await newDataset();
    await rowsOf(service.db)`
      insert into chunks (host_id, dataset_id, content, token_count)
      select ${demo.hostId}, ${datasetId}, repeat('🙂', 8000), 1 from generate_series(1, 400)`;
    const seen = new Set<string>();
    const pages: number[] = [];
    for (;;) {
      const { status, body } = await ask([datasetId], { offset: seen.size });
      expect(status).to.equal(200);
      if (body.data.length === 0) break;
      pages.push(body.data.length);
      for (const { chunk_id } of body.data as Entry[]) seen.add(chunk_id);
    }
    expect(seen.size).to.equal(400);
    expect(pages).to.have.length(2);
    expect(pages[0], 'ended by its size').to.be.within(255, 270);
    expect(pages.reduce((sum, page) => sum + page)).to.equal(400);
  });
});
