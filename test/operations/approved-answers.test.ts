import { expect } from 'chai';
import OpenAI from 'openai';
import { askedKeyOf, matchApproved, READER } from '../../workers/domain/approved/match-approved.ts';
import { makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { openConversation } from '../support/conversation.ts';
import { openEvents } from '../support/event-client.ts';
import { say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const QUESTION = 'Posso trancar a matrícula?';
const ANSWER = 'Sim, em https://portal.example/trancar, a partir do 2º semestre por R$ 35,00.';

describe('an approved answer', () => {
  const service = openService();
  const { demo, model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.script(say('Do modelo.')));
  afterEach(() => service.db('approved_answers').where({ host_id: demo.hostId }).delete());

  const approve = (more: object = {}) =>
    demo.make('saveApprovedAnswer', {
      avatarIds: [demo.avatarId],
      questions: [QUESTION],
      answer: ANSWER,
      dataset_id: null,
      ...more,
    });
  const answerTo = async (question: string, more = {}) => (await conversation.ask(question, more)).data;

  it('is given as it is, without a model, to who asks its question in other words', async () => {
    const { id } = await approve();
    const asked = model.requests.length;
    const { assistantResponse, sources, tokensControl, unsupported, restStatus } = await answerTo(
      'oi, dá pra trancar a matricula?',
    );
    const sentences = [{ from: 0, to: ANSWER.length }];
    expect(assistantResponse.string).to.equal(ANSWER);
    expect(assistantResponse.wppParsed.map(({ type }: { type: string }) => type)).to.include('site');
    expect(sources).to.deep.equal([{ approvedAnswerId: id, title: QUESTION, sentences }]);
    expect([tokensControl, unsupported, restStatus, model.requests.length - asked]).to.deep.equal([
      [],
      [],
      [],
      0,
    ]);
    const { items } = (await demo.call('listMessages', { conversationId: conversation.id })).body.data;
    expect(items.at(-1)?.sources).to.deep.equal(sources);
    const [startDate, endDate] = [-1, 1].map(days => new Date(Date.now() + days * 86_400_000).toISOString());
    const { answers } = (await demo.call('getOutcomes', { startDate, endDate })).body.data;
    expect(answers.approved).to.equal(1);
  });

  it('is not given in doubt', async () => {
    await approve();
    for (const question of [
      'Posso cancelar a matrícula?',
      'Posso trancar a matrícula e quanto custa?',
      'E posso trancar a matrícula?',
    ])
      expect((await answerTo(question)).assistantResponse.string, question).to.equal('Do modelo.');
  });

  it('is not given once it is switched off, expired, deleted, or for another avatar', async () => {
    const { avatar_id: other } = await demo.make('createSubAvatar', { avatar_name: 'Outra' });
    for (const change of [
      { enabled: false },
      { expires: '2020-01-01' },
      { deleted: true },
      { avatarIds: [other] },
    ]) {
      const { id } = await approve();
      await demo.call('saveApprovedAnswer', { id, ...change });
      expect((await answerTo(QUESTION)).assistantResponse.string, JSON.stringify(change)).to.equal(
        'Do modelo.',
      );
    }
  });

  it('is not given while a question of a flow waits for its answer', async () => {
    const ask = { type: 'ask', name: 'nome', kind: 'text', content: 'Qual é o seu nome?' } as const;
    const { subSlug, avatarId } = await makeAvatarWithFlow(demo, [ask]);
    await approve({ avatarIds: [avatarId] });
    await answerTo('Oi', { subSlug });
    expect((await answerTo(QUESTION, { subSlug })).assistantResponse.string).not.to.equal(ANSWER);
  });

  it('is a stream and a chat completion, too', async () => {
    const { id } = await approve();
    const client = await openEvents(service, { conversationId: conversation.id, question: QUESTION });
    expect((await client.readAll()).at(-1)?.data.data.assistantResponse.string).to.equal(ANSWER);
    const { sub_slug } = (await demo.call('readAvatar', { avatar_id: demo.avatarId })).body.data;
    const openai = new OpenAI({ apiKey: demo.token, baseURL: `${service.baseURL}/v1`, maxRetries: 0 });
    const completion = await openai.chat.completions.create({
      model: sub_slug,
      messages: [{ role: 'user', content: QUESTION }],
    });
    expect(completion.choices[0]?.message.content).to.equal(ANSWER);
    expect(JSON.stringify(completion)).to.include(`"approvedAnswerId":"${id}"`);
  });

  it('is listed with what became of it, and with questions that nobody can ask by themselves', async () => {
    const { id } = await approve({ expires: '2020-01-01', questions: [QUESTION, 'E no EAD?'] });
    const [listed] = (await demo.call('listApprovedAnswers')).body.data;
    expect(listed).to.deep.include({ id, expired: true, enabled: true, unmatched: ['E no EAD?'] });
  });

  it('is found among those that an earlier version has read', async () => {
    const { id } = await approve();
    await service
      .db('approved_answers')
      .where({ id })
      .update({ reader: READER - 1, asked_keys: ['?'] });
    expect((await answerTo(QUESTION)).assistantResponse.string).to.equal(ANSWER);
  });
});

describe('the key of a question', () => {
  it('is of this version: who changes how questions are read raises READER', () => {
    const keys = [QUESTION, 'Quanto custa a 2ª via do boleto em 2026/1?', 'Onde fica o bloco A?'].map(
      askedKeyOf,
    );
    expect([READER, ...keys]).to.deep.equal([
      1,
      'matricul tranc',
      '#2 #term 2026/1 boleto valor via',
      '=a bloc lugar',
    ]);
    expect(matchApproved(QUESTION, [{ id: 'a', questions: [QUESTION] }])?.id).to.equal('a');
  });
});
