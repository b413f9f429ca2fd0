import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { expectRefused } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('one agent', () => {
  const service = openService();
  const { demo, acme, model } = service;
  const conversation = openConversation(service);
  let id = '';
  let subSlug = '';
  let avatarId = '';
  before(async () => {
    const [lead, other] = [await makeAgent(demo, 'inscrever'), await makeAgent(demo, 'inscrever_outro')];
    const steps = [{ type: 'notification-trigger', content: 'Quer', agents: [lead, other] }];
    ({ subSlug, avatarId } = await makeAvatarWithFlow(demo, steps));
    const { agents } = (await demo.call('listAgents')).body.data;
    ({ id } = agents.find(({ agentName }: { agentName: string }) => agentName === 'inscrever'));
  });
  const run = async (agentName: string, args: object, more: object = {}) => {
    model.script(rounds(call([[agentName, args]]), say('Anotado.')));
    expect((await conversation.ask('Quero!', { subSlug, ...more })).data.agentsLog).to.have.length(1);
  };

  it('is read with the schema of its arguments, which a list lacks, and its last runs, the newest first', async () => {
    await run('inscrever', { curso: 'Direito' });
    await run('inscrever', { curso: '' });
    await run('inscrever_outro', { curso: 'Letras' });
    await run('inscrever', { curso: 'Medicina' }, { reasoningConfig: { rehearsal: true } });
    const { status, body } = await demo.call('readAgent', { id });
    expect(status, JSON.stringify(body)).to.equal(200);
    const { agent, schema, runs } = body.data;
    expect(agent).to.include({ id, agentName: 'inscrever' });
    expect(schema.properties.curso).to.deep.equal({ type: 'string', minLength: 2 });
    expect(runs.map(({ status }: { status: string }) => status)).to.deep.equal(['failed', 'done']);
    expect(runs[0]).to.include({ avatarId, conversationId: conversation.id }).and.have.property('error');
    expect(runs[1]).not.to.have.property('error');
    expect((await demo.call('readAgent', { id, limit: 1 })).body.data.runs).to.deep.equal([runs[0]]);
  });

  it('is found by the id of the own host only', async () => {
    expectRefused(await acme.call('readAgent', { id }), 'agent-not-found');
    expectRefused(await demo.call('readAgent', { id: randomUUID() }), 'agent-not-found');
  });
});
