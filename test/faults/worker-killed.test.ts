import { expect } from 'chai';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { fail, hold, say } from '../support/scripted-model.ts';
import type { ApiResponse } from '../support/service.ts';
import { holdQueueStore } from './held-store.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

const turnsAtOnce = 12;

describe('worker processes that are killed', () => {
  const { service, killAndRestart } = openProcesses({ workers: 2, requestTimeoutMs: UNHURRIED_MS });
  const { demo, model } = service;
  const askAll = (conversations: readonly string[], question: string) =>
    conversations.map(conversationId => service.ask(question, { conversationId }));
  const saveWebhook = async (event: string): Promise<string> => {
    const webhook = { name: event, url: 'https://crm.example/', events: [event] };
    return (await demo.call('saveWebhook', webhook)).body.data.webhookId;
  };
  const newConversations = (count: number) =>
    Promise.all(Array.from({ length: count }, () => service.newConversation()));
  const statusesOf = async (asked: readonly Promise<ApiResponse>[]) =>
    (await Promise.all(asked)).map(({ status }) => status);

  it('with turns in flight end each of them before its deadline, nearly all with its one answer', async () => {
    let isUp = false;
    model.script((request, response) => (isUp ? say('Certo.')(request, response) : undefined));
    const callsBefore = model.requests.length;
    const calls = () => model.requests.length - callsBefore;
    const conversations = await newConversations(turnsAtOnce);
    const asked = askAll(conversations, 'Oi?');
    await eventually(calls, turnsAtOnce);
    const { restarted } = killAndRestart();
    isUp = true;
    const statuses = await statusesOf(asked);
    await restarted;
    for (const status of statuses) expect([200, 503]).to.include(status);
    expect(statuses.filter(status => status === 200).length).to.be.at.least(turnsAtOnce * 0.75);
    for (const [at, status] of statuses.entries()) {
      const { turns, said } = await recordsOf(service.db, conversations[at] ?? '');
      expect(turns).to.have.length(1);
      expect(said.map(({ author }) => author)).to.deep.equal(
        status === 200 ? ['user', 'assistant'] : ['user'],
      );
    }
    expect(calls()).to.be.at.most(2 * turnsAtOnce);
    const next = await service.ask('E agora?', { conversationId: conversations[0] });
    expect(next.status).to.equal(200);
  });

  it('after the answer was stored but before its job was completed leave that answer, and no second one', async () => {
    const held = hold(say('Guardada.'));
    model.script(held.script);
    const calls = model.requests.length;
    const conversationId = await service.newConversation();
    const asked = service.ask('Oi?', { conversationId });
    await held.held;
    const store = await holdQueueStore(service);
    held.release();
    await eventually(() => recordsOf(service.db, conversationId), { replies: 1 });
    const { ended, restarted } = killAndRestart();
    await ended;
    await store.release();
    const { status, body } = await asked;
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Guardada.']);
    expect(model.requests).to.have.length(calls + 1);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Oi?',
      'assistant: Guardada.',
    ]);
    await restarted;
  });

  for (const on_failure of ['error', 'handoff'])
    it(`in the transaction that ends a turn without a model tell once that it failed: ${on_failure}`, async () => {
      await service.db('avatars').where({ host_id: demo.hostId }).update({ on_failure });
      const webhookId = await saveWebhook('turn.failed');
      model.script(fail(400));
      const conversations = await newConversations(4);
      await withHeldLock(service.db, 'lock table deliveries in share row exclusive mode', async held => {
        const asked = askAll(conversations, 'Oi?');
        await held.waitForBlocked(1);
        const { ended, restarted } = killAndRestart();
        await ended;
        await held.release();
        expect(new Set(await statusesOf(asked))).to.have.all.keys(on_failure === 'error' ? [503] : [200]);
        await restarted;
      });
      const told = await service.db('events').whereIn('conversation_id', conversations).select('data');
      expect(told.map(({ data }) => data.conversationId)).to.have.members(conversations);
      const marked = service.db('conversations').whereIn('id', conversations).whereNotNull('unanswered_at');
      expect(await marked).to.have.length(conversations.length);
      await demo.call('saveWebhook', { id: webhookId, deleted: true });
    });

  it('while they tell of silent persons tell of each silence once', async () => {
    const avatars = service.db('avatars').where({ host_id: demo.hostId });
    await avatars.clone().update({ idle_after_minutes: 5 });
    model.script(say('Às 8h.'));
    const webhookId = await saveWebhook('conversation.idle');
    const conversations = await newConversations(4);
    expect(await statusesOf(askAll(conversations, 'Que horas abre?'))).to.deep.equal([200, 200, 200, 200]);
    const due = service.db('conversations').whereIn('id', conversations).whereNotNull('idle_due_at');
    await withHeldLock(service.db, 'lock table deliveries in share row exclusive mode', async held => {
      expect(await due.clone().update({ idle_due_at: new Date(0) })).to.equal(4);
      await held.waitForBlocked(1);
      const { ended, restarted } = killAndRestart();
      await ended;
      await held.release();
      await restarted;
    });
    await eventually(() => due.clone(), { length: 0 });
    const told = await service.db('events').whereIn('conversation_id', conversations).select('data');
    expect(told.map(({ data }) => data.conversationId)).to.have.members(conversations);
    await demo.call('saveWebhook', { id: webhookId, deleted: true });
    await avatars.clone().update({ idle_after_minutes: null });
  });

  it('leave the turns of one conversation in their order', async () => {
    let isUp = false;
    model.script((request, response) => (isUp ? say('Certo.')(request, response) : undefined));
    const conversationId = await service.newConversation();
    const calls = model.requests.length;
    const asked: Promise<ApiResponse>[] = [];
    for (const question of ['1?', '2?', '3?', '4?', '5?']) {
      asked.push(service.ask(question, { conversationId }));
      // The order is kept among the turns that the database knows.
      await eventually(
        () => recordsOf(service.db, conversationId),
        ({ turns }) => turns.length === asked.length,
      );
    }
    await eventually(() => model.requests.length, calls + 1);
    const { restarted } = killAndRestart();
    isUp = true;
    expect(await statusesOf(asked)).to.deep.equal([200, 200, 200, 200, 200]);
    const said = await listMessageTexts(service.db, conversationId);
    expect(said.filter(line => line.startsWith('user')).join(' ')).to.equal(
      'user: 1? user: 2? user: 3? user: 4? user: 5?',
    );
    await restarted;
  });
});
