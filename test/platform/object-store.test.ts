import { expect } from 'chai';
import { makeObjectStore } from '../../platform/object-store.ts';
import { makeFileStoreOutageLog } from '../../platform/outage-log.ts';
import { type ObjectServer, startObjectServer } from '../support/object-server.ts';
import { openOnce } from '../support/opened.ts';

describe('the store of files', () => {
  const server: ObjectServer = openOnce(startObjectServer);

  /** A store with these settings, and the fields of its lines about outages. */
  const storeWith = (settings: object) => {
    const lines: Record<string, unknown>[] = [];
    const note = (fields: object) => void lines.push({ ...fields });
    const outage = makeFileStoreOutageLog({ error: note, warn: note, info: note } as never);
    const store = makeObjectStore({ ...server.settings, ...settings }, outage);
    if (!store) throw new Error('these settings make no store');
    return { store, lines };
  };
  const outcomeOf = (work: Promise<unknown>) => work.then(() => 'done', String);

  it('takes a bucket that is not there for no missing object: what would be deleted is not gone', async () => {
    const { store, lines } = storeWith({ filesS3Url: `${server.settings.filesS3Url}-de-outro` });
    const works = [store.delete('a/b'), store.read('a/b', 0, 1), store.put('a/b', Buffer.from('x'))];
    expect(await Promise.all(works.map(outcomeOf))).to.deep.equal(
      works.map(() => 'Error: refused with 404 NoSuchBucket'),
    );
    expect(lines).to.deep.equal([
      {
        event: 'file_store.lost',
        reason: 'refused with 404 NoSuchBucket',
        remedy: 'there is no such bucket: check FILES_S3_URL',
      },
    ]);
    const right = storeWith({});
    expect(await right.store.read('a/b', 0, 1)).to.equal(undefined);
    expect(await outcomeOf(right.store.delete('a/b'))).to.equal('done');
    expect(right.lines).to.deep.equal([]);
  });

  it('says in the log how its server refuses', async () => {
    const { store, lines } = storeWith({ filesS3KeyId: 'de-outro' });
    await outcomeOf(store.put('a/b', Buffer.from('x')));
    expect(lines).to.deep.equal([
      {
        event: 'file_store.lost',
        reason: 'refused with 403 InvalidAccessKeyId',
        remedy: 'the store of files refuses the key: check FILES_S3_KEY_ID and FILES_S3_SECRET',
      },
    ]);
  });
});
