import { expect } from 'chai';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { call, hold, rounds, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

const ticket = { subject: 'Boleto', description: 'Quer a segunda via.' };

describe('a turn broken off between its calls for tools and its answer', () => {
  const service = openOwnService(() => ({ workers: false, requestTimeoutMs: 30_000 }));
  const { model } = service;
  let subSlug: string;
  const workers: SpawnedProcess[] = [];
  before(async () => {
    const lead = await makeAgent(service.demo, 'lead');
    const steps = [
      { type: 'message', content: 'Olá!' },
      { type: 'agent', agents: [lead], canRepeat: false },
    ];
    ({ subSlug } = await makeAvatarWithFlow(service.demo, steps));
  });
  after(async () => {
    await endAll(workers);
  });

  const spawn = async () => {
    const worker = await spawnWorker(service);
    workers.push(worker);
    return worker;
  };
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
    const worker = await spawn();
    const conversationId = await service.newConversation();
    const asked = service.ask('Oi?', { conversationId, subSlug });
    await held.held;
    expect(await stateOf(conversationId)).to.deep.equal(untouched);
    worker.kill('SIGKILL');
    await worker.ended;
    model.script(rounds(everything, say('Pronto.')));
    await spawn();
    const { status, body } = await asked;
    expect(status).to.equal(200);
    expect(body.data.assistantResponse.string).to.equal('Olá!\n\nPronto.');
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
