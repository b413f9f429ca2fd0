import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { encodeCursor } from '../../workers/bodies/page.ts';
import { expectWrong } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

describe('the lists of conversations and their messages', () => {
  const service = openService();
  const { model, db } = service;
  const demo = openEach(() => service.addHost());
  beforeEach(() => model.say('Certo.'));

  const list = (body: Fields = {}) => demo.call('listConversations', body);
  const open = async (platform: string): Promise<string> =>
    (await demo.call('createConversation', { globalData: { platform } })).body.data.conversationId;
  const update = (conversationId: string, changes: Fields) =>
    demo.call('updateConversation', { conversationId, ...changes });
  const append = (conversationId: string, message: Fields) =>
    demo.call('appendMessage', { conversationId, author: 'human', ...message });
  const begin = async (platform = 'api') => {
    const id = await open(platform);
    await append(id, { content: 'Oi' });
    return id;
  };
  const idsOf = async (body: Fields = {}) =>
    (await list(body)).body.data.items.map(({ id }: Fields) => id) as string[];
  const itemOf = async (id: string) =>
    (await list()).body.data.items.find((item: Fields) => item['id'] === id) as Fields;

  it('have what the state of a conversation has, its contact, its channel and who handles it', async () => {
    const id = await open('whatsapp');
    const userData = { name: 'Ana', email: 'ana@example.com', phone: '11 98765-4321' };
    await demo.ask('Oi', { conversationId: id, userData });
    const assigned = (await update(id, { assigned_to: 'Bia', ask_human_help: true })).body.data;
    const { contact_id, contact_name, contact_email, platform, last_message, ...others } = await itemOf(id);
    const { last_note_at, help_asked_at, window_ends_at, unanswered, ...rest } = others;
    expect([unanswered, window_ends_at]).to.deep.equal([false, null]);
    expect(rest).to.deep.equal(assigned);
    expect([rest['assigned_to'], contact_name, platform]).to.deep.equal(['Bia', 'Ana', 'whatsapp']);
    const stored = await db('conversations').where({ id }).first();
    expect([contact_email, contact_id]).to.deep.equal(['ana@example.com', stored.contact_id]);
    expect([last_note_at, help_asked_at]).to.deep.equal([null, stored.help_asked_at.toISOString()]);
    await update(id, { ask_human_help: false });
    expect((await itemOf(id))['help_asked_at']).to.equal(null);
    expect(last_message).to.include({ author: 'assistant', name: null, content: 'Certo.' });
    expect(rest).to.include({ user_name: 'Ana', wpp_id: '11 98765-4321', ask_human_help: true });
  });

  it('have how the last message begins, and no conversation without one', async () => {
    const [empty, id] = [await open('site'), await begin()];
    await update(empty, { ask_human_help: true });
    const content = 'Olá! '.repeat(100);
    await append(id, { content, name: 'Bia' });
    const { items } = (await demo.call('listMessages', { conversationId: id })).body.data;
    const [{ last_message, ...item }, ...others] = (await list()).body.data.items;
    expect([item.id, others]).to.deep.equal([id, []]);
    const by = { author: 'human', name: 'Bia', personId: null };
    const { messageId } = items.at(-1);
    expect(last_message).to.deep.equal({ messageId, ...by, content: content.slice(0, 200) });
    await append(empty, { content: 'Oi' });
    expect(await idsOf()).to.deep.equal([empty, id]);
  });

  it('show who waits for a person, and those that a person handles, until they are closed', async () => {
    const [asking, other] = [await begin(), await begin()];
    model.script(rounds(call([['ask_human_help', { reason: 'customer_request' }]]), say('Um momento.')));
    await demo.ask('Quero uma pessoa', { conversationId: asking });
    expect(await idsOf({ ask_human_help: true })).to.deep.equal([asking]);
    expect(await idsOf({ ask_human_help: false })).to.deep.equal([other]);
    await update(asking, { assigned_to: 'Bia' });
    expect(await idsOf({ assigned_to: 'Bia' })).to.deep.equal([asking]);
    expect(await idsOf({ assigned_to: 'Rui' })).to.deep.equal([]);
    await update(asking, { closed: true });
    expect(await itemOf(asking)).to.include({ closed: true, ask_human_help: false, assigned_to: null });
    expect(await idsOf({ assigned_to: 'Bia' })).to.deep.equal([]);
    expect(await idsOf({ closed: true })).to.deep.equal([asking]);
    expect(await idsOf({ closed: false })).to.deep.equal([other]);
  });

  it('forget who handles a conversation that the model closes, and keep it otherwise', async () => {
    const id = await begin();
    expect((await update(id, { assigned_to: 'Bia' })).body.data.assigned_to).to.equal('Bia');
    expect((await update(id, { archived: true })).body.data.assigned_to).to.equal('Bia');
    expect((await update(id, { assigned_to: null })).body.data.assigned_to).to.equal(null);
    expect((await update(id, { assigned_to: 'Bia', closed: true })).body.data.assigned_to).to.equal('Bia');
    await update(id, { closed: false });
    model.script(rounds(call([['close_conversation']]), say('Até mais.')));
    await demo.ask('Tchau!', { conversationId: id });
    expect(await itemOf(id)).to.include({ closed: true, assigned_to: null });
    for (const assigned_to of ['', 7, 'x'.repeat(201)])
      expectWrong(await update(id, { assigned_to, archived: false }), 'assigned_to');
    expect(await itemOf(id)).to.include({ archived: true });
  });

  it('take what is asked for: channel, archive, contact, and what changed since a time', async () => {
    const ids: string[] = [];
    for (const platform of ['site', 'whatsapp', 'site']) ids.push(await begin(platform));
    const [first = '', second = '', third = ''] = ids;
    expect(await idsOf({ platform: 'site' })).to.deep.equal([third, first]);
    await update(first, { archived: true });
    expect(await idsOf({ platform: 'site', archived: false })).to.deep.equal([third]);
    const { body } = await demo.ask('Oi', { conversationId: second, userData: { email: 'x@example.com' } });
    expect(await idsOf({ contactId: body.data.userId })).to.deep.equal([second]);
    expect(await idsOf({ contactId: randomUUID() })).to.deep.equal([]);
    expect(await idsOf()).to.deep.equal([second, third, first]);
    const old = new Date('2026-01-01T00:00:00Z');
    const times = { last_message_at: old, created_at: old, updated_at: old };
    await db('conversations').whereIn('id', ids).update(times);
    await update(first, { external_id: 'x9' });
    await append(third, { content: 'Oi' });
    expect(await idsOf({ updatedSince: '2026-02-01' })).to.deep.equal([third, first]);
    expect(await idsOf({ updatedSince: '2999-02-01' })).to.deep.equal([]);
  });

  it('refuse what is wrong, by its field', async () => {
    for (const wrong of [
      { ask_human_help: 'maybe' },
      { closed: 5 },
      { platform: '' },
      { assigned_to: [] },
      { contactId: 'x' },
      { updatedSince: '2026-02-30' },
      { updatedSince: 'yesterday' },
      { limit: 0 },
      { limit: 101 },
    ])
      expectWrong(await list(wrong), Object.keys(wrong));
  });

  it('take a cursor for a day, and one that is forged for a place like any other', async () => {
    for (let n = 0; n < 3; n += 1) await begin();
    const { nextCursor } = (await list({ limit: 2 })).body.data;
    const { key: place, ...of } = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
    const listFrom = (changes: Fields) => list({ cursor: encodeCursor(of, { ...place, ...changes }) });
    const yesterday = (Date.now() - 25 * 3_600_000) * 1_000;
    expectWrong(await listFrom({ begunAt: yesterday }), 'cursor', /^has expired: begin the list again$/);
    const most = Number.MAX_SAFE_INTEGER;
    for (const forged of [
      { at: most, begunAt: most },
      { oldest: 2 ** 51, begun: 2 ** 51, running: [2 ** 51 - 1, 2 ** 32, 0] },
      { oldest: 2 ** 51 - 1, begun: 2, running: [1] },
      { begun: 3, running: [2, 2, 0, 99] },
    ]) {
      const { status, body } = await listFrom(forged);
      expect([status, body.code]).to.deep.equal([200, 200]);
    }
    expect((await listFrom({ oldest: most, begun: 2 })).status).to.equal(400);
  });

  it('have the channel of a conversation cut where it is longer than an index takes', async () => {
    const platform = `${'😀'.repeat(150)}${randomBytes(3_000).toString('base64')}`;
    const id = await begin(platform);
    expect(await idsOf({ platform: Array.from(platform).slice(0, 200).join('') })).to.deep.equal([id]);
  });

  it('have pages of 50 where no limit is given', async () => {
    await db.raw(
      'insert into conversations (host_id, last_message_at) select ?, now() from generate_series(1, 60)',
      [demo.hostId],
    );
    const first = (await list()).body.data;
    const second = (await list({ cursor: first.nextCursor })).body.data;
    expect([first.items.length, second.items.length, second.nextCursor]).to.deep.equal([50, 10, null]);
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).to.equal(60);
  });
});
