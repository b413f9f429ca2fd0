import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { expectWrong } from '../support/contract.ts';
import { openConversation } from '../support/conversation.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

describe('feedback', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.say('A colação é em julho.'));
  afterEach(() => service.db('feedback').where({ host_id: demo.hostId }).delete());

  const judge = (more: Fields, options = {}) =>
    demo.call('saveFeedback', { conversationId: conversation.id, ...more }, options);
  const ask = async (question = 'Quando é a colação de grau da Enfermagem?') =>
    (await conversation.ask(question)).data;
  const report = async (name: 'getOutcomes' | 'getKnowledgeGaps') => {
    const [startDate, endDate] = [-1, 1].map(days => new Date(Date.now() + days * 86_400_000).toISOString());
    return (await demo.call(name, { startDate, endDate })).body.data;
  };
  const gap = async (): Promise<Fields | undefined> =>
    (await report('getKnowledgeGaps')).find(({ conversations }: Fields) =>
      (conversations as string[]).includes(conversation.id),
    );

  it('is of the newest answer, with what that stood on, and is told', async () => {
    await ask();
    await ask('E a de Medicina?');
    const { status, body } = await judge({ score: 4, scale: 5, text: 'Quase.' });
    const turnId = (await conversation.turns()).at(-1)?.id;
    expect(status).to.equal(200);
    expect(body.data).to.deep.include({ turnId, personId: null, score: 4, scale: 5, text: 'Quase.' });
    const [row] = await service.db('feedback').where({ conversation_id: conversation.id });
    expect(row).to.deep.include({ avatar_id: demo.avatarId, verdict: 1 });
    const { items } = (await demo.call('listMessages', { conversationId: conversation.id })).body.data;
    expect(items.map(({ feedback }: Fields) => feedback)).to.deep.equal([
      [],
      [],
      [],
      [{ personId: null, score: 4, scale: 5, text: 'Quase.' }],
    ]);
  });

  it('counts once for each author, the newest, in the outcomes', async () => {
    await ask();
    const { right } = (await report('getOutcomes')).feedback;
    await judge({ score: -1 });
    const wrong = (await report('getOutcomes')).feedback;
    expect([wrong.right, wrong.wrong]).to.deep.equal([
      right,
      { count: 1, conversations: [conversation.id], nextCursor: null },
    ]);
    await judge({ score: 1 });
    expect((await report('getOutcomes')).feedback).to.deep.include({ right: right + 1, between: 0 });
  });

  it('makes a gap of what is judged wrong, with the right answer of staff, until it is judged right', async () => {
    await ask();
    expect(await gap()).to.equal(undefined);
    await judge({ score: -1, text: 'Errado.' });
    const bia = await demo.enter(await demo.addPerson('Bia'));
    await judge({ score: -1, text: 'É em agosto.' }, bia);
    expect(await gap()).to.deep.include({ judgedWrong: 1, rightAnswer: 'É em agosto.' });
    await judge({ score: 1 });
    expect(await gap()).to.deep.include({ judgedWrong: 1 });
    await judge({ score: 1 }, bia);
    expect(await gap()).to.equal(undefined);
  });

  it('is refused with a score out of its scale, and for what is no answer', async () => {
    await ask();
    for (const wrong of [{ score: 0 }, { score: 2 }, { score: 0, scale: 5 }, { score: -1, scale: 5 }])
      expectWrong(await judge(wrong), 'score');
    expect((await judge({ score: 1, turnId: 'k0' })).body.data.reason).to.equal('answer-not-found');
    const unknown = await judge({ score: 1, conversationId: randomUUID() });
    expect(unknown.body.data.reason).to.equal('conversation-not-found');
  });

  it('is exported and erased with its person', async () => {
    const email = `${randomUUID()}@x.example`;
    await conversation.ask('Oi', { userData: { name: 'Ana', email } });
    await judge({ score: -1, text: 'Meu caso é outro.' });
    const { tables } = await exportPerson(service.db, demo.hostId, email);
    expect(tables['feedback']?.map(row => (row as Fields)['text'])).to.deep.equal(['Meu caso é outro.']);
    await erasePerson(service.db, demo.hostId, email);
    expect(await service.db('feedback').where({ conversation_id: conversation.id })).to.deep.equal([]);
  });
});
