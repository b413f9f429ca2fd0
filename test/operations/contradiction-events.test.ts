import { expect } from 'chai';
import { checkBody } from '../../queues/contract/check-body.ts';
import { eventTypes } from '../../queues/contract/events.ts';
import { checkContradictions } from '../../workers/knowledge/run-contradictions.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { openEach } from '../support/opened.ts';
import { openService } from '../support/service.ts';

const dance = (price: number) => `O ingresso do baile de máscaras custa R$ ${price},00.`;
const costume = (price: number) => `A fantasia de pirata custa R$ ${price},00.`;

describe('a contradiction that is found', () => {
  const service = openService();
  const { demo, db } = service;
  before(async () => {
    const wanted = { name: 'CRM', url: 'https://crm.example/', events: ['contradiction.found'] };
    await demo.call('saveWebhook', wanted);
  });
  // The passages of a test are gone with its dataset.
  const own = openEach(async () => {
    await db('events').delete();
    const dataset = { datasetName: 'Do teste', avatarIds: [demo.avatarId] };
    const datasetId: string = (await demo.call('createDataset', dataset)).body.data.id;
    return { datasetId, close: async () => db('datasets').where({ id: datasetId }).delete() };
  });

  const write = async (content: string, dataset_id = own.datasetId): Promise<string> =>
    (await demo.call('createChunk', { dataset_id, content })).body.data.chunk_id;
  const edit = async (id: string, fields: object) =>
    demo.call('editChunk', { id, dataset_id: own.datasetId, ...fields });
  const compare = () => checkContradictions({ owner: db, db }, new AbortController().signal, 0);
  const listed = async (): Promise<string[]> => {
    const { items } = (await demo.call('listContradictions', {})).body.data;
    return items.map(({ contradictionId }: { contradictionId: string }) => contradictionId);
  };
  /** Returns what was told so far. */
  const told = async () => {
    await compare();
    const data = await db('events')
      .where({ type: 'contradiction.found' })
      .orderBy('created_at')
      .pluck('data');
    for (const each of data)
      expect(checkBody(eventTypes['contradiction.found'].data as never, each).errors).to.deep.equal([]);
    return data;
  };
  const counts = async () => (await told()).map(({ count }) => count);

  it('is told with the others of its dataset, and not again while it stands, under the id that it was told with', async () => {
    const other = (await demo.call('createDataset', { datasetName: 'Outra', avatarIds: [demo.avatarId] }))
      .body.data.id;
    const edited = await write(dance(180));
    for (const text of [dance(220), costume(90), costume(70)]) await write(text);
    for (const hour of [8, 9]) await write(`A piscina aquecida abre às ${hour}h.`, other);
    const first = await told();
    expect(first.map(({ datasetId, count }) => [datasetId, count])).to.have.deep.members([
      [own.datasetId, 2],
      [other, 1],
    ]);
    const ids = await listed();
    expect(first.flatMap(({ contradictionIds }) => contradictionIds)).to.have.members(ids);

    await edit(edited, { content: `${dance(180)} Leva máscara.` });
    await edit(edited, { content: dance(190) });
    expect(await told()).to.deep.equal(first);
    expect(await listed()).to.have.members(ids);
    await write(dance(300));
    expect(await counts()).to.have.members([2, 1, 2]);
    await db('datasets').where({ id: other }).delete();
  });

  it('is not told again once staff said that it is none, also where a text changes', async () => {
    const [one] = [await write(dance(180)), await write(dance(220))];
    expect(await counts()).to.deep.equal([1]);
    const [contradictionId] = await listed();
    await demo.call('resolveContradiction', { contradictionId });
    await edit(one, { content: `${dance(180)} Leva máscara.` });
    expect(await counts()).to.deep.equal([1]);
    expect(await listed()).to.have.length(1);
  });

  it('is told again where staff had decided it, and a person wrote the wrong text again', async () => {
    const [right] = [await write(dance(180)), await write(dance(220))];
    expect(await counts()).to.deep.equal([1]);
    const [contradictionId] = await listed();
    await demo.call('resolveContradiction', { contradictionId, keepChunkId: right });
    expect(await counts()).to.deep.equal([1]);
    await write(dance(220));
    expect(await counts()).to.deep.equal([1, 1]);
  });

  it('is told of an approved answer, too, once', async () => {
    const questions = ['Quanto custa o ingresso do baile de máscaras?'];
    const approved = { avatarIds: [demo.avatarId], questions, answer: 'R$ 100,00.' };
    const { id } = await demo.make('saveApprovedAnswer', approved);
    const passage = await write(dance(180));
    const [first] = await told();
    const [{ contradicted }] = (await demo.call('listApprovedAnswers')).body.data;
    expect(first.contradictionIds).to.deep.equal([contradicted[0].contradictionId]);
    await demo.call('saveApprovedAnswer', { id, answer: 'R$ 110,00.' });
    await edit(passage, { content: dance(190) });
    expect(await counts()).to.deep.equal([1]);
    await demo.call('saveApprovedAnswer', { id, deleted: true });
  });

  it('is told with ten ids where more are found', async () => {
    const prices = Array.from({ length: 6 }, (_, at) => dance(100 + at));
    await Promise.all(prices.map(text => write(text)));
    const [{ count, contradictionIds }] = await told();
    expect([count, new Set(contradictionIds).size]).to.deep.equal([15, 10]);
  });

  it('is stored and told together, or neither, and once where a comparison runs again', async () => {
    const ids = await Promise.all([dance(180), dance(220)].map(text => write(text)));
    await withHeldLock(db, 'lock table deliveries in share mode', async ({ waitForBlocked, release }) => {
      const comparing = compare();
      await waitForBlocked(1);
      expect(await listed()).to.deep.equal([]);
      await release();
      await comparing;
    });
    expect(await counts()).to.deep.equal([1]);
    const due = ids.map(chunk_id => ({ host_id: demo.hostId, chunk_id, due_at: '-infinity' }));
    await db('contradiction_checks').insert(due);
    expect(await counts()).to.deep.equal([1]);
    expect(await listed()).to.have.length(1);
  });
});
