import { expect } from 'chai';
import { checkContradictions } from '../../workers/knowledge/run-contradictions.ts';
import { expectRefused } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { importAndWait } from '../support/imports.ts';
import { say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const OLD = 'O ingresso do baile de máscaras custa R$ 180,00.';
const NEW = 'O ingresso do baile de máscaras custa R$ 220,00.';
const QUESTION = 'Quanto custa o ingresso do baile de máscaras?';

describe('contradictions between passages of a host', () => {
  const service = openService();
  const { demo, db } = service;
  const write = async (content: string, dataset_id = demo.datasetId): Promise<string> =>
    (await demo.call('createChunk', { dataset_id, content })).body.data.chunk_id;
  const drop = async (id: string, dataset_id = demo.datasetId) =>
    demo.call('editChunk', { id, dataset_id, deleted: true });
  const listed = async () => {
    await checkContradictions({ owner: db, db }, new AbortController().signal, 0);
    return (await demo.call('listContradictions', {})).body.data.items;
  };
  const idsOf = (found: readonly { passages: readonly { chunkId: string }[] }[]) =>
    found.map(({ passages }) => passages.map(({ chunkId }) => chunkId).toSorted());
  const resolve = async (contradictionId: string, keepChunkId?: string) =>
    demo.call('resolveContradiction', { contradictionId, ...(keepChunkId && { keepChunkId }) });

  it('of an import are looked for at once, and it says so until they are', async () => {
    const content = `# Baile\n\n${OLD}\n\n# Taxas\n\n${NEW}`;
    const order = { dataset_id: demo.datasetId, name: 'Baile', content_type: 'text/markdown', content };
    const { documentId = '' } = (await importAndWait(service, order)).data ?? {};
    const isCompared = async () => {
      const { items } = (await demo.call('listDocuments', { dataset_id: demo.datasetId })).body.data;
      return items.find(({ id }: { id: string }) => id === documentId).comparing === undefined;
    };
    await eventually(isCompared, is => is, 15_000);
    expect((await demo.call('listContradictions', {})).body.data.items).to.have.length(1);
    await demo.call('deleteDocument', { id: documentId });
  });

  it('are listed with what differs in each, and deciding for one ends the validity of the other', async () => {
    const [right, wrong] = [await write(NEW), await write(OLD)];
    const [found, ...others] = await listed();
    expect(others).to.deep.equal([]);
    const marked = found.passages.map(({ content }: { content: string }, at: number) =>
      content.slice(found.places[at].mark.from, found.places[at].mark.to),
    );
    expect(marked).to.have.members(['R$ 180,00', 'R$ 220,00']);
    expect(idsOf([found])).to.deep.equal([[right, wrong].toSorted()]);
    expectRefused(await resolve(found.contradictionId, demo.datasetId), 'chunk-not-found');
    expect((await resolve(found.contradictionId, right)).body.data.state).to.equal('resolved');
    expectRefused(await resolve(found.contradictionId, wrong), 'chunk-not-found');
    const body = { avatar_id: demo.avatarId, dataset_ids: [demo.datasetId], chunk_ids: [right, wrong] };
    const { data } = (await demo.call('readChunks', { ...body, include_not_valid: true })).body;
    expect(data.filter((chunk: { not_valid?: true }) => chunk.not_valid)).to.have.length(1);
    expect(data.find((chunk: { chunk_id: string }) => chunk.chunk_id === wrong).not_valid).to.equal(true);
    expect(await listed()).to.deep.equal([]);
    await Promise.all([drop(right), drop(wrong)]);
  });

  it('stay dismissed while both texts stand, whatever ids they have', async () => {
    const [one, other] = [await write(NEW), await write(OLD)];
    const [found] = await listed();
    expect((await resolve(found.contradictionId)).body.data.state).to.equal('dismissed');
    expect((await resolve(found.contradictionId)).body.data.state).to.equal('dismissed');
    expectRefused(await resolve(found.contradictionId, one), 'contradiction-not-found');
    await drop(other);
    const again = await write(OLD);
    expect(await listed()).to.deep.equal([]);
    await demo.call('editChunk', { id: again, dataset_id: demo.datasetId, content: `${OLD} Leva 4 dias.` });
    expect(idsOf(await listed())).to.deep.equal([[one, again].toSorted()]);
    await Promise.all([drop(one), drop(again)]);
  });

  it('end the validity of a whole document, where they are told of two versions', async () => {
    const importEdital = async (year: number, days: readonly number[]) => {
      const dates = ['inscrição', 'prova escrita', 'entrevista'].map(
        (what, at) => `## ${what}\n\nA data da ${what} do processo seletivo é ${days[at]} de maio.`,
      );
      const content = `# Edital ${year}\n\n${dates.join('\n\n')}`;
      const name = `edital-${year}.md`;
      await importAndWait(service, {
        dataset_id: demo.datasetId,
        name,
        content,
        content_type: 'text/markdown',
      });
    };
    await importEdital(2026, [3, 10, 17]);
    await importEdital(2027, [4, 11, 18]);
    const [found, ...others] = await listed();
    expect(others).to.deep.equal([]);
    expect([found.kind, found.pairs]).to.deep.equal(['versions', 3]);
    type Side = { chunkId: string; documentName: string };
    const sides: Side[] = found.passages;
    expect(sides.map(side => side.documentName)).to.have.members(['edital-2026.md', 'edital-2027.md']);
    await resolve(
      found.contradictionId,
      sides.find(side => side.documentName === 'edital-2027.md')?.chunkId.toUpperCase(),
    );
    const documents = (await demo.call('listDocuments', { dataset_id: demo.datasetId })).body.data.items;
    expect(
      documents.map((document: { name: string; not_valid?: true }) => [document.name, document.not_valid]),
    ).to.have.deep.members([
      ['edital-2026.md', true],
      ['edital-2027.md', undefined],
    ]);
    expect(await listed()).to.deep.equal([]);
  });

  it('are told once of a text that stands in several passages', async () => {
    const other = NEW.replace('220', '340');
    const ids = [await write(other), await write(other), await write(NEW.replace('220', '300'))];
    expect(await listed()).to.have.length(1);
    await Promise.all(ids.map(async id => drop(id)));
  });

  it('are gone once a passage is changed or deleted', async () => {
    const [one, other] = [await write(NEW), await write(OLD.replace('180', '140'))];
    expect(await listed()).to.have.length(1);
    await demo.call('editChunk', { id: other, dataset_id: demo.datasetId, content: NEW });
    expect(await listed()).to.deep.equal([]);
    await Promise.all([drop(one), drop(other)]);
  });

  it('of a passage that changes are looked for among those of its words alone, and found', async () => {
    const texts = Array.from(
      'abcdefghijklmnopqrstuvwxyz',
      letter => `O coro ${letter.repeat(5)} ensaia canto.`,
    );
    const [one, other, ...others] = [
      await write(NEW),
      await write(NEW),
      ...(await Promise.all(texts.map(text => write(text)))),
    ];
    expect(await listed()).to.deep.equal([]);
    await demo.call('editChunk', {
      id: other,
      dataset_id: demo.datasetId,
      content: NEW.replace('220', '290'),
    });
    expect(idsOf(await listed())).to.deep.equal([[one, other].toSorted()]);
    await demo.call('editChunk', { id: other, dataset_id: demo.datasetId, content: NEW });
    expect(await listed()).to.deep.equal([]);
    await Promise.all([one, other, ...others].map(async id => drop(id ?? '')));
  });

  it('are none where no avatar reads both', async () => {
    const unread = (await demo.call('createDataset', { datasetName: 'Arquivo', avatarIds: [] })).body.data.id;
    const [one, other] = [await write(NEW), await write(OLD, unread)];
    expect(await listed()).to.deep.equal([]);
    await Promise.all([drop(one), drop(other, unread)]);
  });

  it('stop an approved answer that a passage contradicts, until either changes or a person says that it is none', async () => {
    service.model.script(say('Do modelo.'));
    const answered = async () => (await demo.ask(QUESTION)).text;
    const contradictedBy = async () => {
      await listed();
      const [{ contradicted }] = (await demo.call('listApprovedAnswers')).body.data;
      return contradicted;
    };
    const about = { avatarIds: [demo.avatarId], questions: [QUESTION] };
    const { id } = await demo.make('saveApprovedAnswer', { ...about, answer: 'R$ 100,00.' });
    expect([await contradictedBy(), await answered()]).to.deep.equal([[], 'R$ 100,00.']);

    const name = 'baile.md';
    const imported = { dataset_id: demo.datasetId, name, content: OLD, content_type: 'text/markdown' };
    await importAndWait(service, imported);
    const [passage, ...others] = await contradictedBy();
    expect(others).to.deep.equal([]);
    expect(passage).to.deep.include({ kind: 'price', documentName: name, sentence: OLD });
    expect(await answered()).to.equal('Do modelo.');

    await demo.call('saveApprovedAnswer', { id, answer: 'Custa R$ 180,00.' });
    expect([await contradictedBy(), await answered()]).to.deep.equal([[], 'Custa R$ 180,00.']);
    await demo.call('saveApprovedAnswer', { id, answer: 'R$ 140,00.' });
    const [again] = await contradictedBy();
    expect([again.chunkId, await answered()]).to.deep.equal([passage.chunkId, 'Do modelo.']);
    expect((await resolve(again.contradictionId)).body.data.state).to.equal('dismissed');
    await demo.call('saveApprovedAnswer', { id, enabled: true });
    expect([await contradictedBy(), await answered()]).to.deep.equal([[], 'R$ 140,00.']);

    await importAndWait(service, { ...imported, content: NEW });
    const [last] = await contradictedBy();
    await resolve(last.contradictionId, last.chunkId);
    const [{ enabled }] = (await demo.call('listApprovedAnswers')).body.data;
    expect(enabled).to.equal(false);
    await demo.call('saveApprovedAnswer', { id, deleted: true });
  });
});
