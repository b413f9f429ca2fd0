import { expect } from 'chai';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { wantedEventTypes } from '../../queues/contract/events.ts';
import { insightRequests, waitForInsights, withInsights } from '../support/insight-answers.ts';
import { type CallOptions, openOwnService } from '../support/service.ts';

type Fields = Record<string, unknown>;

/** A word that stands nowhere else. */
const CANARY = 'jacarandá';

describe('a note that staff members write for each other', () => {
  const service = openOwnService({ insightConcurrency: 1 });
  const { demo, model } = service;
  let conversationId: string;
  before(async () => {
    const webhook = {
      hostId: demo.hostId,
      name: 'Tudo',
      url: 'https://all.example/',
      events: wantedEventTypes,
    };
    await demo.call('saveWebhook', webhook);
  });
  beforeEach(async () => {
    model.say('Certo.');
    conversationId = await service.newConversation();
  });

  const append = (content: string, more: Fields = {}, options: CallOptions = {}) =>
    demo.call('appendMessage', { conversationId, author: 'note', content, name: 'Bia', ...more }, options);
  const list = async (more: Fields = {}) =>
    (await demo.call('listMessages', { conversationId, ...more })).body.data;
  const itemOf = async () => {
    const { body } = await demo.call('listConversations');
    return body.data.items.find(({ id }: Fields) => id === conversationId) as Fields;
  };
  const short = ({ author, name, content }: Fields) => [author, name, content];

  it('stands among the messages for who asks for notes, also from page to page, and for nobody else', async () => {
    await append('Oi!', { author: 'human' });
    expect((await append(`Ligar amanhã: ${CANARY}`)).status).to.equal(201);
    await append('Tchau!', { author: 'human' });
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
    await append('Oi!', { author: 'user' });
    await demo.call('updateConversation', { conversationId, ask_human_help: true });
    await waitForInsights(service, conversationId);
    const before = await itemOf();
    expect(before['last_note_at']).to.equal(null);
    await append(CANARY);
    const { last_note_at, ...after } = await itemOf();
    expect({ ...after, last_note_at: null }).to.deep.equal(before);
    const [{ createdAt }] = (await list({ notes: true })).items.slice(-1);
    expect(last_note_at).to.equal(createdAt);
    const [{ attended }] = await service.db('conversations').where({ id: conversationId }).select('attended');
    expect(attended).to.equal(false);
  });

  it('is found by who polls for what has changed', async () => {
    await append('Oi!', { author: 'user' });
    await service
      .db('conversations')
      .where({ id: conversationId })
      .update({ updated_at: '2020-01-01', last_message_at: '2020-01-01' });
    await append(CANARY);
    const since = { hostId: demo.hostId, updatedSince: new Date(Date.now() - 60_000).toISOString() };
    const { body } = await demo.call('listConversations', since);
    expect(body.data.items.map(({ id }: Fields) => id)).to.include(conversationId);
  });

  it('reaches no model: no turn, and no insight', async () => {
    model.script(withInsights());
    await append(CANARY);
    await service.ask('Que horas abre?', { conversationId });
    await append(CANARY);
    await service.ask('E fecha?', { conversationId });
    await waitForInsights(service, conversationId);
    expect(insightRequests(service)).to.have.length.above(0);
    expect(JSON.stringify(model.requests)).to.contain('E fecha?').and.not.contain(CANARY);
  });

  it('answers no question: the next one still answers what is open', async () => {
    await append('Quanto custa o curso de Direito?', { author: 'user' });
    await append(CANARY);
    await append('Já vejo.', { author: 'human' });
    const gaps = await service.db('gap_questions').where({ conversation_id: conversationId });
    expect(gaps.map(({ reason }) => reason)).to.deep.equal(['human']);
    const [last] = await service
      .db('messages')
      .where({ conversation_id: conversationId, author: 'human' })
      .select('seq');
    expect(gaps[0]?.answered_seq).to.equal(last?.seq);
  });

  it('makes no event, count, or text to search', async () => {
    const read = async (table: string, where: Fields) => (await service.db(table).where(where)).length;
    const ofHost = { host_id: demo.hostId };
    const counts = () =>
      Promise.all([
        read('events', ofHost),
        read('deliveries', ofHost),
        read('report_deltas', ofHost),
        read('messages', { conversation_id: conversationId }),
      ]);
    const before = await counts();
    await append(CANARY);
    expect(await counts()).to.deep.equal(before);
    const [found] = await rowsOf<{ original: string }>(service.db)`
      select original from conversations_to_search where origin_id = ${conversationId}`;
    expect(found?.original).to.be.a('string').and.not.contain(CANARY);
    expect(JSON.stringify(await service.db('replies').where(ofHost))).to.not.contain(CANARY);
  });

  it('is exported and erased with the person whom the conversation is with', async () => {
    const email = 'nota@example.com';
    await service.ask('Oi', { conversationId, userData: { name: 'Ana', email } });
    await append(CANARY);
    const { tables } = await exportPerson(service.db, demo.hostId, email);
    expect(tables['notes']).to.have.length(1);
    expect(tables['notes']?.[0]).to.include({ content: CANARY, name: 'Bia' });
    await erasePerson(service.db, demo.hostId, email);
    expect(await service.db('notes').where({ conversation_id: conversationId })).to.deep.equal([]);
  });
});
