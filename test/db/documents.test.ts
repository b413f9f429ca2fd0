import { expect } from 'chai';
import { insertChunks } from '../../db/knowledge/chunks.ts';
import {
  deleteDocument,
  deletePassages,
  lockDocument,
  movePassages,
  openDocument,
  readPassages,
} from '../../db/knowledge/documents.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

describe('the passages of a document', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));
  before(async () => {
    // A statement for thousands takes longer than one may.
    await db.raw(`create function refuse_many() returns trigger language plpgsql as $$
      begin
        if (select count(*) from gone) > 500 then raise 'too many in one statement'; end if;
        return null;
      end $$;
      create trigger refuse_many after update on chunks
        referencing old table as gone for each statement execute function refuse_many();
      create trigger refuse_many_deleted after delete on chunks
        referencing old table as gone for each statement execute function refuse_many()`);
  });

  const { inHost } = host;

  it('are of the one document of their key, and of a new one where there is no key', async () => {
    const document = { datasetId: host.datasetId, name: 'Guia', mediaType: 'text/plain' };
    const open = (key = {}) => inHost(scope => openDocument(scope, { ...document, ...key }));
    const [a, b] = [{ externalKey: 'a' }, { externalKey: 'b' }];
    const opened = [await open(a), await open(b), await open(), await open()];
    expect(new Set(opened)).to.have.property('size', 4);
    expect([await open(a), await open(b)]).to.deep.equal(opened.slice(0, 2));
  });

  it('are moved and deleted in statements that are short, however many they are', async () => {
    const { datasetId } = host;
    const documentId = await inHost(async scope => {
      const document = { datasetId, name: 'Preços', mediaType: 'text/csv' };
      const id = assertDefined(await openDocument(scope, document));
      const rows = Array.from({ length: 1_200 }, (_, at) => ({
        content: `Produto ${at}`,
        place: `row ${at + 2}`,
        tokenCount: 3,
      }));
      await insertChunks(scope, { documentId: id, datasetId }, rows);
      return id;
    });
    const passages = await inHost(scope => readPassages(scope, documentId));
    const moved = passages.map(({ id, place }) => ({ id, place: `row ${Number(place.slice(4)) + 1}` }));
    await inHost(scope => movePassages(scope, moved));
    const after = await inHost(scope => readPassages(scope, documentId));
    const placeOf = (those: readonly { id: string; place: string }[]) =>
      new Map(those.map(({ id, place }) => [id, place]));
    expect(placeOf(after)).to.deep.equal(placeOf(moved));
    await inHost(scope =>
      deletePassages(
        scope,
        after.map(({ id }) => id),
      ),
    );
    expect(await inHost(scope => readPassages(scope, documentId))).to.deep.equal([]);
  });

  it('go with their document, also those that an import stores while it is deleted', async () => {
    const { datasetId } = host;
    const document = { datasetId, name: 'Preços', mediaType: 'text/csv' };
    const documentId = assertDefined(await inHost(scope => openDocument(scope, document)));
    const deleting = await inHost(async scope => {
      await lockDocument(scope, { id: documentId, documentId });
      const deletion = inHost(other => deleteDocument(other, documentId));
      await waitForLock(scope.tx);
      await insertChunks(scope, { documentId, datasetId }, [
        { content: 'Produto', place: 'row 2', tokenCount: 3 },
      ]);
      return { deletion };
    });
    expect(await deleting.deletion).to.equal(1);
    expect(await inHost(scope => readPassages(scope, documentId))).to.deep.equal([]);
  });
});
