import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { endedRecordsOf } from '../support/conversation-records.ts';
import { withBlockedCommits, withStalledCommits } from '../support/held-commit.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const requestTimeoutMs = 4_000;
const turnsAtOnce = 24;

describe('an answer that comes when the time of its turn is up', () => {
  const service = openOwnService({ requestTimeoutMs });
  const { model } = service;

  const jobAt = (id: string) => service.call(`/jobs/${id}`, undefined, { method: 'GET' });

  const storedOf = async (conversationId: string) => {
    const { turns, said } = await endedRecordsOf(service.db, conversationId);
    return { states: turns.map(({ state }) => state), authors: said.map(({ author }) => author) };
  };

  it('is not stored where its commit was held up until whoever asked was told that there is none', async () => {
    const held = hold(say('Tarde demais.'));
    model.script(held.script);
    const conversationId = await service.newConversation();
    const asked = service.ask('Ainda dá tempo?', { conversationId });
    await held.held;
    await withBlockedCommits(service.db, async commits => {
      held.release();
      await commits.waitForBlocked(1);
      expect((await asked).status).to.equal(408);
    });
    expect(await storedOf(conversationId)).to.deep.equal({ states: ['unanswered'], authors: ['user'] });
    const [{ id }] = await service.db('turns').where('conversation_id', conversationId);
    expect((await jobAt(id)).status).to.equal(404);
  });

  it('is told where it is being stored while whoever asked is about to be told that there is none', async () => {
    const held = hold(say('Na última hora.'));
    model.script(held.script);
    const conversationId = await service.newConversation();
    const asked = service.ask('Ainda dá tempo?', { conversationId });
    await held.held;
    await withStalledCommits(service.db, async commits => {
      held.release();
      // The commit, and the last look-up of its reply at the deadline.
      await commits.waitForBlocked(2);
    });
    const { status, body } = await asked;
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Na última hora.']);
    expect(await storedOf(conversationId)).to.deep.equal({
      states: ['answered'],
      authors: ['user', 'assistant'],
    });
  });

  it('is had under its key and at its job, and not made twice, where its commit ends after the refusal', async () => {
    const held = hold(say('Depois da recusa.'));
    model.script(held.script);
    const calls = model.requests.length;
    const conversationId = await service.newConversation();
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const ask = () => service.ask('Ainda dá tempo?', { conversationId }, options);
    const first = ask();
    await held.held;
    const [refused, retried, meanwhile] = await withStalledCommits(service.db, async commits => {
      held.release();
      const refusal = await first;
      const job = await jobAt(refusal.body.data.turnId);
      const retry = ask();
      // The commit, and the retry, which waits for it.
      await commits.waitForBlocked(2);
      await commits.release();
      return [refusal, await retry, job];
    });
    expect(refused.status).to.equal(408);
    expect(meanwhile.body.data).to.deep.equal({ state: 'running' });
    expect([retried.status, retried.body.data.assistantResponse?.string]).to.deep.equal([
      200,
      'Depois da recusa.',
    ]);
    const { body } = await jobAt(refused.body.data.turnId);
    expect(body.data).to.deep.equal({ state: 'completed', code: 200, data: retried.body.data });
    expect(model.requests.length).to.equal(calls + 1);
    expect(await storedOf(conversationId)).to.deep.equal({
      states: ['answered'],
      authors: ['user', 'assistant'],
    });
  });

  it('is either told and stored, or neither, and the refusal is that of the deadline', async () => {
    const startedAt = new Map<string, number>();
    model.script(async (request, response) => {
      const question = request.messages.at(-1)?.content ?? '';
      // Spread from before the deadline to after it.
      const at = requestTimeoutMs - 300 + Number(question) * (500 / turnsAtOnce);
      await delay((startedAt.get(question) ?? 0) + at - performance.now());
      await say('Por pouco.')(request, response);
    });
    const ids = await Promise.all(Array.from({ length: turnsAtOnce }, () => service.newConversation()));
    const asked = ids.map((conversationId, nth) => {
      startedAt.set(String(nth), performance.now());
      return service.ask(String(nth), { conversationId });
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    const stored = await Promise.all(ids.map(storedOf));
    expect(statuses.filter(status => status !== 200 && status !== 408)).to.deep.equal([]);
    const isTold = statuses.map(status => status === 200);
    expect(stored.map(({ states }) => states.includes('answered'))).to.deep.equal(isTold);
    expect(stored.map(({ authors }) => authors.includes('assistant'))).to.deep.equal(isTold);
  });
});
