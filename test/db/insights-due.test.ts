import { expect } from 'chai';
import { insertConversation } from '../../db/conversations/conversations.ts';
import {
  claimInsights,
  findInsightPause,
  hurryInsight,
  type InsightRun,
  lockInsight,
  pauseInsights,
  releaseInsight,
  resumeInsights,
  scheduleLastInsight,
} from '../../db/conversations/insights-due.ts';
import { abandonTurn, claimTurn, finishTurn } from '../../db/conversations/turns.ts';
import { makeInsight } from '../../workers/insights/make-insight.ts';
import { SpendRefusedError } from '../../workers/model/spender.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { modelAt, noLedger } from '../support/no-ledger.ts';
import { openOnce } from '../support/opened.ts';

const LONG = 60_000;

describe('insights that are due', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));
  const { inHost } = host;
  let conversationId: string;
  let turns = 0;
  beforeEach(async () => {
    await db('insights_due').delete();
    await db('insight_pauses').delete();
    conversationId = await inHost(scope => insertConversation(scope));
  });

  const own = () => db('insights_due').where({ conversation_id: conversationId });
  const claimed = async (isRehearsal = false) => {
    turns += 1;
    const turnId = `k${turns}`;
    const times = { arrivedAt: turns, remainingMs: () => LONG, leaseMs: LONG };
    const turn = { turnId, conversationId, question: 'Oi?', isRehearsal, ...times };
    await inHost(scope => claimTurn(scope, turn));
    return turnId;
  };
  const answerTurn = async (more: { readonly answer?: string; readonly isLast?: boolean } = {}) => {
    const turnId = await claimed();
    const finished = { turnId, attempt: 1, answer: 'Olá!', tokens: [], receipt: {}, ...more };
    await inHost(scope => finishTurn(scope, finished));
  };
  const disable = (disabled: boolean) => db('hosts').where({ id: host.hostId }).update({ disabled });
  const letBeDue = () => own().update({ due_at: db.raw(`now() - interval '1 second'`) });
  const letLeaseEnd = () => own().update({ lease_until: db.fn.now() });
  const take = (pauseMs = 0) => claimInsights(db, { limit: 10, leaseMs: LONG, pauseMs });
  const isInPause = async () => (await take(LONG)).length === 0;
  const takeOne = async (): Promise<InsightRun> => {
    const [run, ...others] = await take();
    if (!run || others.length > 0) throw new Error('Not one was taken.');
    return run;
  };
  const hold = (run: InsightRun) => inHost(scope => lockInsight(scope, run));
  const end = (run: InsightRun, next?: { afterMs: number; attempts: number }) =>
    inHost(scope => releaseInsight(scope, run, next));

  it('of a disabled host are claimed only when it is enabled again', async () => {
    await answerTurn();
    await letBeDue();
    await disable(true);
    expect(await take()).to.deep.equal([]);
    await disable(false);
    expect((await takeOne()).conversationId).to.equal(conversationId);
  });

  it('are not made where their host is disabled after they were claimed, and are due again', async () => {
    await answerTurn();
    await letBeDue();
    const run = await takeOne();
    await disable(true);
    const { signal } = new AbortController();
    await makeInsight({ db, model: undefined, warnRarely: () => {} }, run, signal);
    await disable(false);
    await letBeDue();
    expect(await takeOne()).to.deep.include({ conversationId, attempts: run.attempts });
  });

  it('are claimed host by host, so that a host with many delays no other', async () => {
    const other = await buildHost(db);
    const schedule = async ({ hostId, inHost }: BuiltHost, count: number, age: string) => {
      for (let at = 0; at < count; at += 1) {
        const conversation_id = await inHost(scope => insertConversation(scope));
        const due_at = db.raw(`now() - interval '${age}'`);
        await db('insights_due').insert({ host_id: hostId, conversation_id, due_at });
      }
    };
    await schedule(host, 8, '1 hour');
    await schedule(other, 1, '1 second');
    const takeAtMost = (limit: number) => claimInsights(db, { limit, leaseMs: LONG, pauseMs: 0 });
    const [first, second] = [await takeAtMost(2), await takeAtMost(20)];
    expect(first.map(run => run.hostId)).to.have.members([host.hostId, other.hostId]);
    const all = await db('insights_due');
    expect(new Set([...first, ...second].map(run => run.conversationId)).size).to.equal(all.length);
  });

  it('are those of an answer, after a pause that the next answer begins anew', async () => {
    await answerTurn();
    expect(await isInPause()).to.equal(true);
    await own().update({ due_at: db.raw(`now() - interval '61 seconds'`), tries: 2 });
    await answerTurn();
    expect(await isInPause()).to.equal(true);
    expect(await own()).to.have.length(1);
    await own().update({ due_at: db.raw(`now() - interval '61 seconds'`) });
    expect((await take(LONG)).map(run => run.attempts)).to.deep.equal([0]);
  });

  it('are due at once where somebody wants them, or where the answer is the last one', async () => {
    await answerTurn();
    expect(await inHost(scope => hurryInsight(scope, conversationId))).to.equal(true);
    expect(await take(LONG)).to.have.length(1);
    await own().delete();
    expect(await inHost(scope => hurryInsight(scope, conversationId))).to.equal(false);
    await answerTurn({ isLast: true });
    expect(await take(LONG)).to.have.length(1);
  });

  it('are not hurried once they failed, so that who looks pays for no model', async () => {
    await answerTurn();
    await end(await takeOne(), { afterMs: LONG, attempts: 1 });
    expect(await inHost(scope => hurryInsight(scope, conversationId))).to.equal(false);
    expect(await take()).to.deep.equal([]);
  });

  it('of a conversation that ends are due at once where it has a message that no model has read, but for rehearsals', async () => {
    const schedule = () => inHost(scope => scheduleLastInsight(scope, conversationId));
    const turnId = await claimed(true);
    await inHost(scope => abandonTurn(scope, { turnId, attempt: 1 }));
    await schedule();
    expect(await own()).to.deep.equal([]);
    await answerTurn();
    await own().delete();
    await schedule();
    expect(await take(LONG)).to.have.length(1);
  });

  it('are none of a turn in which the assistant is silent', async () => {
    await answerTurn({ answer: '' });
    expect(await own()).to.deep.equal([]);
  });

  it('are none of a turn that was given up', async () => {
    const turnId = await claimed();
    await inHost(scope => abandonTurn(scope, { turnId, attempt: 1 }));
    expect(await own()).to.deep.equal([]);
  });

  it('are taken when they are due and not before, each by one of many that look at once', async () => {
    await answerTurn();
    await own().update({ due_at: db.raw(`now() + interval '1 hour'`) });
    expect(await take()).to.deep.equal([]);
    await letBeDue();
    const runs = (await Promise.all([take(), take(), take(), take()])).flat();
    expect(runs).to.have.length(1);
    expect(runs[0]).to.include({ hostId: host.hostId, conversationId, attempts: 0 });
    expect(await take()).to.deep.equal([]);
  });

  it('are gone once they are made, and taking and ending them is no write to the conversation', async () => {
    await answerTurn();
    await letBeDue();
    const versionOf = () =>
      db('conversations').where({ id: conversationId }).first(db.raw('ctid::text, xmin::text'));
    const before = await versionOf();
    await end(await takeOne());
    expect(await own()).to.deep.equal([]);
    expect(await versionOf()).to.deep.equal(before);
  });

  it('are due again where a turn was answered while they were made', async () => {
    await answerTurn();
    await letBeDue();
    const run = await takeOne();
    await answerTurn();
    await end(run);
    expect((await own())[0]).to.include({ run_id: null, tries: 0 });
    await letBeDue();
    await end(await takeOne());
    expect(await own()).to.deep.equal([]);
  });

  it('are another’s when the lease has ended, and the one who was slow neither holds nor ends them', async () => {
    await answerTurn();
    await letBeDue();
    const slow = await takeOne();
    expect(await hold(slow)).to.equal(true);
    await letLeaseEnd();
    const next = await takeOne();
    expect(next.runId).to.not.equal(slow.runId);
    expect(await hold(slow)).to.equal(false);
    await end(slow);
    await end(slow, { afterMs: 0, attempts: 3 });
    expect(await hold(next)).to.equal(true);
    expect((await own())[0]).to.include({ run_id: next.runId, tries: 0 });
  });

  it('are tried again later where they could not be made', async () => {
    await answerTurn();
    await letBeDue();
    await end(await takeOne(), { afterMs: LONG, attempts: 1 });
    expect(await take()).to.deep.equal([]);
    await letBeDue();
    expect(await takeOne()).to.include({ attempts: 1 });
  });

  it('pause for their host alone after a failure, longer after each, and end by themselves', async () => {
    const other = await buildHost(db);
    await db('insight_pauses').delete();
    const pausedMs = async () => (await inHost(findInsightPause)) ?? 0;
    const seconds: number[] = [];
    for (let failed = 0; failed < 8; failed += 1) {
      await inHost(pauseInsights);
      // Another one fails that ran at the same time.
      await inHost(pauseInsights);
      seconds.push(Math.ceil((await pausedMs()) / 1_000));
      await db('insight_pauses').update({ paused_until: db.raw(`now() - interval '1 second'`) });
      expect(await pausedMs()).to.be.at.most(0);
    }
    expect(seconds).to.deep.equal([30, 60, 120, 240, 480, 900, 900, 900]);
    expect(await other.inHost(findInsightPause)).to.equal(undefined);
    await inHost(resumeInsights);
    expect(await inHost(findInsightPause)).to.equal(undefined);
  });

  it('do not pause where the budget of the host is used up, and wait for the next answer', async () => {
    await answerTurn();
    await letBeDue();
    const refusal = { kind: 'over-budget', budget: 'day', retryAfter: 60 } as const;
    const open = () => Promise.reject(new SpendRefusedError(host.hostId, refusal));
    const model = modelAt({ baseURL: 'http://127.0.0.1:1' }, { ledger: { ...noLedger, open } });
    const { signal } = new AbortController();
    await makeInsight({ db, model, warnRarely: () => {} }, await takeOne(), signal);
    expect(await inHost(findInsightPause)).to.equal(undefined);
    expect(await own()).to.deep.equal([]);
  });

  it('go with their conversation', async () => {
    await answerTurn();
    await db('conversations').where({ id: conversationId }).delete();
    expect(await own()).to.deep.equal([]);
  });
});
