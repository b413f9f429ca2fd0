import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type ModelRequest, type ModelScript, say } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService, type Service } from '../support/service.ts';
import { type QueueWatch, watchQueue } from './queue-watch.ts';

const SLOTS = 12;
const MOST_OF_ONE_HOST = 11;
/** More than the slots, and not enough for a refusal. */
const FLOOD = 14;

describe('a host that shares the workers with one of many turns', () => {
  const service = openOwnService({ workerConcurrency: SLOTS, requestTimeoutMs: 60_000 });
  const { model } = service;
  let queue: QueueWatch;
  let begun: { readonly question: string; answer(): unknown }[];
  let asked: Promise<ApiResponse>[];
  beforeEach(async () => {
    queue = await watchQueue(service, 'turns');
    begun = [];
    asked = [];
    model.script(holdEach);
  });
  afterEach(async () => {
    model.say('Certo.');
    for (const { answer } of begun.splice(0)) await answer();
    await Promise.allSettled(asked);
    await queue.close();
  });

  const holdEach: ModelScript = (request, response) => {
    const answer = () => response.headersSent || say('Certo.')(request, response);
    begun.push({ question: questionOf(request), answer });
  };
  const questionOf = ({ messages }: ModelRequest) => String(messages.at(-1)?.content);
  const ask = (...args: Parameters<Service['ask']>) => {
    const answered = service.ask(...args);
    asked.push(answered);
    return answered;
  };
  const askAsNeighbour = async (question: string) => {
    const { hostId, token } = service.acme;
    const body = { hostId, hostSlug: 'acme' };
    const made = await service.demo.call('createConversation', body, { token });
    return ask(question, { hostId, conversationId: made.body.data.conversationId }, { token });
  };
  const questions = () => begun.map(({ question }) => question);

  it('waits for none, although all turns of the other are slow and many of them wait', async () => {
    for (let at = 0; at < FLOOD; at += 1) void ask(`Pergunta ${at}?`);
    await queue.hasTaken(FLOOD);
    await eventually(questions, ({ length }) => length === MOST_OF_ONE_HOST);
    const neighbour = askAsNeighbour('Vizinho?');
    await eventually(questions, ({ length }) => length === MOST_OF_ONE_HOST + 1);
    expect(questions().at(-1)).to.include('Vizinho?');
    await begun.at(-1)?.answer();
    expect((await neighbour).status).to.equal(200);
  });

  it('waits for none, although all turns of the other wait for one conversation', async () => {
    const conversationId = await service.newConversation();
    for (let at = 0; at < FLOOD; at += 1) void ask(`Pergunta ${at}?`, { conversationId });
    await queue.hasTaken(FLOOD);
    await eventually(questions, ({ length }) => length === 1);
    const neighbour = askAsNeighbour('Vizinho?');
    await eventually(questions, ({ length }) => length === 2);
    expect(questions().at(-1)).to.include('Vizinho?');
    await begun.at(-1)?.answer();
    expect((await neighbour).status).to.equal(200);
  });
});
