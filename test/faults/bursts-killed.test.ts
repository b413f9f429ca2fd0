import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openBackend } from '../../queues/transport/backend.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { leaveCallsOpen } from '../support/open-calls.ts';
import {
  askBurst,
  hearQuestion,
  judgeBurst,
  listOpenQuestions,
  planBursts,
  speakQuestion,
} from './bursts.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

const SEED = 16;
const BURSTS = 24;
const ANSWER_AFTER_MS = 400;
const HEAR_AFTER_MS = 200;
const MAX_PAUSE_MS = 300;

/** `bench/bursts.bench.ts --kill` runs ten thousand. */
describe('bursts under worker processes that are killed', function () {
  // Of a machine that is busy with other work, too, on which a worker takes half a minute to start.
  this.timeout(600_000);
  const { service, spawn, kill, killAndRestart } = openProcesses({
    workers: 2,
    env: { TRANSCRIPTION_MODEL: 'whisper-1' },
    requestTimeoutMs: UNHURRIED_MS,
    transcriptionModel: 'whisper-1',
  });
  const { model } = service;

  it('end the calls of a dead worker at once, before another worker has its job', async () => {
    const open = leaveCallsOpen(model);
    const conversationId = await service.newConversation();
    const ask = (question: string) =>
      service.ask(question, { conversationId, reasoningConfig: { burst: 'last', svcCompleteLog: true } });
    await kill();
    await spawn();
    const first = ask('Oi!');
    await open.nth(0);
    await spawn();
    const { turns } = await recordsOf(service.db, conversationId);
    await kill(1);
    const second = ask('Que horas abre?');
    const { body } = await first;
    expect(body.data.assistantResponse.string).to.equal('');
    const backend = await openBackend({ ...service.settings, onError: () => {} });
    const queue = backend.makeQueue('turns');
    const state = await (await queue.getJob(turns[0]?.id ?? ''))?.getState();
    await queue.close();
    await backend.close();
    expect(state).to.equal('active');
    const secondCall = await open.nth(1);
    expect(secondCall.said).to.deep.equal(['Oi!', 'Que horas abre?']);
    secondCall.answer();
    const answered = await second;
    expect(body.data.supersededBy).to.equal(answered.body.data.svcCompleteLog[0].turnId);
    await spawn();
  });

  it('have every question answered exactly once, together with those before it, every third one spoken', async () => {
    model.script(listOpenQuestions(ANSWER_AFTER_MS));
    model.onTranscription = hearQuestion(HEAR_AFTER_MS);
    const isSpoken = (question: string) => Number(question.slice(1, -1).replace('.', '')) % 3 === 0;
    const conversations = await Promise.all(Array.from({ length: BURSTS }, () => service.newConversation()));
    const requester = {
      newConversation: async () => conversations.pop() ?? '',
      ask: async (conversationId: string, question: string) => {
        const { status, body } = await service.ask(isSpoken(question) ? '' : question, {
          conversationId,
          ...(isSpoken(question) ? { attachments: [speakQuestion(question)] } : {}),
          reasoningConfig: { burst: 'last' },
        });
        const { assistantResponse, supersededBy } = body.data;
        return { status, string: assistantResponse?.string, supersededBy };
      },
    };
    const bursts = planBursts(SEED, BURSTS, MAX_PAUSE_MS).map(async (plan, at) => {
      await delay((at * MAX_PAUSE_MS) / 2);
      return askBurst(requester, `b${at}`, plan);
    });
    for (let kills = 0; kills < 2; kills += 1) {
      await delay(MAX_PAUSE_MS);
      await killAndRestart(1).restarted;
    }
    const verdicts = await Promise.all(bursts.map(async burst => judgeBurst(service.db, await burst)));
    expect(verdicts.flatMap(({ faults }) => faults)).to.deep.equal([]);
    const answers = verdicts.reduce((sum, verdict) => sum + verdict.answers, 0);
    const questions = (await Promise.all(bursts)).flatMap(burst => burst.questions);
    expect(answers).to.be.within(BURSTS, questions.length - 1);
  });
});
