import { expect } from 'chai';
import { tellClosingWindows } from '../../db/conversations/windows.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('the window of a channel', () => {
  const service = openService();
  const { demo, db, model } = service;
  let conversationId = '';
  before(async () => {
    const events = ['message.sent', 'conversation.window_closing'];
    await demo.make('saveWebhook', { url: 'https://crm.example/', events });
    await setHost(db, demo.slug, { window_hours: { whatsapp: 24 } });
    model.say('Às 8h.');
  });
  beforeEach(async () => {
    conversationId = await begin('whatsapp');
  });

  const begin = async (platform: string) => {
    const { data } = (await demo.call('createConversation', { globalData: { platform } })).body;
    await demo.ask('Que horas abre?', { conversationId: data.conversationId });
    return data.conversationId as string;
  };
  const write = (more: Fields = {}) =>
    demo.call('appendMessage', { conversationId, author: 'human', content: 'Ainda precisa?', ...more });
  const endsAt = async () => {
    const { items } = (await demo.call('listConversations')).body.data;
    return items.find(({ id }: Fields) => id === conversationId).window_ends_at as string | null;
  };
  /** As if the person had written so many hours ago: two workers look at once. */
  const pass = async (hours: number) => {
    const earlier = (column: string) => db.raw("?? - ? * interval '1 hour'", [column, hours]);
    await db('conversations')
      .where({ id: conversationId })
      .update({ person_wrote_at: earlier('person_wrote_at'), window_told_for: earlier('window_told_for') });
    await Promise.all([tellClosingWindows(db), tellClosingWindows(db)]);
    return db('events').where({ conversation_id: conversationId, type: 'conversation.window_closing' });
  };

  it('ends so many hours after the last message of the person, whoever wrote since, and where the host says so', async () => {
    const [asked] = await db('messages').where({ conversation_id: conversationId, author: 'user' });
    expect(await endsAt()).to.equal(new Date(asked.created_at.getTime() + 24 * HOUR_MS).toISOString());
    await write();
    expect(await endsAt()).to.equal(new Date(asked.created_at.getTime() + 24 * HOUR_MS).toISOString());
    await demo.call('appendMessage', { conversationId, author: 'user', content: 'Sim.' });
    const [, said] = await db('messages')
      .where({ conversation_id: conversationId, author: 'user' })
      .orderBy('seq');
    expect(await endsAt()).to.equal(new Date(said.created_at.getTime() + 24 * HOUR_MS).toISOString());
    await db('conversations').where({ id: conversationId }).update({ person_wrote_at: asked.created_at });
    await demo.ask('Ensaio', { conversationId, reasoningConfig: { rehearsal: true } });
    expect(await endsAt()).to.equal(new Date(asked.created_at.getTime() + 24 * HOUR_MS).toISOString());
    conversationId = await begin('telegram');
    expect(await endsAt()).to.equal(null);
    await pass(1_000);
    expect((await write()).status).to.equal(201);
  });

  it('is told once to be closing, two hours before, and again for the next message of the person', async () => {
    expect(await pass(21.9)).to.deep.equal([]);
    const [event, ...others] = await pass(0.2);
    expect(others).to.deep.equal([]);
    expect(event.data).to.deep.equal({ conversationId, windowEndsAt: await endsAt() });
    expect(await pass(1)).to.have.length(1);
    await demo.ask('E amanhã?', { conversationId });
    expect(await pass(22.5)).to.have.length(2);
    expect(await pass(5)).to.have.length(2);
  });

  it('is not told of in a conversation that is closed, nor after its end', async () => {
    await demo.call('updateConversation', { conversationId, closed: true });
    expect(await pass(23)).to.deep.equal([]);
    await demo.call('updateConversation', { conversationId, closed: false });
    expect(await pass(2)).to.deep.equal([]);
  });

  it('refuses text of staff after its end, and stores and tells nothing of it', async () => {
    await pass(24);
    const refused = await write();
    expectRefused(refused, 'window-closed', { hint: refused.body.data.hint });
    expect(refused.body.data.hint).to.include('template');
    expect((await write({ author: 'note' })).status).to.equal(201);
    expect((await write({ author: 'human', from_channel: true, content: 'Do celular.' })).status).to.equal(
      201,
    );
    const contents = await db('messages')
      .where({ conversation_id: conversationId })
      .orderBy('seq')
      .pluck('content');
    expect(contents).to.deep.equal(['Que horas abre?', 'Às 8h.', 'Do celular.']);
    await demo.call('appendMessage', { conversationId, author: 'user', content: 'Oi!' });
    expect((await write()).status).to.equal(201);
  });

  it('lets a template through, which is told as it came', async () => {
    await pass(25);
    for (const values of [['Ana', 'amanhã'], { nome: 'Ana', dia: { valor: 3 } }, undefined]) {
      const template = { name: 'retomada', language: 'pt_BR', ...(values ? { values } : {}) };
      expect((await write({ template })).status).to.equal(201);
      const [event] = await db('events')
        .where({ conversation_id: conversationId, type: 'message.sent' })
        .orderBy('created_at', 'desc');
      expect(event.data.template).to.deep.equal(template);
      expect(event.data.content).to.equal('Ainda precisa?');
    }
    expectWrong(await write({ template: { name: 'retomada' } }), 'template.language');
  });

  /** Of each message: who wrote it, and how many hours ago. */
  type Dialogue = readonly (readonly [string, number, Fields?])[];
  const dialogues: readonly (readonly [string, boolean, Dialogue, Fields?])[] = [
    ['a person to whom nobody wrote', true, [['user', 30]]],
    [
      'one who got a word after the end, or wrote again',
      true,
      [
        ['user', 50],
        ['human', 25],
        ['user', 1],
      ],
    ],
    [
      'one who wrote again in time, and waited',
      true,
      [
        ['user', 60],
        ['user', 40],
      ],
    ],
    ['one whose conversation was closed too late', true, [['user', 30]], { closed: true, help_closed_at: 2 }],
    [
      'one who only saw a line of the system',
      true,
      [
        ['user', 30],
        ['system', 28],
      ],
    ],
    [
      'one who was answered in time',
      false,
      [
        ['user', 30],
        ['assistant', 29],
      ],
    ],
    ['one whose window is open', false, [['user', 23]]],
    ['one whose window ended before the period', false, [['user', 130]]],
    ['one whose conversation was closed in time', false, [['user', 30]], { closed: true, help_closed_at: 9 }],
    [
      'one who said thanks',
      false,
      [
        ['human', 31],
        ['user', 30],
      ],
      { closed: true },
    ],
    [
      'one who came back to a closed conversation',
      false,
      [
        ['user', 90],
        ['user', 1, { reopens: true }],
      ],
    ],
    ['a channel without a window', false, [['user', 30]], { platform: 'telegram' }],
    ['a rehearsal', false, [['user', 30, { rehearsal: true }]]],
  ];
  it('is missed, for the report, where it ended in the period while the person waited', async () => {
    const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
    const host_id = demo.hostId;
    const expected: string[] = [];
    const named = new Map<string, string>();
    for (const [of, isMissed, dialogue, { help_closed_at, ...row } = {}] of dialogues) {
      const closedAt = typeof help_closed_at === 'number' ? { help_closed_at: ago(help_closed_at) } : {};
      const [{ id }] = await db('conversations').insert(
        { host_id, platform: 'whatsapp', ...row, ...closedAt },
        'id',
      );
      for (const [author, hours, more] of dialogue)
        await db('messages').insert({
          host_id,
          conversation_id: id,
          content: 'x',
          author,
          created_at: ago(hours),
          ...more,
        });
      named.set(id, of);
      if (isMissed) expected.push(of);
    }
    const period = { startDate: ago(100).toISOString(), endDate: ago(-100).toISOString() };
    const { missedWindows } = (await demo.call('getOutcomes', period)).body.data;
    const missed = missedWindows.conversations.map((id: string) => named.get(id));
    expect(missed.toSorted()).to.deep.equal(expected.toSorted());
    expect(missedWindows.count).to.equal(expected.length);
    expect((await service.acme.call('getOutcomes', period)).body.data.missedWindows.count).to.equal(0);
  });
});
