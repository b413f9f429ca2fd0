import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { withBlockedCommits } from '../support/held-commit.ts';
import { forgetJobs } from '../support/held-store.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';

describe('a job that the store loses while its work is being committed', () => {
  let service: Service;
  before(async () => {
    service = await startService({ requestTimeoutMs: 60_000 });
  });
  after(() => service.close());

  it('gives a retry under the same key the one answer, and asks nothing twice', async () => {
    const conversationId = await service.newConversation();
    const held = hold(say('Uma vez.'));
    service.model.script(held.script);
    const calls = service.model.requests.length;
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const ask = (more = {}) => service.ask('Quantas vezes?', { conversationId }, { ...options, ...more });
    const leave = new AbortController();
    const first = ask({ signal: leave.signal }).catch(() => 'left');
    await held.held;
    // Its client hangs up and asks again: the api would refuse it only after most of the time that a commit may wait.
    const { status, body } = await withBlockedCommits(service.db, async commits => {
      held.release();
      await commits.waitForBlocked(1);
      await forgetJobs(service);
      leave.abort();
      const retry = ask();
      await commits.waitForBlocked(2);
      await commits.release();
      return retry;
    });
    expect(await first).to.equal('left');
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Uma vez.']);
    const { turns, said } = await recordsOf(service.db, conversationId);
    expect(turns.map(({ state }) => state)).to.deep.equal(['answered']);
    expect(said.map(({ content }) => content)).to.deep.equal(['Quantas vezes?', 'Uma vez.']);
    expect(service.model.requests.length).to.equal(calls + 1);
  });

  it('gives a retry the first reply, although what was made then stands in its way', async () => {
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const leave = new AbortController();
    const make = (more = {}) => {
      const sub_slug = `irma-${options.headers['idempotency-key']}`;
      const body = { host_id: service.demo.hostId, sub_slug, avatar_name: 'Irmã' };
      return service.call(`${SVC}/createSubAvatarHelper`, body, { ...options, ...more });
    };
    const { status } = await withBlockedCommits(service.db, async commits => {
      const first = make({ signal: leave.signal }).catch(() => undefined);
      await commits.waitForBlocked(1);
      await forgetJobs(service);
      leave.abort();
      await first;
      const retry = make();
      await commits.waitForBlocked(2);
      await commits.release();
      return retry;
    });
    expect(status).to.equal(201);
  });
});
