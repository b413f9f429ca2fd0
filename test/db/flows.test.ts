import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import {
  type Flow,
  type FlowStep,
  findFlowForUpdate,
  insertFlow,
  listFlows,
  updateFlow,
} from '../../db/assistants/flows.ts';
import { readTurnSettings } from '../../db/assistants/turn-settings.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const ofTurn = { conversationId: randomUUID(), maxMcpConfigs: 0, turnId: '', queueNow: () => 0 };
const steps: readonly FlowStep[] = [{ type: 'message', content: 'Olá!', description: 'Saudação' }];

describe('flows', () => {
  const { db } = openOnce(makeDatabase);
  const a = openOnce(() => buildHost(db));
  const b = openOnce(() => buildHost(db));
  beforeEach(() => db('flows').delete());

  const make = async (host: BuiltHost, name: string, more: object = {}): Promise<Flow> => {
    const flow = { avatarId: host.avatarId, decisionName: name, chainJson: steps, savedBy: null, ...more };
    const made = await host.inHost(scope => insertFlow(scope, flow));
    if (!made) throw new Error('the flow was not made');
    return made;
  };
  const save = (host: BuiltHost, flow: Flow, changes: Partial<Flow> & { savedBy?: string } = {}) =>
    host.inHost(scope => updateFlow(scope, flow.id, { savedBy: null, ...flow, ...changes }));
  const activeOf = async (host: BuiltHost) =>
    (await host.inHost(scope => readTurnSettings(scope, ofTurn)))?.flow?.name;

  it('give the active one that was saved last, whichever was made last', async () => {
    expect(await activeOf(a)).to.equal(undefined);
    const first = await make(a, 'first');
    const second = await make(a, 'second');
    expect(await activeOf(a)).to.equal('second');
    await save(a, first);
    expect(await activeOf(a)).to.equal('first');
    await save(a, first, { active: false });
    expect(await activeOf(a)).to.equal('second');
    await save(a, second, { deleted: true });
    expect(await activeOf(a)).to.equal(undefined);
  });

  it('give the one that was saved last also within one millisecond, and where the clock was set back', async () => {
    const first = await make(a, 'first');
    const second = await make(a, 'second');
    const ahead = new Date(Date.now() + 60_000);
    await db('flows').where({ id: second.id }).update({ updated_at: ahead });
    await save(a, first);
    expect(await activeOf(a)).to.equal('first');
    const { id } = await make(a, 'third');
    expect(await activeOf(a)).to.equal('third');
    const third = await db('flows').where({ id }).first();
    expect(third.updated_at, 'made and saved at one moment').to.deep.equal(third.created_at);
  });

  it('keep every save as a version, with who saved it and all of what it was', async () => {
    const [writer, editor] = [randomUUID(), randomUUID()];
    const flow = await make(a, 'one', { savedBy: writer });
    const edited = await save(a, flow, { decisionName: 'two', savedBy: editor });
    expect(edited).to.include({ decisionName: 'two', createdBy: writer, lastUpdateBy: editor });
    const kept = await db('flow_versions').where({ flow_id: flow.id }).orderBy('version');
    expect(kept.map(({ version, saved_by, flow }) => [version, saved_by, flow.name])).to.deep.equal([
      [1, writer, 'one'],
      [2, editor, 'two'],
    ]);
    expect(kept[1].flow.steps).to.deep.equal(steps);
  });

  it('keep the newest fifty versions', async () => {
    const flow = await make(a, 'edited often');
    for (let at = 0; at < 55; at += 1) await save(a, flow);
    const kept = await db('flow_versions').where({ flow_id: flow.id }).orderBy('version');
    expect(kept.map(({ version }) => version)).to.deep.equal(Array.from({ length: 50 }, (_, at) => at + 7));
  });

  it('get a later time with each save, to the millisecond, however fast they follow', async () => {
    let flow = await make(a, 'hurried');
    for (let at = 0; at < 5; at += 1) {
      const saved = await save(a, flow);
      expect(Date.parse(saved?.updatedAt ?? '')).to.be.greaterThan(Date.parse(flow.updatedAt));
      expect(saved?.createdAt).to.equal(flow.createdAt);
      flow = saved ?? flow;
    }
  });

  it('are listed oldest first without those deleted, of the avatars that are named', async () => {
    const other = await a.inHost(scope => insertAvatar(scope, { sub_slug: 'other', avatar_name: 'Eva' }));
    const { id } = await make(a, 'one');
    // Two may be made within one millisecond.
    await db('flows')
      .where({ id })
      .update({ created_at: new Date(0) });
    await make(a, 'two', { avatarId: other?.avatar_id, active: false });
    await save(a, await make(a, 'gone'), { deleted: true });
    const names = async (avatarIds?: string[]) =>
      (await a.inHost(scope => listFlows(scope, avatarIds))).map(flow => flow.decisionName);
    expect(await names()).to.deep.equal(['one', 'two']);
    expect(await names([other?.avatar_id ?? ''])).to.deep.equal(['two']);
    expect(await names([randomUUID(), b.avatarId])).to.deep.equal([]);
    expect(await names([])).to.deep.equal([]);
  });

  it('cannot be seen, made or changed from another host', async () => {
    const flow = await make(a, 'ours');
    expect(await b.inHost(scope => findFlowForUpdate(scope, flow.id))).to.equal(undefined);
    expect(await activeOf(b)).to.equal(undefined);
    expect(await b.inHost(scope => listFlows(scope))).to.deep.equal([]);
    expect(await save(b, flow, { decisionName: 'theirs' })).to.equal(undefined);
    expect(await save(a, flow, { avatarId: b.avatarId })).to.equal(undefined);
    const foreign = { avatarId: a.avatarId, decisionName: 'x', chainJson: steps, savedBy: null };
    expect(await b.inHost(scope => insertFlow(scope, foreign))).to.equal(undefined);
    expect(await a.inHost(scope => findFlowForUpdate(scope, flow.id))).to.deep.equal(flow);
  });
});
