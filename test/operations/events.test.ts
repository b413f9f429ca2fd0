import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { withHost } from '../../db/with-hosts.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import {
  type EventTypeName,
  eventTypes,
  type WantedEventType,
  wantedEventTypes,
} from '../../queues/contract/events.ts';
import { addEvent } from '../../workers/runtime/add-event.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

interface EventRow {
  readonly id: string;
  readonly type: EventTypeName;
  readonly data: Record<string, unknown>;
}

describe('events', () => {
  const service = openService();
  const { demo, model } = service;
  let webhookId: string;
  let conversationId: string;
  before(async () => {
    webhookId = await subscribe(wantedEventTypes);
  });
  beforeEach(async () => {
    model.say('Certo.');
    conversationId = await service.newConversation();
    await service.db('events').delete();
  });

  const subscribe = async (events: readonly WantedEventType[]) => {
    const webhook = { hostId: demo.hostId, name: 'CRM', url: 'https://crm.example/', events };
    return (await demo.call('saveWebhook', webhook)).body.data.webhookId as string;
  };
  const rows = (): Promise<EventRow[]> => service.db('events').orderBy('type');
  const told = async () => {
    const all = await rows();
    for (const { type, data } of all)
      expect(checkBody(eventTypes[type].data as never, data).errors, type).to.deep.equal([]);
    return all.map(({ type, data }) => [type, data]);
  };
  const update = (more: object) => demo.call('updateConversation', { conversationId, ...more });

  it('tell that a turn was answered, and nothing of what was said', async () => {
    model.say('A canário-resposta.');
    const { body } = await service.ask('canário-pergunta?', { conversationId });
    expect(body.code).to.equal(200);
    const [[type, data] = []] = await told();
    expect(type).to.equal('turn.answered');
    expect(data).to.deep.include({ conversationId, askHumanHelp: false });
    expect(JSON.stringify(await rows())).to.not.include('canário');
    const deliveries = await service.db('deliveries').select('webhook_id', 'state');
    expect(deliveries).to.deep.equal([{ webhook_id: webhookId, state: 'pending' }]);
  });

  it('tell of tickets, agents and a handover, once for each', async () => {
    const agent = await makeAgent(demo, 'anota');
    const { subSlug } = await makeAvatarWithFlow(demo, [{ type: 'agent', agents: [agent] }]);
    const acts = call([
      ['ask_human_help', { reason: 'customer_request' }],
      ['open_ticket', { subject: 'Boleto', description: 'canário-texto' }],
      ['anota', { curso: 'Direito' }],
    ]);
    model.script(rounds(acts, say('Certo.')));
    const { body } = await service.ask('Oi?', { conversationId, subSlug });
    const { ticketId } = body.data.tickets;
    expect(
      (await told()).map(([type, data]) => (type === 'turn.answered' ? [type] : [type, data])),
    ).to.deep.equal([
      ['agent.ran', { ...agent, data: { curso: 'Direito' }, conversationId }],
      ['conversation.handover_requested', { conversationId, reason: 'customer_request' }],
      ['ticket.opened', { ticketId, conversationId, subject: 'Boleto' }],
      ['turn.answered'],
    ]);
    await service.db('events').delete();
    model.script(rounds(call([['ask_human_help', { reason: 'tool_failure' }]]), say('Certo.')));
    await service.ask('E agora?', { conversationId });
    expect((await rows()).map(({ type }) => type)).to.deep.equal(['turn.answered']);
  });

  it('tell the channel what a staff member has written, as it was written, once', async () => {
    await setHost(service.db, demo.slug, { mask: true });
    const append = async (author: string, content: string) => {
      const body = { hostId: demo.hostId, conversationId, author, content, name: 'Bia' };
      const headers = { 'idempotency-key': `${conversationId}-${author}` };
      const { status } = await demo.call('appendMessage', body, { headers });
      expect(status).to.equal(201);
    };
    const content = 'Oi! *Ligue* para 11 98765-4321.';
    await append('user', 'Alguém aí?');
    for (let tries = 0; tries < 2; tries += 1) await append('human', content);
    await setHost(service.db, demo.slug, { mask: false });
    const [messageId] = await service
      .db('messages')
      .where({ conversation_id: conversationId, author: 'human' })
      .pluck('seq');
    const wppParsed = [{ type: 'text', content }];
    expect(await told()).to.deep.equal([
      ['message.sent', { messageId, conversationId, name: 'Bia', content, wppParsed }],
    ]);
  });

  it('tell that a conversation was closed, by the assistant or a caller, once', async () => {
    model.script(rounds(call([['close_conversation']]), say('Até logo.')));
    await service.ask('Tchau.', { conversationId });
    await update({ closed: true });
    expect((await rows()).map(({ type }) => type)).to.deep.equal(['conversation.closed', 'turn.answered']);
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
    await service.ask('Oi?', { conversationId, reasoningConfig });
    model.script((_request, response) => void response.writeHead(401).end());
    expect((await service.ask('Oi?', { conversationId, reasoningConfig })).status).to.equal(503);
    expect(await rows()).to.deep.equal([]);
  });

  it('tell that a turn failed, once, also where it fails again for its key', async () => {
    model.script((_request, response) => void response.writeHead(401).end());
    const headers = { 'idempotency-key': conversationId };
    const { status, body } = await service.ask('Oi?', { conversationId }, { headers });
    expect(status).to.equal(503);
    await service.ask('Oi?', { conversationId }, { headers });
    const { turnId } = body.data;
    expect(await told()).to.deep.equal([['turn.failed', { turnId, conversationId, code: 503 }]]);
  });

  it('tell of a refused record by its id in the CRM and its wrong fields', async () => {
    const ticket = { external_id: 4711, subject: 'canário' };
    const { status } = await demo.call('receiveTicket', ticket);
    expect(status).to.equal(400);
    const [[type, data] = []] = await told();
    expect(type).to.equal('record.refused');
    expect(data).to.deep.include({ kind: 'tickets', external_id: '4711' });
    expect((data as { fields: unknown[] }).fields).to.not.be.empty;
    expect(JSON.stringify(data)).to.not.include('canário');
  });

  it('tell once of a refused record, however often it is replayed', async () => {
    await demo.call('receiveTicket', { external_id: 4711 });
    const [recordId] = await service.db('intake_records').orderBy('arrived_at', 'desc').limit(1).pluck('id');
    const { body } = await demo.call('replayRecords', { recordIds: [recordId] });
    expect(body.data.items[0].result).to.equal('refused');
    expect((await told()).map(([type]) => type)).to.deep.equal(['record.refused']);
  });

  it('of a transaction that is rolled back are not told', async () => {
    await demo
      .inHost(async scope => {
        await addEvent(scope, { type: 'budget.reached', data: { percent: 80, period: 'month' } });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await rows()).to.deep.equal([]);
    await demo.inHost(scope =>
      addEvent(scope, { type: 'budget.reached', data: { percent: 80, period: 'month' } }),
    );
    expect(await told()).to.deep.equal([['budget.reached', { percent: 80, period: 'month' }]]);
  });

  it('that no webhook of the host wants leave no row', async () => {
    const { hostId } = service.acme;
    await withHost(service.db, hostId, scope =>
      addEvent(scope, { type: 'budget.reached', data: { percent: 80, period: 'month' } }),
    );
    expect(await rows()).to.deep.equal([]);
  });

  it('are delivered to each webhook that wants them, and kept once', async () => {
    const other = await subscribe(['conversation.closed']);
    await update({ closed: true, ask_human_help: true });
    const deliveries = await service
      .db('deliveries')
      .join('events', 'events.id', 'event_id')
      .select('type', 'webhook_id');
    expect(deliveries.map(row => `${row.type} ${row.webhook_id}`).toSorted()).to.deep.equal(
      [
        `conversation.closed ${other}`,
        `conversation.closed ${webhookId}`,
        `conversation.handover_requested ${webhookId}`,
      ].toSorted(),
    );
    expect(await rows()).to.have.length(2);
    await service.db('webhooks').where({ id: other }).delete();
  });

  it('are exported and erased with the person they are about, and not sent any more', async () => {
    const { hostId } = demo;
    const userData = { name: 'Rui', email: 'rui.canario@example.com' };
    await service.ask('Oi?', { conversationId, userData });
    const content = 'Olá, Rui!';
    await demo.call('appendMessage', { hostId, conversationId, author: 'human', content });
    await withHost(service.db, hostId, async scope => {
      const data = {
        ...agentNames,
        data: { para: 'rui.canario@example.com' },
        conversationId: crypto.randomUUID(),
      };
      await addEvent(scope, { type: 'agent.ran', data });
      await addEvent(scope, { type: 'budget.reached', data: { percent: 80, period: 'month' } });
    });
    const { tables } = await exportPerson(service.db, hostId, userData.email);
    expect(tables['events']).to.have.length(3);
    expect(tables['deliveries']).to.have.length(3);
    await erasePerson(service.db, hostId, userData.email);
    expect((await rows()).map(({ type }) => type)).to.deep.equal(['budget.reached']);
    expect(await service.db('deliveries')).to.have.length(1);
  });
});

const agentNames = { agentName: 'a', schemaName: 'b' };
