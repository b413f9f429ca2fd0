import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { HostTransaction } from '../../db/host-transaction.ts';
import { insertUpload, purgeUploads, readUpload } from '../../db/knowledge/document-uploads.ts';
import { withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const MAX_ROW_BYTES = 262_144;

describe('the bytes of an uploaded document', () => {
  const { db } = openOnce(makeDatabase);

  it('are read as they were sent, and never in one row of any size', async () => {
    const { hostId } = await buildHost(db);
    const rows: number[] = [];
    const watch = (tx: HostTransaction) =>
      Object.assign(tx, {
        run: async (query: pg.QueryConfig) => {
          const result = await HostTransaction.prototype.run.call(tx, query);
          for (const value of result.rows.flatMap(row => Object.values(row)))
            if (Buffer.isBuffer(value)) rows.push(value.length);
          return result;
        },
      });
    for (const length of [0, 1, MAX_ROW_BYTES, MAX_ROW_BYTES + 1, 3 * MAX_ROW_BYTES]) {
      const sent = randomBytes(length);
      const read = await withHost(db, hostId, async scope => {
        watch(scope.tx as HostTransaction);
        return readUpload(scope, (await insertUpload(scope, sent)) ?? '');
      });
      expect(read?.equals(sent), `${length}`).to.equal(true);
    }
    expect(rows).to.not.be.empty;
    expect(Math.max(...rows)).to.be.at.most(MAX_ROW_BYTES);
  });

  it('are purged where no import waits for them, however many they are', async () => {
    const { hostId: host_id } = await buildHost(db);
    const created_at = new Date(Date.now() - 3_600_000);
    const old = Array.from({ length: 250 }, () => ({ host_id, content: Buffer.from('Guia'), created_at }));
    await db('document_uploads').insert(old);
    expect(await purgeUploads(db)).to.equal(250);
  });
});
