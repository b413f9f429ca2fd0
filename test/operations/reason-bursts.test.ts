import { expect } from 'chai';
import { pino } from 'pino';
import { startWorkers } from '../../workers/start.ts';
import { makeAgent, makeAvatarWithFlow } from '../support/avatar-with-flow.ts';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { leaveCallsOpen } from '../support/open-calls.ts';
import { openEach } from '../support/opened.ts';
import { call, say } from '../support/scripted-model.ts';
import type { Turn } from '../support/served-host.ts';
import { openOwnService } from '../support/service.ts';

describe('a question whose burst is answered with the last one', () => {
  const service = openOwnService({ workerConcurrency: 3 });
  const { demo } = service;
  const reasoningConfig = { burst: 'last', svcCompleteLog: true };
  const conversation = openConversation(service, { reasoningConfig });
  const { ask } = conversation;
  const open = openEach(() => leaveCallsOpen(service.model));
  const answerOf = ({ status, text, data: { supersededBy } }: Turn) => ({ status, text, supersededBy });
  const untilTurns = (count: number) => eventually(async () => (await conversation.turns()).length, count);

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
    expect(answerOf(answered)).to.deep.equal({ status: 200, text: 'Oi! Às 8h.', supersededBy: undefined });
    expect(answerOf(ended)).to.deep.equal({ status: 200, text: '', supersededBy: answered.receipt.turnId });
    expect(ended.data.assistantResponse).to.deep.include({ wppParsed: [], isAudio: false });
    expect(ended.data.question).to.equal('Oi!');
    expect(await conversation.said()).to.deep.equal([
      'user: Oi!',
      'user: Que horas abre?',
      'assistant: Oi! Às 8h.',
    ]);
    expect(
      (await conversation.turns()).map(({ tokens, receipt }) => [tokens.length, receipt !== null]),
    ).to.deep.equal([
      [0, false],
      [1, true],
    ]);
  });

  it('ends turns of another worker process, running and waiting ones', async () => {
    const other = await startWorkers(service.settings, pino({ level: 'silent' }));
    const alone = (question: string) => ask(question, { reasoningConfig: undefined });
    const asked = [alone('1?')];
    await open.nth(0);
    for (const question of ['2?', '3?']) asked.push(alone(question));
    await untilTurns(3);
    const newest = ask('4?');
    const answers = (await Promise.all(asked)).map(answerOf);
    expect(answers.map(({ text }) => text)).to.deep.equal(['', '', '']);
    const newestCall = await open.nth(1);
    expect(newestCall.said.at(-1)).to.equal('4?');
    expect(newestCall.said.toSorted()).to.deep.equal(['1?', '2?', '3?', '4?']);
    newestCall.answer();
    const id = (await newest).receipt.turnId;
    expect(answers.map(({ supersededBy }) => supersededBy)).to.deep.equal([id, id, id]);
    await other.close();
  });

  it('leaves one reply to the call that it ends, for retries with its key and for /jobs', async () => {
    const headers = { 'idempotency-key': `k-${conversation.id}` };
    const first = ask('Oi!', {}, { headers });
    await open.nth(0);
    const { body } = await ask('Alô?', {}, { headers: { prefer: 'respond-async' } });
    // One that is ended before it asks the model makes no call.
    await open.nth(1);
    const newest = ask('Que horas abre?');
    const ended = await first;
    (await open.nth(2)).answer();
    const id = (await newest).receipt.turnId;
    expect(answerOf(ended).supersededBy).to.equal(body.data.jobId);
    expect((await ask('Oi!', {}, { headers })).data).to.deep.equal(ended.data);
    expect((await ask('Outra?', {}, { headers })).status).to.equal(422);
    const job = await service.call(`/jobs/${body.data.jobId}`);
    expect(job.body.data).to.include({ state: 'completed', code: 200 });
    expect(job.body.data.data).to.include({ supersededBy: id, question: 'Alô?' });
    expect(open.calls).to.have.length(3);
  });

  it('waits for a turn that has run an agent', async () => {
    const agent = await makeAgent(demo, 'burst-lead');
    const { subSlug } = await makeAvatarWithFlow(demo, [{ type: 'agent', agents: [agent] }]);
    const first = ask('Quero Direito.', { subSlug });
    (await open.nth(0)).answer(call([['burst-lead', { curso: 'Direito' }]]));
    const afterAgent = await open.nth(1);
    const second = ask('À noite.', { subSlug });
    await untilTurns(2);
    afterAgent.answer(say('Anotado.'));
    expect(answerOf(await first)).to.include({ text: 'Anotado.', supersededBy: undefined });
    const secondCall = await open.nth(2);
    expect(secondCall.said).to.deep.equal(['Quero Direito.', 'Anotado.', 'À noite.']);
    secondCall.answer();
    expect((await second).text).to.equal('Certo.');
  });

  it("has each question once in the prompt, also where the caller's own dialogue has some of them", async () => {
    const dialogue = ['Bom dia', { role: 'assistant', content: 'Olá!' }];
    const first = ask('Oi!', { originalDialogue: dialogue });
    await open.nth(0);
    const second = ask('Sou a Ana.', { originalDialogue: dialogue });
    await open.nth(1);
    const originalDialogue = [...dialogue, 'Sou a Ana.'];
    const third = ask('Que horas abre?', { originalDialogue, returnDialogue: true });
    const thirdCall = await open.nth(2);
    expect(thirdCall.said).to.deep.equal(['Bom dia', 'Olá!', 'Oi!', 'Sou a Ana.', 'Que horas abre?']);
    thirdCall.answer();
    const returned = (await third).data.conversation.map(({ content }: { content: string }) => content);
    expect(returned).to.deep.equal([...thirdCall.said, 'Certo.']);
    await Promise.all([first, second]);
  });
});
