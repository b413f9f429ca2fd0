import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { type ModelRequest, say } from '../support/scripted-model.ts';
import type { ApiResponse } from '../support/service.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

/** Two calls per turn: of the worker that freezes, and of the one that takes over. */
type Call = { request: ModelRequest; response: ServerResponse };

describe('a worker process that freezes in the middle of two turns', () => {
  const { service, spawn } = openProcesses({ requestTimeoutMs: UNHURRIED_MS });
  const calls = new Map<string, Call[]>();
  const callsOf = (question: string) => calls.get(question) ?? [];
  const answerCall = (question: string, at: number, text: string) => {
    const call = callsOf(question)[at] ?? expect.fail();
    return say(text)(call.request, call.response);
  };
  const toldOf = async (asked: Promise<ApiResponse>) => {
    const { status, body } = await asked;
    return [status, body.data?.assistantResponse?.string ?? body.message];
  };
  before(async () => {
    service.model.script((request, response) => {
      const question = request.messages.at(-1)?.content ?? '';
      calls.set(question, [...callsOf(question), { request, response }]);
    });
  });

  it('neither doubles an answer nor overwrites the newer attempt’s when it goes on', async () => {
    const frozen = await spawn();
    const [done, open] = [await service.newConversation(), await service.newConversation()];
    const doneAsked = service.ask('Pronta?', { conversationId: done });
    const openAsked = service.ask('Aberta?', { conversationId: open });
    const callsMade = () => [callsOf('Pronta?').length, callsOf('Aberta?').length];
    await eventually(callsMade, [1, 1]);
    const other = await spawn();
    frozen.kill('SIGSTOP');
    await eventually(callsMade, [2, 2]);
    await answerCall('Pronta?', 1, 'Nova.');
    expect(await toldOf(doneAsked)).to.deep.equal([200, 'Nova.']);

    frozen.kill('SIGCONT');
    await answerCall('Pronta?', 0, 'Velha.');
    await answerCall('Aberta?', 0, 'Velha.');
    // It exits when its turns have ended.
    frozen.kill('SIGTERM');
    expect(await frozen.ended).to.equal(0);
    expect((await recordsOf(service.db, open)).turns.map(({ state }) => state)).to.deep.equal(['running']);

    await answerCall('Aberta?', 1, 'Nova.');
    expect(await toldOf(openAsked)).to.deep.equal([200, 'Nova.']);
    for (const [conversationId, question] of [
      [done, 'Pronta?'],
      [open, 'Aberta?'],
    ] as const) {
      const { turns, said, replies } = await recordsOf(service.db, conversationId);
      expect(turns.map(({ state, attempt }) => [state, attempt])).to.deep.equal([['answered', 2]]);
      expect(said.map(({ content }) => content)).to.deep.equal([question, 'Nova.']);
      expect(replies).to.equal(1);
      expect(callsOf(question)).to.have.length(2);
    }
    other.kill('SIGTERM');
    expect(await other.ended).to.equal(0);
  });
});
