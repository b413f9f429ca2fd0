import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';

const step = (content: string, more: Fields = {}): Fields => ({
  type: 'message',
  content,
  description: '',
  ...more,
});

describe('versions of a flow', () => {
  const service = openOwnService();
  const { demo, db } = service;
  before(() => {
    service.model.models = ['scripted', 'gpt-large'];
  });

  const save = async (body: Fields): Promise<Fields> => {
    const { status, body: answer } = await demo.call('saveFlow', body);
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer.data;
  };
  const make = async (chainJson = [step('um')]) => {
    const flow = { avatarId: demo.avatarId, decisionName: 'Um', chainJson, active: false };
    return (await save(flow))['id'] as string;
  };
  const list = (id: unknown, more: Fields = {}) => demo.call('listFlowVersions', { id, ...more });
  const restore = (id: unknown, version: number, more: Fields = {}) =>
    demo.call('restoreFlowVersion', { id, version, ...more });
  const numbers = async (id: unknown) =>
    (await list(id, { limit: 100 })).body.data.items.map(({ version }: Fields) => version);

  /** Makes the versions up to this one of copies of the last, as if it had been saved so often. */
  const copyUntil = (id: string, version: number) =>
    db.raw(
      `with saved as (
         update flows set version = :version from flows last
         where flows.id = :id and last.id = flows.id returning flows.*, last.version as copied
       )
       insert into flow_versions (host_id, flow_id, version, flow, saved_at)
       select host_id, id, n, to_jsonb(saved) - 'copied' || jsonb_build_object('version', n, 'name', 'n' || n), now()
       from saved, generate_series(copied + 1, :version) n`,
      { id, version },
    );

  it('are listed as they were saved, the last first, in pages', async () => {
    const id = await make();
    const last = await save({ id, decisionName: 'Dois', chainJson: [step('dois')], model: 'gpt-large' });
    const { items, nextCursor } = (await list(id, { limit: 1 })).body.data;
    expect(items).to.deep.equal([
      {
        version: 2,
        savedAt: last['updatedAt'],
        savedBy: last['lastUpdateBy'],
        avatarId: demo.avatarId,
        chainJson: [step('dois')],
        decisionName: 'Dois',
        active: false,
        promptTemplateName: '',
        decisionType: 'custom',
        model: 'gpt-large',
        templateRef: null,
        deleted: false,
      },
    ]);
    const rest = (await list(id, { limit: 1, cursor: nextCursor })).body.data;
    expect(rest.items[0]).to.include({ version: 1, decisionName: 'Um', model: '' });
    expect(rest.nextCursor).to.equal(null);
    const seeded = await db('flows').where({ host_id: demo.hostId, created_by: null }).first();
    expect(await numbers(seeded.id)).to.deep.equal([1]);
  });

  it('are restored as a new version, with all that was saved, and the flow is like that version', async () => {
    const id = await make();
    await save({ id, decisionName: 'Dois', chainJson: [step('dois')], active: true, templateRef: 'x' });
    const { status, body } = await restore(id, 1);
    expect(status).to.equal(200);
    const saved = { decisionName: 'Um', chainJson: [step('um')], active: false, templateRef: null };
    expect(body.data).to.deep.include(saved);
    expect(await numbers(id)).to.deep.equal([3, 2, 1]);
    const { items } = (await list(id)).body.data;
    expect({ ...items[0], version: 1 }).to.deep.equal({
      ...items[2],
      savedAt: body.data.updatedAt,
      savedBy: body.data.lastUpdateBy,
    });
    const again = (await restore(id, 2)).body.data;
    expect(again).to.deep.include({ decisionName: 'Dois', active: true, templateRef: 'x' });
    await save({ id, active: false });
  });

  it('restore a deleted flow, also from the version that deleted it', async () => {
    const id = await make();
    await save({ id, deleted: true });
    expect((await restore(id, 2)).body.data).to.deep.include({ deleted: false, decisionName: 'Um' });
    const { items } = (await list(id)).body.data;
    expect(items.map(({ deleted }: Fields) => deleted)).to.deep.equal([false, true, false]);
  });

  it('are the last 50 of a flow, and a restored one is among them', async () => {
    const id = await make();
    await copyUntil(id, 49);
    for (const decisionName of ['n50', 'n51']) await save({ id, decisionName });
    expect(await numbers(id)).to.deep.equal(Array.from({ length: 50 }, (_, at) => 51 - at));
    expectRefused(await restore(id, 1), 'flow-version-not-found');
    expect((await restore(id, 2)).body.data.decisionName).to.equal('n2');
    expect(await numbers(id)).to.deep.equal(Array.from({ length: 50 }, (_, at) => 52 - at));
  });

  it('are refused where their agents, model or avatar are gone, and nothing is saved', async () => {
    const agent = { agentName: 'passageiro', schemaName: 'curso' };
    await demo.inHost(async scope => {
      await setSchema(scope, { schemaName: 'curso', arguments: { type: 'object' } });
      await setAgent(scope, agent);
    });
    const id = await make([step('um', { agents: [agent] })]);
    await save({ id, chainJson: [step('dois')] });
    await save({ id, decisionName: 'Três' });
    const statement = 'update flow_versions set flow = flow || ? where flow_id = ? and version = ?';
    const change = (version: number, more: Fields) => db.raw(statement, [JSON.stringify(more), id, version]);
    await change(2, { model: 'gpt-larg' });
    await change(3, { avatar_id: randomUUID() });
    await db('agents').where({ name: agent.agentName }).update({ deleted: true });
    const why = /^chainJson\[0\]\.agents\[0\]\.agentName: "passageiro" is no agent of this host$/;
    expectWrong(await restore(id, 1), 'version', why);
    expectWrong(await restore(id, 2), 'version', /^model: .*gpt-large/);
    expectRefused(await restore(id, 3), 'avatar-not-found');
    expect(await numbers(id)).to.deep.equal([3, 2, 1]);
  });

  it('are refused where the flow was saved since, and lose no save that is made at the same time', async () => {
    const id = await make();
    const { updatedAt } = await save({ id, decisionName: 'Dois' });
    await save({ id, decisionName: 'Três' });
    expectRefused(await restore(id, 1, { expectedUpdatedAt: updatedAt }), 'flow-stale');
    await Promise.all([restore(id, 1), save({ id, templateRef: 'y' }), restore(id, 2), restore(id, 3)]);
    expect(await numbers(id)).to.deep.equal([7, 6, 5, 4, 3, 2, 1]);
  });

  it('are listed in pages of about a mebibyte, however long they are', async () => {
    const id = await make();
    const chainJson = Array.from({ length: 20 }, () => step('x'.repeat(20_000)));
    await save({ id, chainJson });
    await copyUntil(id, 6);
    const seen: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data } = (await list(id, { cursor })).body;
      expect(JSON.stringify(data).length).to.be.below(1.5 * 1_048_576);
      seen.push(...data.items.map(({ version }: Fields) => version));
      cursor = data.nextCursor;
    }
    expect(seen).to.deep.equal([6, 5, 4, 3, 2, 1]);
  });
});
