import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { type EventTypeName, eventTypes, wantedEventTypes } from '../../queues/contract/events.ts';
import { addEvent } from '../../workers/runtime/add-event.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

interface EventRow {
  readonly id: string;
  readonly type: EventTypeName;
  readonly data: Record<string, unknown>;
}

describe('events', () => {
  const service = openService();
  const { model, db } = service;
  const host = openEach(() => service.addHost());
  let webhookId: string;
  let conversationId: string;
  beforeEach(async () => {
    model.say('Certo.');
    webhookId = await subscribe(wantedEventTypes);
    conversationId = await host.newConversation();
  });

  const subscribe = async (events: readonly string[]): Promise<string> => {
    const webhook = { name: 'CRM', url: 'https://crm.example/', events };
    return (await host.call('saveWebhook', webhook)).body.data.webhookId;
  };
  const rows = (): Promise<EventRow[]> => db('events').where({ host_id: host.hostId }).orderBy('type');
  const deliveries = () => db('deliveries').where({ 'deliveries.host_id': host.hostId });
  const told = async () => {
    const all = await rows();
    for (const { type, data } of all)
      expect(checkBody(eventTypes[type].data as never, data).errors, type).to.deep.equal([]);
    return all.map(({ type, data }) => [type, data]);
  };
  const typesOf = async () => (await rows()).map(({ type }) => type);
  const ask = (more: Fields = {}, options = {}) => host.ask('Oi?', { conversationId, ...more }, options);
  const update = (more: Fields) => host.call('updateConversation', { conversationId, ...more });
  const add = (scope: HostScope) =>
    addEvent(scope, { type: 'budget.reached', data: { percent: 80, period: 'month' } });

  it('tell that a turn was answered, and nothing of what was said', async () => {
    model.say('A canário-resposta.');
    expect((await host.ask('canário-pergunta?', { conversationId })).body.code).to.equal(200);
    const [[type, data] = []] = await told();
    expect(type).to.equal('turn.answered');
    expect(data).to.deep.include({ conversationId, askHumanHelp: false });
    expect(JSON.stringify(await rows())).to.not.include('canário');
    const sent = await deliveries().select('webhook_id', 'state');
    expect(sent).to.deep.equal([{ webhook_id: webhookId, state: 'pending' }]);
  });

  it('tell of tickets, agents and a handover, once for each', async () => {
    const agent = await makeAgent(host, 'anota');
    const { subSlug } = await makeAvatarWithFlow(host, [{ type: 'agent', agents: [agent] }]);
    const acts = call([
      ['ask_human_help', { reason: 'customer_request' }],
      ['open_ticket', { subject: 'Boleto', description: 'canário-texto' }],
      ['anota', { curso: 'Direito' }],
    ]);
    model.script(rounds(acts, say('Certo.')));
    const { ticketId } = (await ask({ subSlug })).body.data.tickets;
    const all = (await told()).map(([type, data]) => (type === 'turn.answered' ? [type] : [type, data]));
    expect(all).to.deep.equal([
      ['agent.ran', { ...agent, data: { curso: 'Direito' }, conversationId }],
      ['conversation.handover_requested', { conversationId, reason: 'customer_request' }],
      ['ticket.opened', { ticketId, conversationId, subject: 'Boleto' }],
      ['turn.answered'],
    ]);
    await db('events').where({ host_id: host.hostId }).delete();
    model.script(rounds(call([['ask_human_help', { reason: 'tool_failure' }]]), say('Certo.')));
    await ask();
    expect(await typesOf()).to.deep.equal(['turn.answered']);
  });

  it('tell the channel what a staff member has written, as it was written, once', async () => {
    await setHost(db, host.slug, { mask: true });
    const append = async (author: string, content: string) => {
      const headers = { 'idempotency-key': `${conversationId}-${author}` };
      const body = { conversationId, author, content, name: 'Bia' };
      expect((await host.call('appendMessage', body, { headers })).status).to.equal(201);
    };
    const content = 'Oi! *Ligue* para 11 98765-4321.';
    await append('user', 'Alguém aí?');
    for (let tries = 0; tries < 2; tries += 1) await append('human', content);
    const written = { conversation_id: conversationId, author: 'human' };
    const [messageId] = await db('messages').where(written).pluck('seq');
    const wppParsed = [{ type: 'text', content }];
    expect(await told()).to.deep.equal([
      ['message.sent', { messageId, conversationId, name: 'Bia', content, wppParsed, attachments: [] }],
    ]);
  });

  it('tell that a conversation was closed, by the assistant or a caller, once', async () => {
    model.script(rounds(call([['close_conversation']]), say('Até logo.')));
    await ask();
    await update({ closed: true });
    expect(await typesOf()).to.deep.equal(['conversation.closed', 'turn.answered']);
    await update({ closed: false });
    await update({ closed: true, ask_human_help: true });
    await update({ closed: true, ask_human_help: true });
    expect((await told()).slice(0, 3)).to.deep.equal([
      ['conversation.closed', { conversationId }],
      ['conversation.closed', { conversationId }],
      ['conversation.handover_requested', { conversationId, reason: 'caller_request' }],
    ]);
  });

  it('tell nothing of a rehearsal, whether it was answered or not', async () => {
    const reasoningConfig = { rehearsal: true };
    await ask({ reasoningConfig });
    model.script((_request, response) => void response.writeHead(401).end());
    expect((await ask({ reasoningConfig })).status).to.equal(503);
    expect(await rows()).to.deep.equal([]);
  });

  it('tell that a turn failed, once, also where it fails again for its key', async () => {
    model.script((_request, response) => void response.writeHead(401).end());
    const headers = { 'idempotency-key': conversationId };
    const { status, body } = await ask({}, { headers });
    expect(status).to.equal(503);
    await ask({}, { headers });
    const { turnId } = body.data;
    expect(await told()).to.deep.equal([['turn.failed', { turnId, conversationId, code: 503 }]]);
  });

  it('tell of a refused record by its id in the CRM and its wrong fields', async () => {
    const { status } = await host.call('receiveTicket', { external_id: 4711, subject: 'canário' });
    expect(status).to.equal(400);
    const [[type, data] = []] = await told();
    expect(type).to.equal('record.refused');
    expect(data).to.deep.include({ kind: 'tickets', external_id: '4711' });
    expect((data as { fields: unknown[] }).fields).to.not.be.empty;
    expect(JSON.stringify(data)).to.not.include('canário');
  });

  it('tell once of a refused record, however often it is replayed', async () => {
    await host.call('receiveTicket', { external_id: 4711 });
    const [recordId] = await db('intake_records').where({ host_id: host.hostId }).pluck('id');
    const { body } = await host.call('replayRecords', { recordIds: [recordId] });
    expect(body.data.items[0].result).to.equal('refused');
    expect((await told()).map(([type]) => type)).to.deep.equal(['record.refused']);
  });

  it('of a transaction that is rolled back are not told', async () => {
    const rolledBack = host.inHost(async scope => {
      await add(scope);
      throw new Error('rolled back');
    });
    await rolledBack.catch(() => undefined);
    expect(await rows()).to.deep.equal([]);
    await host.inHost(add);
    expect(await told()).to.deep.equal([['budget.reached', { percent: 80, period: 'month' }]]);
  });

  it('that no webhook of the host wants leave no row', async () => {
    const { acme } = service;
    await acme.inHost(add);
    expect(await db('events').where({ host_id: acme.hostId })).to.deep.equal([]);
  });

  it('are delivered to each webhook that wants them, and kept once', async () => {
    const other = await subscribe(['conversation.closed']);
    await update({ closed: true, ask_human_help: true });
    const sent = await deliveries().join('events', 'events.id', 'event_id').select('type', 'webhook_id');
    expect(sent).to.have.deep.members([
      { type: 'conversation.closed', webhook_id: other },
      { type: 'conversation.closed', webhook_id: webhookId },
      { type: 'conversation.handover_requested', webhook_id: webhookId },
    ]);
    expect(await rows()).to.have.length(2);
  });

  it('are exported and erased with the person they are about, and not sent any more', async () => {
    const email = 'rui.canario@example.com';
    await ask({ userData: { name: 'Rui', email } });
    await host.call('appendMessage', { conversationId, author: 'human', content: 'Olá, Rui!' });
    const ran = { agentName: 'a', schemaName: 'b', data: { para: email } };
    await host.inHost(async scope => {
      const data = { ...ran, conversationId: crypto.randomUUID() };
      await addEvent(scope, { type: 'agent.ran', data });
      await add(scope);
    });
    const { tables } = await exportPerson(db, host.hostId, email);
    expect([tables['events'], tables['deliveries']].map(each => each?.length)).to.deep.equal([3, 3]);
    await erasePerson(db, host.hostId, email);
    expect(await typesOf()).to.deep.equal(['budget.reached']);
    expect(await deliveries()).to.have.length(1);
  });
});
