import { expect } from 'chai';
import { endImport, insertImport } from '../../../db/knowledge/document-imports.ts';
import { insertUpload } from '../../../db/knowledge/document-uploads.ts';
import { deleteDocument, lockDocument, openDocument } from '../../../db/knowledge/documents.ts';
import { type HostScope, withHost } from '../../../db/with-hosts.ts';
import type { Parser } from '../../../workers/knowledge/open-parser.ts';
import { runImport } from '../../../workers/knowledge/run-import.ts';
import { assertDefined } from '../../support/assert-defined.ts';
import { type BuiltHost, buildHost } from '../../support/build-host.ts';
import { makeDatabase, type TestDatabase } from '../../support/database.ts';
import { withHeldLock } from '../../support/held-commit.ts';

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
  let database: TestDatabase;
  let host: BuiltHost;
  let documentId: string;
  before(async () => {
    database = await makeDatabase();
  });
  beforeEach(async () => {
    host = await buildHost(database.db);
    documentId = (await inHost(scope =>
      openDocument(scope, { datasetId: host.datasetId, name: 'Guia', mediaType: 'text/plain' }),
    )) as string;
  });
  after(() => database.drop());

  const inHost = <T>(work: (scope: HostScope) => Promise<T>) => withHost(database.db, host.hostId, work);
  const order = (id: string) =>
    inHost(async scope => {
      const uploadId = await insertUpload(scope, Buffer.from('Texto.'));
      const token = { id: host.avatarId, name: 'test' };
      await insertImport(scope, { id, documentId, name: 'Guia', mediaType: 'text/plain', uploadId, token });
    });
  const rowOf = (id: string) => database.db('document_imports').where({ host_id: host.hostId, id }).first();

  /** What the import resolves to when this happened while its parser tells of nothing. */
  async function importUntil(happens: () => Promise<unknown>): Promise<string | undefined> {
    await order('first');
    const parser = makeSilentParser();
    const { signal } = new AbortController();
    const parts = {
      db: database.db,
      parser,
      egress,
      signal,
      onFetching: () => {},
      onProgress: async () => {},
    };
    const importing = runImport(parts, { hostId: host.hostId, importId: 'first' });
    await parser.hasBegun;
    await happens();
    return importing;
  }

  it('stops when it is deleted, although its parser tells of nothing', async () => {
    expect(await importUntil(() => inHost(scope => deleteDocument(scope, documentId)))).to.equal(undefined);
    expect(await rowOf('first')).to.equal(undefined);
  });

  it('stops when a later import of it has ended, and says so', async () => {
    const supersede = async () => {
      await order('second');
      await inHost(scope => endImport(scope, 'second', {}));
    };
    expect(await importUntil(supersede)).to.equal('superseded');
    expect(await rowOf('first')).to.deep.include({ stage: 'ended', reason: 'superseded' });
  });

  it('stops when its dataset is deleted, and says so', async () => {
    const { datasetId } = host;
    const forget = () => database.db('datasets').where({ id: datasetId }).update({ deleted: true });
    expect(await importUntil(forget)).to.equal('dataset-deleted');
  });

  it('stops when its host is disabled, and waits to be begun again', async () => {
    const disable = () => database.db('hosts').where({ id: host.hostId }).update({ disabled: true });
    expect(await importUntil(disable)).to.equal(undefined);
    expect(await rowOf('first')).to.deep.include({ ended_at: null, stage: 'reading' });
  });

  it('leaves its bytes to another import that has them, too, as under one key, and the last one takes them along', async () => {
    const token = { id: host.avatarId, name: 'test' };
    const keyed = { jobId: 'kkey', digest: 'digest' };
    const uploads = new Set<string>();
    const left = () =>
      database
        .db('document_uploads')
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
    await order('first');
    await order('second');
    const stateOf = (id: string) => inHost(scope => lockDocument(scope, { id, documentId }));
    let waiting: ReturnType<typeof stateOf> | undefined;
    const lock = `select from documents where id = '${documentId}' for no key update`;
    await withHeldLock(database.db, lock, async held => {
      waiting = stateOf('first');
      await held.waitForBlocked(1);
      await inHost(scope => endImport(scope, 'second', {}));
    });
    expect(await waiting).to.equal('superseded');
  });
});
