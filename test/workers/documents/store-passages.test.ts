import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { findChunkForUpdate, updateChunk } from '../../../db/knowledge/chunks.ts';
import { insertDataset } from '../../../db/knowledge/datasets.ts';
import { beginImport, insertImport } from '../../../db/knowledge/document-imports.ts';
import { listDocuments, openDocument } from '../../../db/knowledge/documents.ts';
import type { DocumentText } from '../../../workers/domain/documents/block.ts';
import type { PassageFilter } from '../../../workers/domain/passage-filter.ts';
import { storePassages } from '../../../workers/knowledge/store-passages.ts';
import { assertDefined } from '../../support/assert-defined.ts';
import { buildHost } from '../../support/build-host.ts';
import { makeDatabase } from '../../support/database.ts';
import { openOnce } from '../../support/opened.ts';
import { waitForLock } from '../../support/wait-for-lock.ts';

const [norte, sul] = [{ campus: ['norte'] }, { campus: ['sul'] }];

describe('the filters of a document that is imported again', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));
  let datasetId: string;
  const { inHost } = host;
  beforeEach(async () => {
    datasetId = (await inHost(scope => insertDataset(scope, { name: 'Regras', type: 'filtered_rag' }))).id;
  });

  interface Sent {
    readonly filter?: PassageFilter;
    readonly head?: Partial<DocumentText>;
  }
  const orderOf = ({ filter }: Sent) =>
    inHost(async scope => {
      const document = { datasetId, externalKey: 'guia', name: 'Guia', mediaType: 'text/plain' } as const;
      const documentId = assertDefined(await openDocument(scope, document));
      const [id, token] = [randomUUID(), { id: host.avatarId, name: 'test' }];
      await insertImport(scope, { ...document, id, documentId, filter, token });
      return assertDefined(await beginImport(scope, id));
    });
  type Order = Awaited<ReturnType<typeof orderOf>>;
  /** Resolves to `stored`, or why nothing was changed. */
  const store = (order: Order, texts: readonly string[], { head }: Sent = {}) => {
    const passages = texts.map(content => ({ content, place: '' }));
    const replacement = { passages, mediaType: 'text/plain', head: { blocks: [], ...head } } as const;
    return storePassages(db, order, replacement).then(
      () => 'stored',
      error => error.reason ?? error.message,
    );
  };
  const load = async (texts: readonly string[], sent: Sent = {}) => store(await orderOf(sent), texts, sent);
  const stored = async () => {
    const rows = await db('chunks').where({ dataset_id: datasetId, deleted: false });
    return Object.fromEntries(rows.map(({ content, filter }) => [content, filter?.campus?.[0] ?? 'open']));
  };
  const listed = async () => {
    const first = { limit: 1, after: undefined };
    return (await inHost(scope => listDocuments(scope, { datasetId }, first)))[0]?.filter;
  };
  const edit = (text: string, filter: PassageFilter) =>
    inHost(async scope => {
      const { id } = await db('chunks').where({ dataset_id: datasetId, content: text }).first('id');
      const chunk = assertDefined(await findChunkForUpdate(scope, id));
      await updateChunk(scope, id, { content: chunk.content, filter, tokenCount: 1 });
    });

  for (const [how, sent] of [
    ['a field', { filter: norte }],
    ['a head', { head: { filter: norte } }],
  ] as const)
    it(`stay where nothing is said after ${how}, and a new passage is refused until something is`, async () => {
      expect(await load(['A 1', 'B 1'], sent)).to.equal('stored');
      expect(await load(['A 1'])).to.equal('stored');
      expect([await stored(), await listed()]).to.deep.equal([{ 'A 1': 'norte' }, norte]);
      for (const texts of [['A 1', 'B 1'], ['A 2']]) expect(await load(texts)).to.equal('filter-missing');
      expect([await stored(), await listed()]).to.deep.equal([{ 'A 1': 'norte' }, norte]);
      await load([]);
      expect(await load(['A 1'])).to.equal('filter-missing');
      expect(await load(['A 2', 'B 1'], { head: { filter: sul } })).to.equal('stored');
      expect([await stored(), await listed()]).to.deep.equal([{ 'A 2': 'sul', 'B 1': 'sul' }, sul]);
      expect(await load(['A 2'], { filter: {} })).to.equal('stored');
      expect([await stored(), await listed()]).to.deep.equal([{ 'A 2': 'open' }, undefined]);
      expect(await load(['A 3'])).to.equal('stored');
    });

  it('are those of each passage, also where one was edited by hand', async () => {
    await load(['A 1', 'B 1', 'C 1']);
    await edit('B 1', sul);
    expect(await load(['B 1', 'A 1'])).to.equal('stored');
    expect([await stored(), await listed()]).to.deep.equal([{ 'A 1': 'open', 'B 1': 'sul' }, undefined]);
    expect(await load(['B 2', 'A 1'])).to.equal('filter-missing');
    expect(await load(['B 1', 'A 2'])).to.equal('filter-missing');
    expect(await stored()).to.deep.equal({ 'A 1': 'open', 'B 1': 'sul' });
    await load(['A 1', 'B 1'], { filter: norte });
    await edit('B 1', {});
    await load(['A 1', 'B 1']);
    expect(await stored()).to.deep.equal({ 'A 1': 'norte', 'B 1': 'open' });
  });

  it('are those of a passage, too, that was deleted by hand and comes back', async () => {
    await load(['A 1', 'B 1']);
    await edit('B 1', sul);
    await db('chunks').where({ dataset_id: datasetId, content: 'B 1' }).update({ deleted: true });
    expect(await load(['A 1', 'B 1'])).to.equal('filter-missing');
    expect(await stored()).to.deep.equal({ 'A 1': 'open' });
    expect(await load(['A 1'])).to.equal('stored');
    expect(await load(['A 1', 'B 1'], { filter: {} })).to.equal('stored');
    expect(await load(['A 1', 'B 2'])).to.equal('stored');
    expect(await stored()).to.deep.equal({ 'A 1': 'open', 'B 2': 'open' });
  });

  it('are no reason to refuse in a common dataset, where nobody is kept from a passage: a new one gets the last', async () => {
    datasetId = (await inHost(scope => insertDataset(scope, { name: 'Aberta', type: 'common_rag' }))).id;
    await load(['A 1'], { filter: norte });
    expect(await load(['A 1', 'B 1'])).to.equal('stored');
    expect([await stored(), await listed()]).to.deep.equal([{ 'A 1': 'norte', 'B 1': 'norte' }, norte]);
    await load(['A 1'], { filter: {} });
    await edit('A 1', sul);
    expect(await load(['A 2'])).to.equal('stored');
    expect(await stored()).to.deep.equal({ 'A 2': 'open' });
  });

  it('are given by an edit that a passage gets while its text is replaced', async () => {
    await load(['A 1', 'B 1']);
    const { id } = await db('chunks').where({ dataset_id: datasetId, content: 'B 1' }).first('id');
    const importing = await inHost(async scope => {
      const chunk = assertDefined(await findChunkForUpdate(scope, id));
      await updateChunk(scope, id, { content: chunk.content, filter: sul, tokenCount: 1 });
      const ended = load(['A 1', 'B 2']);
      await waitForLock(scope.tx);
      return { ended };
    });
    expect(await importing.ended).to.equal('filter-missing');
    expect(await stored()).to.deep.equal({ 'A 1': 'open', 'B 1': 'sul' });
  });

  it('are those that another import gave meanwhile', async () => {
    await load(['A 1']);
    const [first, second] = [await orderOf({ filter: norte }), await orderOf({})];
    await store(first, ['A 1']);
    expect(await store(second, ['A 1', 'B 1'])).to.equal('filter-missing');
    expect(await store(second, ['A 1'])).to.equal('stored');
    expect([await stored(), await listed()]).to.deep.equal([{ 'A 1': 'norte' }, norte]);
  });

  it('are asked for where a first line may be meant as one, whatever was said before, but in a common dataset', async () => {
    const head = { hasFalseHead: true };
    expect(await load(['A 1'], { head })).to.equal('front-matter-invalid');
    expect(await load(['A 1'], { head, filter: norte })).to.equal('stored');
    expect(await load(['A 1'], { head })).to.equal('front-matter-invalid');
    expect(await load(['A 1'], { head: { filter: norte }, filter: norte })).to.equal('front-matter-invalid');
    datasetId = (await inHost(scope => insertDataset(scope, { name: 'Aberta', type: 'common_rag' }))).id;
    expect(await load(['A 1'], { head })).to.equal('stored');
  });
});
