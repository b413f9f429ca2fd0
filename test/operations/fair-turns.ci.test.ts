import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import { type ModelRequest, type ModelScript, say } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';
import { watchQueue } from './queue-watch.ts';

const SLOTS = 12;
const MAX_OF_ONE_HOST = 11;
/** More than the slots, and not enough for a refusal. */
const FLOOD = 14;

describe('a host that shares the workers with one of many turns', () => {
  const service = openOwnService({ workerConcurrency: SLOTS, requestTimeoutMs: 60_000 });
  const { demo, acme, model } = service;
  const queue = openEach(() => watchQueue(service, 'turns'));
  const begun: { readonly question: string; answer(): unknown }[] = [];
  const asked: Promise<ApiResponse>[] = [];
  beforeEach(() => model.script(holdEach));
  afterEach(async () => {
    model.say('Certo.');
    for (const { answer } of begun.splice(0)) await answer();
    await Promise.allSettled(asked.splice(0));
  });

  const holdEach: ModelScript = (request, response) => {
    const answer = () => response.headersSent || say('Certo.')(request, response);
    begun.push({ question: questionOf(request), answer });
  };
  const questionOf = ({ messages }: ModelRequest) => String(messages.at(-1)?.content);
  const ask = (question: string, more = {}, host = demo) => {
    const answered = host.ask(question, more);
    asked.push(answered);
    return answered;
  };
  const questions = () => begun.map(({ question }) => question);

  it('waits for none, although all turns of the other are slow and many of them wait', async () => {
    for (let at = 0; at < FLOOD; at += 1) void ask(`Pergunta ${at}?`);
    await queue.hasTaken(FLOOD);
    await eventually(questions, { length: MAX_OF_ONE_HOST });
    const neighbour = ask('Vizinho?', {}, acme);
    await eventually(questions, ({ length }) => length === MAX_OF_ONE_HOST + 1);
    expect(questions().at(-1)).to.include('Vizinho?');
    await begun.at(-1)?.answer();
    expect((await neighbour).status).to.equal(200);
  });

  it('waits for none, although all turns of the other wait for one conversation', async () => {
    const conversationId = await service.newConversation();
    for (let at = 0; at < FLOOD; at += 1) void ask(`Pergunta ${at}?`, { conversationId });
    await queue.hasTaken(FLOOD);
    await eventually(questions, { length: 1 });
    const neighbour = ask('Vizinho?', {}, acme);
    await eventually(questions, { length: 2 });
    expect(questions().at(-1)).to.include('Vizinho?');
    await begun.at(-1)?.answer();
    expect((await neighbour).status).to.equal(200);
  });
});
