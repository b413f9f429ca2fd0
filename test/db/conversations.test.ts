import { expect } from 'chai';
import {
  findConversation,
  findConversationInformation,
  type GlobalData,
  insertConversation,
  lockConversation,
  mergeGlobalData,
  setConversation,
} from '../../db/conversations/conversations.ts';
import { appendMessage, type NewMessage, readHistory } from '../../db/conversations/messages.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { insertRecord } from '../support/searched-records.ts';

describe('conversations', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));
  const other = openOnce(() => buildHost(db));

  const { inHost } = host;
  const insert = (globalData?: GlobalData) => inHost(scope => insertConversation(scope, globalData));
  const find = (id: string) => inHost(scope => findConversation(scope, id));
  const append = (message: NewMessage) => inHost(scope => appendMessage(scope, message));

  it('come from the platform of their global data, else from the API', async () => {
    const platforms = [];
    for (const data of [{ platform: 'whatsapp' }, { platform: ' ' }, { platform: 7 }, undefined]) {
      platforms.push((await find(await insert(data)))?.platform);
    }
    expect(platforms).to.eql(['whatsapp', 'api', 'api', 'api']);
  });

  it('keep global data of any content, save what the store cannot hold', async () => {
    const data = { 'a\0': ['b\0', '\ud800', '\\u0000', '\\\0', '😀'], nested: { nothing: null }, __proto: 1 };
    const id = await insert(data);
    expect((await find(id))?.globalData).to.eql({
      'a\ufffd': ['b\ufffd', '\ufffd', '\\u0000', '\\\ufffd', '😀'],
      nested: { nothing: null },
      __proto: 1,
    });
  });

  it('put new global data over the old, key by key', async () => {
    const id = await insert({ platform: 'web', a: 1, b: { c: 2 } });
    const merged = await inHost(scope => mergeGlobalData(scope, id, { b: 3, platform: 'whatsapp' }));
    expect(merged).to.eql({ platform: 'whatsapp', a: 1, b: 3 });
    expect((await find(id))?.platform).to.equal('whatsapp');
  });

  it('change in what is given and in nothing else', async () => {
    const id = await insert();
    const before = await find(id);
    const after = await inHost(scope => setConversation(scope, id, { archived: true, wppId: '5511' }));
    const changes = { archived: true, wppId: '5511', wasClosed: false, wasAskingHelp: false };
    expect(after).to.eql({ ...before, ...changes });
  });

  it('of another host are as if they were not there', async () => {
    const id = other.conversationId;
    expect(await find(id)).to.equal(undefined);
    expect(await inHost(scope => setConversation(scope, id, { closed: true }))).to.equal(undefined);
    expect(await inHost(scope => mergeGlobalData(scope, id, { a: 1 }))).to.equal(undefined);
    expect(await append({ conversationId: id, author: 'user', content: 'x' })).to.equal(undefined);
    expect(await inHost(scope => readHistory(scope, id, { messages: 10, bytes: 1_000 }))).to.eql([]);
  });

  it('are attended from a person’s first message after help was asked for until nobody asks any more', async () => {
    const id = await insert();
    const set = (askHumanHelp: boolean) => inHost(scope => setConversation(scope, id, { askHumanHelp }));
    const person = { conversationId: id, author: 'human', content: 'Olá' } as const;
    await append(person);
    expect((await set(true))?.attended).to.equal(false);
    await append({ ...person, author: 'user' });
    expect((await find(id))?.attended).to.equal(false);
    await append(person);
    expect((await find(id))?.attended).to.equal(true);
    expect((await inHost(scope => setConversation(scope, id, { archived: true })))?.attended).to.equal(true);
    expect((await set(false))?.attended).to.equal(false);
    expect((await set(true))?.attended).to.equal(false);
  });

  it('tell their last messages, oldest first, and when the last one was written', async () => {
    const id = await insert();
    for (const content of ['1', '2', '3'])
      await append({ conversationId: id, author: 'system', content, name: 'n' });
    const history = await inHost(scope => readHistory(scope, id, { messages: 2, bytes: 1_000 }));
    expect(history.map(message => message.content)).to.eql(['2', '3']);
    expect(history[0]).to.include({ author: 'system', name: 'n', turnId: null, unanswered: false });
    const few = await inHost(scope => readHistory(scope, id, { messages: 3, bytes: 1 }));
    expect(few.map(message => message.content)).to.eql(['3']);
    const information = await inHost(scope => findConversationInformation(scope, id));
    const last = Date.parse(information?.last_message_at ?? '');
    expect(last).to.be.closeTo(history[1]?.createdAt.getTime() ?? 0, 1_000);
  });

  it('have the last lead of their contact when it was known, else the first that came since, and not that of another', async () => {
    const makeContact = async () => {
      const [contact] = await db('contacts').insert({ host_id: host.hostId, name: 'Ana' }).returning('id');
      return contact.id as string;
    };
    // Times are stored in milliseconds, and two leads may come within one.
    let second = 0;
    const addLead = (contact_id: string) => {
      const at = new Date(2026, 0, 1, 0, 0, second++);
      return insertRecord(db, host.hostId, 'leads', { contact_id, created_at: at, arrived_at: at });
    };
    const [id, contactId, otherId] = [await insert(), await makeContact(), await makeContact()];
    const leadOf = async () => (await inHost(scope => lockConversation(scope, id)))?.leadId;
    const meet = (contact: string) => inHost(scope => setConversation(scope, id, { contactId: contact }));
    expect((await meet(contactId))?.leadId).to.equal(null);
    const [first] = [await addLead(contactId), await addLead(contactId)];
    expect([await leadOf(), (await meet(contactId))?.leadId]).to.deep.equal([first, first]);
    await addLead(otherId);
    const latest = await addLead(otherId);
    expect((await meet(otherId))?.leadId).to.equal(latest);
    await addLead(otherId);
    expect([await leadOf(), (await meet(otherId))?.leadId]).to.deep.equal([latest, latest]);
    expect((await meet(await makeContact()))?.leadId).to.equal(null);
  });
});
