import { expect } from 'chai';
import { endImport, insertImport } from '../../../db/knowledge/document-imports.ts';
import { insertUpload } from '../../../db/knowledge/document-uploads.ts';
import { deleteDocument, lockDocument, openDocument } from '../../../db/knowledge/documents.ts';
import type { Parser } from '../../../workers/knowledge/open-parser.ts';
import { runImport } from '../../../workers/knowledge/run-import.ts';
import { assertDefined } from '../../support/assert-defined.ts';
import { itAtOnce } from '../../support/at-once.ts';
import { buildHost } from '../../support/build-host.ts';
import { makeDatabase } from '../../support/database.ts';
import { withHeldLock } from '../../support/held-commit.ts';
import { openOnce } from '../../support/opened.ts';

const egress = { fetch: () => Promise.reject(new Error('no address is read here')) };

/** Reads until it is told to stop, and tells of no page. */
function makeSilentParser(): Parser & { readonly hasBegun: Promise<void> } {
  let begin = () => {};
  const hasBegun = new Promise<void>(resolve => {
    begin = resolve;
  });
  return {
    hasBegun,
    read: (_request, { signal }) => {
      begin();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    close: () => {},
  };
}

describe('an import whose document is no longer wanted', () => {
  const { db } = openOnce(makeDatabase);

  /** A document in a host of its own. */
  const openOne = async () => {
    const { hostId, datasetId, avatarId, inHost } = await buildHost(db);
    const document = { datasetId, name: 'Guia', mediaType: 'text/plain' } as const;
    const documentId = assertDefined(await inHost(scope => openDocument(scope, document)));
    const order = (id: string) =>
      inHost(async scope => {
        const uploadId = await insertUpload(scope, Buffer.from('Texto.'));
        const token = { id: avatarId, name: 'test' };
        await insertImport(scope, { ...document, id, documentId, uploadId, token });
      });
    const rowOf = (id: string) => db('document_imports').where({ host_id: hostId, id }).first();
    return { hostId, datasetId, avatarId, documentId, inHost, order, rowOf };
  };

  /** Returns what the import resolves to when this happened while its parser tells of nothing. */
  async function importUntil(
    { hostId, order }: Awaited<ReturnType<typeof openOne>>,
    happens: () => Promise<unknown>,
  ): Promise<string | undefined> {
    await order('first');
    const parser = makeSilentParser();
    const { signal } = new AbortController();
    const parts = { db, parser, egress, signal, onFetching: () => {}, onProgress: async () => {} };
    const importing = runImport(parts, { hostId, importId: 'first' });
    await parser.hasBegun;
    await happens();
    return importing;
  }

  itAtOnce({
    async 'stops when it is deleted, although its parser tells of nothing'() {
      const one = await openOne();
      const { documentId, inHost, rowOf } = one;
      const forget = () => inHost(scope => deleteDocument(scope, documentId));
      expect(await importUntil(one, forget)).to.equal(undefined);
      expect(await rowOf('first')).to.equal(undefined);
    },

    async 'stops when a later import of it has ended, and says so'() {
      const one = await openOne();
      const { inHost, order, rowOf } = one;
      const supersede = async () => {
        await order('second');
        await inHost(scope => endImport(scope, 'second', {}));
      };
      expect(await importUntil(one, supersede)).to.equal('superseded');
      expect(await rowOf('first')).to.deep.include({ stage: 'ended', reason: 'superseded' });
    },

    async 'stops when its dataset is deleted, and says so'() {
      const one = await openOne();
      const forget = () => db('datasets').where({ id: one.datasetId }).update({ deleted: true });
      expect(await importUntil(one, forget)).to.equal('dataset-deleted');
    },

    async 'stops when its host is disabled, and waits to be begun again'() {
      const one = await openOne();
      const disable = () => db('hosts').where({ id: one.hostId }).update({ disabled: true });
      expect(await importUntil(one, disable)).to.equal(undefined);
      expect(await one.rowOf('first')).to.deep.include({ ended_at: null, stage: 'reading' });
    },
  });

  it('ends once: only who ended it may tell of that', async () => {
    const { inHost, order, rowOf } = await openOne();
    await order('first');
    expect(await inHost(scope => endImport(scope, 'first', {}))).to.equal(true);
    const ended = await rowOf('first');
    expect(await inHost(scope => endImport(scope, 'first', { reason: 'empty' }))).to.equal(false);
    expect(await rowOf('first')).to.deep.equal(ended);
  });

  it('leaves its bytes to another import that has them, too, as under one key, and the last one takes them along', async () => {
    const { avatarId, documentId, inHost } = await openOne();
    const token = { id: avatarId, name: 'test' };
    const keyed = { jobId: 'kkey', digest: 'digest' };
    const uploads = new Set<string>();
    const left = () =>
      db('document_uploads')
        .whereIn('id', [...uploads])
        .pluck('id');
    for (const id of ['first', 'second'])
      await inHost(async scope => {
        const uploadId = assertDefined(await insertUpload(scope, Buffer.from('Texto.'), keyed));
        uploads.add(uploadId);
        await insertImport(scope, { id, documentId, name: 'Guia', mediaType: 'text/plain', uploadId, token });
      });
    await inHost(scope => endImport(scope, 'first', {}));
    expect(await left())
      .to.deep.equal([...uploads])
      .and.to.have.length(1);
    await inHost(scope => endImport(scope, 'second', {}));
    expect(await left()).to.deep.equal([]);
  });

  it('is superseded also by one that ended while it waited to store its passages', async () => {
    const { documentId, inHost, order } = await openOne();
    await order('first');
    await order('second');
    const stateOf = (id: string) => inHost(scope => lockDocument(scope, { id, documentId }));
    let waiting: ReturnType<typeof stateOf> | undefined;
    const lock = `select from documents where id = '${documentId}' for no key update`;
    await withHeldLock(db, lock, async held => {
      waiting = stateOf('first');
      await held.waitForBlocked(1);
      await inHost(scope => endImport(scope, 'second', {}));
    });
    expect(await waiting).to.equal('superseded');
  });
});
