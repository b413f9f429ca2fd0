import { expect } from 'chai';
import { pino } from 'pino';
import { setHost } from '../../db/hosts/hosts.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { leaveCallsOpen } from '../support/open-calls.ts';
import { call, fail, say } from '../support/scripted-model.ts';
import { type ApiResponse, type CallOptions, type Service, startService } from '../support/service.ts';

const last = { reasoningConfig: { burst: 'last', svcCompleteLog: true } };
const respondAsync = { prefer: 'respond-async' };

describe('a question whose burst is answered with the last one', () => {
  let service: Service;
  let conversationId: string;
  let open: ReturnType<typeof leaveCallsOpen>;
  const others: Workers[] = [];
  before(async () => {
    service = await startService({ workerConcurrency: 2 });
  });
  beforeEach(async () => {
    conversationId = await service.newConversation();
    open = leaveCallsOpen(service.model);
  });
  afterEach(() => Promise.all(others.splice(0).map(worker => worker.close())));
  after(() => service.close());

  const ask = (question: string, more: Record<string, unknown> = {}, options: CallOptions = {}) =>
    service.ask(question, { conversationId, ...last, ...more }, options);
  const turnIdOf = ({ body }: ApiResponse): string => body.data.svcCompleteLog[0].turnId;
  const answerOf = ({ status, body }: ApiResponse) => ({
    status,
    string: body.data.assistantResponse.string as string,
    supersededBy: body.data.supersededBy as string | undefined,
  });

  it('ends the call of the turn before at once, and its prompt has the questions of both', async () => {
    const first = ask('Oi!');
    const firstCall = await open.nth(0);
    expect(firstCall.rules).to.contain('somente à última mensagem');
    const second = ask('Que horas abre?');
    expect(await firstCall.aborted).to.equal(undefined);
    const ended = await first;
    const secondCall = await open.nth(1);
    expect(secondCall.said).to.deep.equal(['Oi!', 'Que horas abre?']);
    expect(secondCall.rules).to.contain('somente às últimas 2 mensagens');
    secondCall.answer(say('Oi! Às 8h.'));
    const answered = await second;
    expect(answerOf(answered)).to.deep.equal({ status: 200, string: 'Oi! Às 8h.', supersededBy: undefined });
    expect(answerOf(ended)).to.deep.equal({ status: 200, string: '', supersededBy: turnIdOf(answered) });
    const { wppParsed, isAudio } = ended.body.data.assistantResponse;
    expect({ wppParsed, isAudio }).to.deep.equal({ wppParsed: [], isAudio: false });
    expect(ended.body.data.question).to.equal('Oi!');
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Oi!',
      'user: Que horas abre?',
      'assistant: Oi! Às 8h.',
    ]);
  });

  it('answers for any number of questions before it, and later turns see them as answered', async () => {
    const asked = [ask('1?')];
    for (const question of ['2?', '3?', '4?']) {
      await open.nth(asked.length - 1);
      asked.push(ask(question));
    }
    (await open.nth(3)).answer();
    const answers = (await Promise.all(asked)).map(answerOf);
    expect(answers.map(({ string }) => string)).to.deep.equal(['', '', '', 'Certo.']);
    expect(new Set(answers.map(({ supersededBy }) => supersededBy)).size).to.equal(4);
    const next = ask('5?');
    const nextCall = await open.nth(4);
    expect(nextCall.said).to.deep.equal(['1?', '2?', '3?', '4?', 'Certo.', '5?']);
    expect(nextCall.rules).to.contain('somente à última mensagem');
    nextCall.answer();
    await next;
  });

  it('waits for nobody when it is alone, and for its turn where the host or the call says `each`', async () => {
    const first = service.ask('Oi!', { conversationId });
    const firstCall = await open.nth(0);
    const second = service.ask('E aí?', { conversationId });
    await eventually(
      () => recordsOf(service.db, conversationId),
      ({ turns }) => turns.length === 2,
    );
    await setHost(service.db, 'demo', { bursts: 'last' });
    const third = ask('Tem alguém?', { reasoningConfig: { burst: 'each' } });
    await eventually(
      () => recordsOf(service.db, conversationId),
      ({ turns }) => turns.length === 3,
    );
    firstCall.answer();
    for (const at of [1, 2]) (await open.nth(at)).answer();
    const answers = await Promise.all([first, second, third]);
    await setHost(service.db, 'demo', { bursts: 'each' });
    expect(answers.map(answer => answerOf(answer).string)).to.deep.equal(['Certo.', 'Certo.', 'Certo.']);
  });

  it('does so by the setting of the host, too', async () => {
    await setHost(service.db, 'demo', { bursts: 'last' });
    const first = service.ask('Oi!', { conversationId });
    await open.nth(0);
    const second = service.ask('Que horas abre?', { conversationId });
    (await open.nth(1)).answer();
    expect(answerOf(await first).string).to.equal('');
    expect(answerOf(await second).string).to.equal('Certo.');
    await setHost(service.db, 'demo', { bursts: 'each' });
  });

  it('ends turns of another worker process, running and waiting ones', async () => {
    others.push(await startWorkers(service.settings, pino({ level: 'silent' })));
    const asked = [service.ask('1?', { conversationId })];
    await open.nth(0);
    for (const question of ['2?', '3?']) asked.push(service.ask(question, { conversationId }));
    await eventually(
      () => recordsOf(service.db, conversationId),
      ({ turns }) => turns.length === 3,
    );
    const newest = ask('4?');
    const answers = (await Promise.all(asked)).map(answerOf);
    expect(answers.map(({ string }) => string)).to.deep.equal(['', '', '']);
    const newestCall = await open.nth(1);
    expect(newestCall.said.at(-1)).to.equal('4?');
    expect(newestCall.said.toSorted()).to.deep.equal(['1?', '2?', '3?', '4?']);
    newestCall.answer();
    const id = turnIdOf(await newest);
    expect(answers.map(({ supersededBy }) => supersededBy)).to.deep.equal([id, id, id]);
  });

  it('leaves one reply to the call that it ends, for retries with its key and for /jobs', async () => {
    const headers = { 'idempotency-key': `k-${conversationId}` };
    const first = ask('Oi!', {}, { headers });
    await open.nth(0);
    const { body } = await ask('Alô?', {}, { headers: respondAsync });
    const newest = ask('Que horas abre?');
    const ended = await first;
    (await open.nth(2)).answer();
    const id = turnIdOf(await newest);
    expect(answerOf(ended).supersededBy).to.equal(body.data.jobId);
    const again = await ask('Oi!', {}, { headers });
    expect(again.body.data).to.deep.equal(ended.body.data);
    expect((await ask('Outra?', {}, { headers })).status).to.equal(422);
    const job = await service.call(`/jobs/${body.data.jobId}`);
    expect(job.body.data).to.include({ state: 'completed', code: 200 });
    expect(job.body.data.data).to.include({ supersededBy: id, question: 'Alô?' });
    expect(open.calls).to.have.length(3);
  });

  it('waits for a turn that has run an agent', async () => {
    const home = { db: service.db, hostId: service.demo.hostId };
    const agent = await makeAgent(home, 'burst-lead');
    const { subSlug } = await makeAvatarWithFlow(home, [{ type: 'agent', agents: [agent] }]);
    const first = ask('Quero Direito.', { subSlug });
    (await open.nth(0)).answer(call([['burst-lead', { curso: 'Direito' }]]));
    const afterAgent = await open.nth(1);
    const second = ask('À noite.', { subSlug });
    await eventually(
      () => recordsOf(service.db, conversationId),
      ({ turns }) => turns.length === 2,
    );
    const third = ask('Pode ser?', { subSlug });
    expect(answerOf(await second).string).to.equal('');
    afterAgent.answer(say('Anotado.'));
    expect(answerOf(await first)).to.include({ string: 'Anotado.', supersededBy: undefined });
    const thirdCall = await open.nth(2);
    expect(thirdCall.said).to.deep.equal(['Quero Direito.', 'Anotado.', 'À noite.', 'Pode ser?']);
    thirdCall.answer();
    expect(answerOf(await third).string).to.equal('Certo.');
  });

  it('is still open with those before it when its turn fails', async () => {
    const first = ask('Oi!');
    await open.nth(0);
    const second = ask('Que horas abre?');
    (await open.nth(1)).answer(fail(401));
    expect((await second).status).to.equal(503);
    expect(answerOf(await first).string).to.equal('');
    const third = ask('Alô?');
    const thirdCall = await open.nth(2);
    expect(thirdCall.said).to.deep.equal(['Oi!', 'Que horas abre?', 'Alô?']);
    thirdCall.answer();
    await third;
    const fourth = ask('Obrigada.');
    const fourthCall = await open.nth(3);
    expect(fourthCall.said).to.deep.equal(['Oi!', 'Que horas abre?', 'Alô?', 'Certo.', 'Obrigada.']);
    fourthCall.answer();
    await fourth;
  });

  it("has each question once in the prompt, also where the caller's own dialogue has some of them", async () => {
    const dialogue = ['Bom dia', { role: 'assistant', content: 'Olá!' }];
    const first = ask('Oi!', { originalDialogue: dialogue });
    await open.nth(0);
    const second = ask('Sou a Ana.', { originalDialogue: dialogue });
    await open.nth(1);
    const third = ask('Que horas abre?', {
      originalDialogue: [...dialogue, 'Sou a Ana.'],
      returnDialogue: true,
    });
    const thirdCall = await open.nth(2);
    expect(thirdCall.said).to.deep.equal(['Bom dia', 'Olá!', 'Oi!', 'Sou a Ana.', 'Que horas abre?']);
    thirdCall.answer();
    const { body } = await third;
    const returned = body.data.conversation.map(({ content }: { content: string }) => content);
    expect(returned).to.deep.equal([...thirdCall.said, 'Certo.']);
    await Promise.all([first, second]);
  });

  it('counts one service and one answer with the others, also when it reopens the conversation', async () => {
    await service.db('conversations').where({ id: conversationId }).update({ closed: true });
    const first = ask('Oi!');
    await open.nth(0);
    const second = ask('Que horas abre?');
    const secondCall = await open.nth(1);
    expect(secondCall.said).to.deep.equal(['Oi!', 'Que horas abre?']);
    secondCall.answer();
    await Promise.all([first, second]);
    const opening = await service
      .db('messages')
      .where({ conversation_id: conversationId, opens_service: true });
    expect(opening.map(({ content }) => content)).to.deep.equal(['Oi!']);
    const { turns } = await recordsOf(service.db, conversationId);
    expect(turns.map(({ state, tokens, receipt }) => [state, tokens.length, receipt !== null])).to.deep.equal(
      [
        ['unanswered', 0, false],
        ['answered', 1, true],
      ],
    );
  });
});
