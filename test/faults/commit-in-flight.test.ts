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
    service = await startService();
  });
  after(() => service.close());

  it('gives a retry under the same key the one answer, and asks nothing twice', async () => {
    const conversationId = await service.newConversation();
    const held = hold(say('Uma vez.'));
    service.model.script(held.script);
    const calls = service.model.requests.length;
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const ask = () => service.ask('Quantas vezes?', { conversationId }, options);
    const first = ask();
    await held.held;
    const { status, body } = await withBlockedCommits(service.db, async commits => {
      held.release();
      await commits.waitForBlocked(1);
      await forgetJobs(service);
      expect((await first).status).to.equal(503);
      const retry = ask();
      await commits.waitForBlocked(2);
      await commits.release();
      return retry;
    });
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Uma vez.']);
    const { turns, said } = await recordsOf(service.db, conversationId);
    expect(turns.map(({ state }) => state)).to.deep.equal(['answered']);
    expect(said.map(({ content }) => content)).to.deep.equal(['Quantas vezes?', 'Uma vez.']);
    expect(service.model.requests.length).to.equal(calls + 1);
  });

  it('gives a retry the first reply, although what was made then stands in its way', async () => {
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const make = () => {
      const sub_slug = `irma-${options.headers['idempotency-key']}`;
      const body = { host_id: service.demo.hostId, sub_slug, avatar_name: 'Irmã' };
      return service.call(`${SVC}/createSubAvatarHelper`, body, options);
    };
    const { status } = await withBlockedCommits(service.db, async commits => {
      const first = make();
      await commits.waitForBlocked(1);
      await forgetJobs(service);
      expect((await first).status).to.equal(503);
      const retry = make();
      await commits.waitForBlocked(2);
      await commits.release();
      return retry;
    });
    expect(status).to.equal(201);
  });
});
