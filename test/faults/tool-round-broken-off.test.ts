import { expect } from 'chai';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { call, hold, rounds, say } from '../support/scripted-model.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

const ticket = { subject: 'Boleto', description: 'Quer a segunda via.' };

describe('a turn broken off between its calls for tools and its answer', () => {
  const { service, spawn, kill } = openProcesses({ requestTimeoutMs: UNHURRIED_MS });
  const { model } = service;
  let subSlug: string;
  before(async () => {
    const lead = await makeAgent(service.demo, 'lead');
    const steps = [
      { type: 'message', content: 'Olá!' },
      { type: 'agent', agents: [lead], canRepeat: false },
    ];
    ({ subSlug } = await makeAvatarWithFlow(service.demo, steps));
  });

  const everything = call([['open_ticket', ticket], ['close_conversation'], ['lead', { curso: 'Direito' }]]);
  const stateOf = async (conversationId: string) => {
    const { closed } = await service.db('conversations').where('id', conversationId).first();
    const count = async (table: string) =>
      (await service.db(table).where('conversation_id', conversationId)).length;
    return { closed, tickets: await count('tickets'), steps: await count('flow_steps_done') };
  };
  const untouched = { closed: false, tickets: 0, steps: 0 };

  it('by its worker’s death is done once, by whoever takes it up', async () => {
    const held = hold(() => {});
    model.script(rounds(everything, held.script));
    await spawn();
    const conversationId = await service.newConversation();
    const asked = service.ask('Oi?', { conversationId, subSlug });
    await held.held;
    expect(await stateOf(conversationId)).to.deep.equal(untouched);
    await kill();
    model.script(rounds(everything, say('Pronto.')));
    await spawn();
    const { status, body } = await asked;
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Olá!\n\nPronto.']);
    expect(body.data.jsonArray).to.have.length(1);
    expect(await stateOf(conversationId)).to.deep.equal({ closed: true, tickets: 1, steps: 2 });
    const { turns } = await recordsOf(service.db, conversationId);
    expect(turns.map(({ state, attempt }) => [state, attempt])).to.deep.equal([['answered', 2]]);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Oi?',
      'assistant: Olá!\n\nPronto.',
    ]);
  });

  it('by a client that leaves has done nothing', async () => {
    const held = hold(() => {});
    model.script(rounds(everything, held.script));
    const conversationId = await service.newConversation();
    const client = new AbortController();
    const left = service
      .ask('Oi?', { conversationId, subSlug }, { signal: client.signal })
      .catch(() => 'left');
    await held.held;
    client.abort();
    expect(await left).to.equal('left');
    await eventually(
      async () => (await recordsOf(service.db, conversationId)).turns.map(({ state }) => state),
      states => states[0] === 'unanswered',
    );
    expect(await stateOf(conversationId)).to.deep.equal(untouched);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal(['user: Oi?']);
  });
});
