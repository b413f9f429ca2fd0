import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

/** The lists of a host are sent as a whole: what they hold is limited. */
describe('a host that has as much as it may', () => {
  const service = openService();
  const { demo } = service;
  let avatarId: string;
  before(async () => {
    const [avatar] = await service.db('avatars').where({ host_id: demo.hostId }).orderBy('created_at');
    avatarId = avatar.id;
  });
  after(async () => {
    for (const table of ['dataset_avatars', 'mcp_configs', 'flows', 'flow_versions'])
      await unaudited(`delete from ${table} where host_id = :hostId`);
  });

  const call = (name: string, body: object) =>
    service.call(`${SVC}/${name}`, { hostId: demo.hostId, host_id: demo.hostId, ...body });
  /** Without an audit entry of each row, which takes longer than the rows. */
  const unaudited = (sql: string) =>
    service.db.transaction(async tx => {
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(sql, { hostId: demo.hostId, avatarId });
    });
  const refused = async (call: Promise<{ status: number; body: { message: string } }>) => {
    const { status, body } = await call;
    return [status, body.message];
  };
  const FULL = [409, 'The host has reached its limit for such objects'];

  it('gets no more avatars', async () => {
    await unaudited(`insert into avatars (host_id, sub_slug, name)
      select :hostId, 'a' || n, 'A' from generate_series(1, 1000) n`);
    expect(
      await refused(call('createSubAvatarHelper', { sub_slug: 'mais', avatar_name: 'M' })),
    ).to.deep.equal(FULL);
    const slugs = await service.db('avatars').where({ host_id: demo.hostId, sub_slug: 'mais' });
    expect(slugs).to.have.length(0);
    await service
      .db('avatars')
      .where({ host_id: demo.hostId })
      .andWhere('sub_slug', '~', '^a[0-9]+$')
      .delete();
    expect((await call('createSubAvatarHelper', { sub_slug: 'mais', avatar_name: 'M' })).status).to.equal(
      201,
    );
  });

  it('gets no more datasets, new or restored', async () => {
    const created = await call('createDatasetsHelper', { datasetName: 'Um' });
    const { id } = created.body.data;
    await call('editDatasetHelper', { id, deleted: true });
    await unaudited(`insert into datasets (host_id, name)
      select :hostId, 'D' from generate_series(1, 1000 - (
        select count(*)::integer from datasets where host_id = :hostId and not deleted))`);
    expect(await refused(call('createDatasetsHelper', { datasetName: 'Mais' }))).to.deep.equal(FULL);
    expect(await refused(call('editDatasetHelper', { id, deleted: false }))).to.deep.equal(FULL);
    expect((await call('editDatasetHelper', { id, datasetName: 'Outro' })).status).to.equal(200);
  });

  it('gets no more than 4 MiB of flows, and may delete one at any time', async () => {
    // There is room for one more of these.
    const chainJson = [{ type: 'message', content: 'x'.repeat(3_000), description: '' }];
    const save = (more: object) => call('saveDecisionChainHelper', more);
    const flow = { avatarId, decisionName: 'Mais', chainJson };
    await unaudited(`
      insert into flows (host_id, avatar_id, name, active, steps)
      select :hostId, :avatarId, 'Grande', false, jsonb_build_array(jsonb_build_object(
        'type', 'message', 'description', '', 'content', repeat('x', (4 * 1048576 - 5000 - used) / 4)))
      from generate_series(1, 4), (
        select coalesce(sum(octet_length(steps::text)), 0)::integer as used from flows
        where host_id = :hostId and not deleted
      ) before`);
    expect((await save(flow)).status).to.equal(200);
    expect(await refused(save(flow))).to.deep.equal(FULL);
    const list = await call('decisionChainsListHelper', {});
    const large = list.body.data.filter(({ decisionName }: Fields) => decisionName === 'Grande');
    expect(large).to.have.length(4);
    expect((await save({ id: large[0].id, deleted: true })).status).to.equal(200);
    expect((await save(flow)).status).to.equal(200);
  });

  it('gets no more links of datasets and configurations of MCP servers', async () => {
    const [dataset] = await service.db('datasets').where({ host_id: demo.hostId, deleted: false });
    await unaudited(`
      with more as (
        insert into avatars (host_id, sub_slug, name)
        select :hostId, 'l' || n, 'L' from generate_series(1, 11) n returning id)
      insert into dataset_avatars (host_id, dataset_id, avatar_id)
      select :hostId, datasets.id, more.id from datasets, more where host_id = :hostId and not deleted limit 10000`);
    const { body } = await call('linkDatasetAvatarHelper', { datasetId: dataset.id, avatarId });
    expect(body.message).to.equal(FULL[1]);
    await unaudited(`insert into mcp_configs (host_id, id, avatar_id, name, transport_type, config, version)
      select :hostId, gen_random_uuid(), :avatarId, 'M', 'sse', '{}', '1' from generate_series(1, 1000)`);
    const config = { url: 'https://mcp.example/' };
    expect(
      await refused(call('saveMCPConfigHelper', { avatarId, name: randomUUID(), config })),
    ).to.deep.equal(FULL);
  });
});
