import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { startWorkers } from '../../workers/start.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { type ModelRequest, say } from '../support/scripted-model.ts';
import { type ApiResponse, type Service, startService } from '../support/service.ts';
import { watchQueue } from './queue-watch.ts';

/** More than two workers have slots. */
const turnsAtOnce = 6;
const expected = Array.from({ length: turnsAtOnce }, (_, n) => [
  `user: P${n}?`,
  `assistant: R P${n}?`,
]).flat();

describe('the turns of one conversation', () => {
  it('are answered one at a time, in the order in which they came, by two worker processes, while others go on', async () => {
    const service = await startService({ workerConcurrency: 2, requestTimeoutMs: 60_000 });
    const other = await startWorkers(service.settings, pino({ level: 'silent' }));
    const queue = await watchQueue(service, 'turns');
    const conversationId = await service.newConversation();
    const calls = watchCalls(service);
    const answers: Promise<ApiResponse>[] = [];
    for (let n = 0; n < turnsAtOnce; n += 1) {
      answers.push(service.ask(`P${n}?`, { conversationId }));
      // Each is queued before the next is sent.
      await queue.hasTaken(n + 1);
    }
    const others = await Promise.all([1, 2, 3].map(n => service.ask(`O${n}?`)));
    expect(others.map(answer => answer.status)).to.deep.equal([200, 200, 200]);
    expect(calls.order.filter(question => question.startsWith('P'))).to.deep.equal(['P0?']);
    calls.release();
    const statuses = (await Promise.all(answers)).map(answer => answer.status);
    expect(statuses).to.deep.equal(answers.map(() => 200));
    expect(calls.maxConcurrent()).to.equal(1);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal(expected);
    const last = service.model.requests.at(-1)?.messages.filter(message => message.role !== 'system');
    const read = last?.map(({ role, content }) => `${role}: ${content}`);
    expect(read).to.deep.equal(expected.slice(0, -1));
    await queue.close();
    await other.close();
    await service.close();
  });
});

/** Counts model calls by conversation; can block one. */
function watchCalls(service: Service) {
  const running = new Map<string, number>();
  const order: string[] = [];
  let most = 0;
  let release = () => {};
  const released = new Promise<void>(resolve => (release = resolve));
  service.model.script(async (request, response) => {
    const question = questionOf(request);
    // Each of the others is asked in a conversation of its own.
    const conversation = question.startsWith('P') ? 'P' : question;
    const now = (running.get(conversation) ?? 0) + 1;
    running.set(conversation, now);
    most = Math.max(most, now);
    order.push(question);
    if (conversation === 'P') await released;
    await nextTick();
    running.set(conversation, now - 1);
    await say(`R ${question}`)(request, response);
  });
  return { order, maxConcurrent: () => most, release: () => release() };
}

function questionOf({ messages }: ModelRequest): string {
  return messages.at(-1)?.content ?? '';
}
