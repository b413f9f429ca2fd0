import { expect } from 'chai';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { wantedEventTypes } from '../../queues/contract/events.ts';
import { openConversation } from '../support/conversation.ts';
import { insightRequests, waitForInsights, withInsights } from '../support/insight-answers.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';

/** A word that stands nowhere else. */
const CANARY = 'jacarandá';

describe('a note that staff members write for each other', () => {
  const service = openOwnService({ insightConcurrency: 1 });
  const { demo, model } = service;
  const conversation = openConversation(service);
  before(() => demo.make('saveWebhook', { events: wantedEventTypes }));
  beforeEach(() => model.say('Certo.'));

  const append = (content: string, author = 'note') =>
    demo.call('appendMessage', { conversationId: conversation.id, author, content, name: 'Bia' });
  const list = async (more: Fields = {}) =>
    (await demo.call('listMessages', { conversationId: conversation.id, ...more })).body.data;
  const itemOf = async (): Promise<Fields> => {
    const { body } = await demo.call('listConversations');
    return body.data.items.find(({ id }: Fields) => id === conversation.id);
  };
  const short = ({ author, name, content }: Fields) => [author, name, content];

  it('stands among the messages for who asks for notes, also from page to page, and for nobody else', async () => {
    await append('Oi!', 'human');
    expect((await append(`Ligar amanhã: ${CANARY}`)).status).to.equal(201);
    await append('Tchau!', 'human');
    const all = [
      ['human', 'Bia', 'Oi!'],
      ['note', 'Bia', `Ligar amanhã: ${CANARY}`],
      ['human', 'Bia', 'Tchau!'],
    ];
    expect((await list({ notes: true })).items.map(short)).to.deep.equal(all);
    const first = await list({ notes: true, limit: 2 });
    const rest = await list({ notes: true, limit: 2, cursor: first.nextCursor });
    expect([...first.items, ...rest.items].map(short)).to.deep.equal(all);
    for (const more of [{}, { notes: false }])
      expect(JSON.stringify(await list(more)))
        .to.contain('Tchau!')
        .and.not.contain(CANARY);
  });

  it('is told of by the list of conversations, and moves, mutes and reopens none', async () => {
    model.script(withInsights());
    await append('Oi!', 'user');
    await demo.call('updateConversation', { conversationId: conversation.id, ask_human_help: true });
    await waitForInsights(service, conversation.id);
    const before = await itemOf();
    expect(before['last_note_at']).to.equal(null);
    await append(CANARY);
    const { last_note_at, ...after } = await itemOf();
    expect({ ...after, last_note_at: null }).to.deep.equal(before);
    const [{ createdAt }] = (await list({ notes: true })).items.slice(-1);
    expect(last_note_at).to.equal(createdAt);
    expect(await conversation.row()).to.include({ attended: false });
  });

  it('is found by who polls for what has changed', async () => {
    await append('Oi!', 'user');
    const old = { updated_at: '2020-01-01', last_message_at: '2020-01-01' };
    await service.db('conversations').where({ id: conversation.id }).update(old);
    await append(CANARY);
    const updatedSince = new Date(Date.now() - 60_000).toISOString();
    const { body } = await demo.call('listConversations', { updatedSince });
    expect(body.data.items.map(({ id }: Fields) => id)).to.include(conversation.id);
  });

  it('reaches no model: no turn, and no insight', async () => {
    model.script(withInsights());
    await append(CANARY);
    await conversation.ask('Que horas abre?');
    await append(CANARY);
    await conversation.ask('E fecha?');
    await waitForInsights(service, conversation.id);
    expect(insightRequests(service)).to.have.length.above(0);
    expect(JSON.stringify(model.requests)).to.contain('E fecha?').and.not.contain(CANARY);
  });

  it('answers no question: the next one still answers what is open', async () => {
    await append('Quanto custa o curso de Direito?', 'user');
    await append(CANARY);
    await append('Já vejo.', 'human');
    const ofConversation = { conversation_id: conversation.id };
    const gaps = await service.db('gap_questions').where(ofConversation).select('reason', 'answered_seq');
    const last = await service
      .db('messages')
      .where({ ...ofConversation, author: 'human' })
      .first('seq');
    expect(gaps).to.deep.equal([{ reason: 'human', answered_seq: last.seq }]);
  });

  it('makes no event, count, or text to search', async () => {
    const read = async (table: string, where: Fields) => (await service.db(table).where(where)).length;
    const ofHost = { host_id: demo.hostId };
    const counts = () =>
      Promise.all([
        ...['events', 'deliveries', 'report_deltas'].map(table => read(table, ofHost)),
        read('messages', { conversation_id: conversation.id }),
      ]);
    const before = await counts();
    await append(CANARY);
    expect(await counts()).to.deep.equal(before);
    const [found] = await rowsOf<{ original: string }>(service.db)`
      select original from conversations_to_search where origin_id = ${conversation.id}`;
    expect(found?.original).to.be.a('string').and.not.contain(CANARY);
    expect(JSON.stringify(await service.db('replies').where(ofHost))).to.not.contain(CANARY);
  });

  it('is exported and erased with the person whom the conversation is with', async () => {
    const email = 'nota@example.com';
    await conversation.ask('Oi', { userData: { name: 'Ana', email } });
    await append(CANARY);
    const { tables } = await exportPerson(service.db, demo.hostId, email);
    const [note, ...others] = tables['notes'] ?? [];
    expect(others).to.deep.equal([]);
    expect(note).to.include({ content: CANARY, name: 'Bia' });
    await erasePerson(service.db, demo.hostId, email);
    expect(await service.db('notes').where({ conversation_id: conversation.id })).to.deep.equal([]);
  });
});
