import { expect } from 'chai';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { claimDueHost, storeContradictions } from '../../db/knowledge/contradictions.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { openOnce } from '../support/opened.ts';

describe('passages that are due to be compared', () => {
  const { db } = openOnce(makeDatabase);
  const claim = () => claimDueHost(db, { quietMs: 0, leaseMs: 60_000 });

  it('are left to a later look, which nothing waits for, where another claim or an import is writing them', async () => {
    const { hostId, chunkId, inHost } = await buildHost(db);
    const writing = `update contradiction_checks set due_at = clock_timestamp() where host_id = '${hostId}'`;
    await withHeldLock(db, writing, async () => expect(await claim()).to.equal(undefined));
    const due = assertDefined(await claim());
    expect(due.chunkIds).to.include(chunkId);
    expect(await claim()).to.equal(undefined);
    const store = () => inHost(scope => storeContradictions(scope, due, due.chunkIds, []));
    const left = () => db('contradiction_checks').where({ host_id: hostId }).pluck('chunk_id');
    await withHeldLock(db, `${writing} and chunk_id = '${chunkId}'`, store);
    expect(await left()).to.deep.equal([chunkId]);
    await store();
    expect(await left()).to.deep.equal([]);
  });

  it('of an import are left until another comparison of their host has ended', async () => {
    const { hostId, datasetId, inHost } = await buildHost(db);
    const due = assertDefined(await claim());
    const imported = await inHost(scope =>
      insertChunk(scope, { datasetId, content: 'Novo.', tokenCount: 2 }),
    );
    await db('contradiction_checks').where({ chunk_id: imported }).update({ due_at: '-infinity' });
    expect(await claim()).to.equal(undefined);
    await inHost(scope => storeContradictions(scope, due, due.chunkIds, []));
    expect(await claim()).to.deep.include({ hostId, chunkIds: [imported] });
  });
});
