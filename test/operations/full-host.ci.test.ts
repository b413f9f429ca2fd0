import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectRefused } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

/** The lists of a host are sent as a whole: what they hold is limited. */
describe('a host that has as much as it may', () => {
  const { demo, db } = openService();
  after(async () => {
    for (const table of ['dataset_avatars', 'mcp_configs', 'flows', 'flow_versions'])
      await unaudited(`delete from ${table} where host_id = :hostId`);
  });

  /** Without an audit entry of each row, which takes longer than the rows. */
  const unaudited = (sql: string) =>
    db.transaction(async tx => {
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(sql, { hostId: demo.hostId, avatarId: demo.avatarId });
    });

  it('gets no more avatars', async () => {
    await unaudited(`insert into avatars (host_id, sub_slug, name)
      select :hostId, 'a' || n, 'A' from generate_series(1, 1000) n`);
    const create = () => demo.call('createSubAvatar', { sub_slug: 'mais', avatar_name: 'M' });
    expectRefused(await create(), 'host-full');
    const avatars = () => db('avatars').where({ host_id: demo.hostId });
    expect(await avatars().where({ sub_slug: 'mais' })).to.have.length(0);
    await avatars().where('sub_slug', '~', '^a[0-9]+$').delete();
    expect((await create()).status).to.equal(201);
  });

  it('gets no more datasets, new or restored', async () => {
    const create = (datasetName: string) => demo.call('createDataset', { datasetName });
    const { id } = (await create('Um')).body.data;
    await demo.call('editDataset', { id, deleted: true });
    await unaudited(`insert into datasets (host_id, name)
      select :hostId, 'D' from generate_series(1, 1000 - (
        select count(*)::integer from datasets where host_id = :hostId and not deleted))`);
    expectRefused(await create('Mais'), 'host-full');
    expectRefused(await demo.call('editDataset', { id, deleted: false }), 'host-full');
    expect((await demo.call('editDataset', { id, datasetName: 'Outro' })).status).to.equal(200);
  });

  it('gets no more than 4 MiB of flows, and may delete one at any time', async () => {
    // There is room for one more of these.
    const chainJson = [{ type: 'message', content: 'x'.repeat(3_000), description: '' }];
    const save = (more: object) => demo.call('saveFlow', more);
    const flow = { avatarId: demo.avatarId, decisionName: 'Mais', chainJson };
    await unaudited(`
      insert into flows (host_id, avatar_id, name, active, steps)
      select :hostId, :avatarId, 'Grande', false, jsonb_build_array(jsonb_build_object(
        'type', 'message', 'description', '', 'content', repeat('x', (4 * 1048576 - 5000 - used) / 4)))
      from generate_series(1, 4), (
        select coalesce(sum(octet_length(steps::text)), 0)::integer as used from flows
        where host_id = :hostId and not deleted
      ) before`);
    expect((await save(flow)).status).to.equal(200);
    expectRefused(await save(flow), 'host-full');
    const flows = (await demo.call('listFlows')).body.data;
    const large = flows.filter(({ decisionName }: Fields) => decisionName === 'Grande');
    expect(large).to.have.length(4);
    expect((await save({ id: large[0].id, deleted: true })).status).to.equal(200);
    expect((await save(flow)).status).to.equal(200);
  });

  it('gets no more links of datasets and configurations of MCP servers', async () => {
    const [dataset] = await db('datasets').where({ host_id: demo.hostId, deleted: false });
    await unaudited(`
      with more as (
        insert into avatars (host_id, sub_slug, name)
        select :hostId, 'l' || n, 'L' from generate_series(1, 11) n returning id)
      insert into dataset_avatars (host_id, dataset_id, avatar_id)
      select :hostId, datasets.id, more.id from datasets, more where host_id = :hostId and not deleted limit 10000`);
    const { avatarId } = demo;
    expectRefused(await demo.call('linkDatasetAvatar', { datasetId: dataset.id, avatarId }), 'host-full');
    await unaudited(`insert into mcp_configs (host_id, id, avatar_id, name, transport_type, config, version)
      select :hostId, gen_random_uuid(), :avatarId, 'M', 'sse', '{}', '1' from generate_series(1, 1000)`);
    const config = { url: 'https://mcp.example/' };
    expectRefused(await demo.call('saveMcpConfig', { avatarId, name: randomUUID(), config }), 'host-full');
  });
});
