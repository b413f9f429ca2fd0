import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { withBlockedCommits } from '../support/held-commit.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';
import { forgetJobs } from './held-store.ts';

describe('a job that the store loses while its work is being committed', () => {
  const service = openOwnService({ requestTimeoutMs: 60_000 });
  const { demo, model } = service;

  /** Cancels it, as happens to a statement that waits for 5 s: its transaction is rolled back, and it is another one that waits then. */
  const waitForAnotherCommit = async () => {
    const blocked = () =>
      rowsOf<{ id: string; pid: number }>(service.db)`
        select virtualtransaction as id, pid from pg_locks
        where not granted and relation = 'replies'::regclass`;
    const [first] = await eventually(blocked, seen => seen.length > 0);
    await rowsOf(service.db)`select pg_cancel_backend(${first?.pid ?? 0})`;
    await eventually(blocked, seen => seen.some(({ id }) => id !== first?.id));
  };

  it('is tried again until its time is over, because the answer is paid for', async () => {
    const conversationId = await service.newConversation();
    const held = hold(say('Uma vez.'));
    model.script(held.script);
    const calls = model.requests.length;
    const asked = service.ask('Quantas vezes?', { conversationId });
    await held.held;
    await withBlockedCommits(service.db, async commits => {
      held.release();
      await commits.waitForBlocked(1);
      await waitForAnotherCommit();
      await commits.release();
    });
    const { status, body } = await asked;
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Uma vez.']);
    expect(model.requests.length).to.equal(calls + 1);
  });

  it('gives a retry under the same key the one answer, and asks nothing twice', async () => {
    const conversationId = await service.newConversation();
    const held = hold(say('Uma vez.'));
    model.script(held.script);
    const calls = model.requests.length;
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
      await waitForAnotherCommit();
      await commits.release();
      return retry;
    });
    expect([status, body.data.assistantResponse?.string]).to.deep.equal([200, 'Uma vez.']);
    const { turns, said } = await recordsOf(service.db, conversationId);
    expect(turns.map(({ state }) => state)).to.deep.equal(['answered']);
    expect(said.map(({ content }) => content)).to.deep.equal(['Quantas vezes?', 'Uma vez.']);
    expect(model.requests.length).to.equal(calls + 1);
  });

  it('gives a retry the first reply, although what was made then stands in its way', async () => {
    const options = { headers: { 'idempotency-key': randomUUID() } };
    const make = () => {
      const sub_slug = `irma-${options.headers['idempotency-key']}`;
      const body = { host_id: demo.hostId, sub_slug, avatar_name: 'Irmã' };
      return demo.call('createSubAvatar', body, options);
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
