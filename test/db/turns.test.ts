import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import {
  findConversation,
  insertConversation,
  lockConversation,
  setConversation,
} from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import {
  abandonOverdueTurns,
  abandonTurn,
  claimTurn,
  finishTurn,
  renewLeases,
  type TurnClaimResult,
} from '../../db/conversations/turns.ts';
import { findReplyOfJobOnceCommitted, isTurnRunning } from '../../db/replies.ts';
import { withHost, withHosts } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { waitForLock } from '../support/wait-for-lock.ts';
import { ALIVE_MS, DEAD_MS, makeTurns } from './conversation-turns.ts';

describe('turns', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const host = openOnce(() => buildHost(db));
  const other = openOnce(() => buildHost(db));
  let conversationId: string;
  beforeEach(async () => {
    conversationId = await inHost(scope => insertConversation(scope));
  });

  const { inHost } = host;
  const turns = makeTurns({ inHost }, () => conversationId);
  const { jobOf, claim, finish, abandon, history, said } = turns;

  it('gives the conversation to one turn, and to the next when that is answered', async () => {
    expect(attemptOf(await claim('a'))).to.equal(1);
    expect(await claim('b', 2)).to.eql({ kind: 'busy', attempt: 0 });
    expect(await finish('a', 1)).to.equal(true);
    expect(attemptOf(await claim('b', 2))).to.equal(1);
    expect(await said()).to.eql(['user: a?', 'assistant: a!', 'user: b?']);
  });

  for (const [which, turn] of [
    ['first', 'a'],
    ['later', 'a.1763900000000.25'],
  ] as const)
    it(`is running for its job while it is processed and committed, as its ${which} turn`, async () => {
      // Job ids contain no point: in the id of a turn it stands before the first one.
      const idOf = (name: string) => `${conversationId}-${name}`;
      const claimed = { arrivedAt: 1, remainingMs: () => 60_000, leaseMs: ALIVE_MS, question: '?' };
      await inHost(scope => claimTurn(scope, { ...claimed, turnId: idOf(turn), conversationId }));
      const isRunning = (hostIds: string[], name: string) =>
        withHosts(db, hostIds, scope => isTurnRunning(scope, idOf(name)));
      expect(await isRunning([host.hostId], 'a')).to.equal(true);
      for (const name of ['', 'a.', 'b', 'aa'])
        expect(await isRunning([host.hostId], name), name).to.equal(false);
      expect(await isRunning([other.hostId], 'a')).to.equal(false);
      const committing = await db.transaction();
      await committing('turns')
        .where({ id: idOf(turn) })
        .update({ lease_until: db.fn.now() });
      const find = () =>
        withHosts(db, [host.hostId], scope => findReplyOfJobOnceCommitted(scope, idOf('a'), 50));
      expect(await find().catch(error => error.code)).to.equal('55P03');
      await committing.rollback();
      expect(await find()).to.equal(undefined);
    });

  it('lets whoever arrived first go first, whoever asks first', async () => {
    await claim('a', 1);
    await claim('c', 3);
    await claim('b', 2);
    await finish('a', 1);
    expect(attemptOf(await claim('c', 3))).to.equal('busy');
    expect(attemptOf(await claim('b', 2))).to.equal(1);
  });

  it('settles a draw by the id, so that two do not wait for each other', async () => {
    await claim('a', 1);
    await claim('c', 2);
    await claim('b', 2);
    await finish('a', 1);
    expect([attemptOf(await claim('c', 2)), attemptOf(await claim('b', 2))]).to.eql(['busy', 1]);
  });

  it('lets a crashed job claim its turn again, and refuses what its first attempt still does', async () => {
    await claim('a');
    expect(attemptOf(await claim('a'))).to.equal(2);
    expect(await finish('a', 1, 'late')).to.equal(false);
    expect(await abandon('a', 1)).to.equal(false);
    expect(await finish('a', 2)).to.equal(true);
    expect(await finish('a', 2, 'twice')).to.equal(false);
    expect(await abandon('a', 2)).to.equal(false);
    expect(await said()).to.eql(['user: a?', 'assistant: a!']);
  });

  it('takes the conversation from a worker whose lease ran out, and fences it off', async () => {
    await claim('a', 1, { leaseMs: DEAD_MS });
    expect(attemptOf(await claim('b', 2))).to.equal(1);
    const held = { hostId: host.hostId, turnId: jobOf('a'), attempt: 1 };
    expect(await renewLeases(db, [held], ALIVE_MS)).to.eql([]);
    expect(await finish('a', 1)).to.equal(false);
    expect(attemptOf(await claim('a', 1))).to.equal('busy');
    await finish('b', 1);
    expect(attemptOf(await claim('a', 1))).to.equal(2);
  });

  it('keeps the conversation for a worker that renews its lease', async () => {
    await claim('a', 1, { leaseMs: DEAD_MS });
    const a = { hostId: host.hostId, turnId: jobOf('a'), attempt: 1 };
    const stale = { ...a, attempt: 0 };
    const foreign = { ...a, hostId: other.hostId };
    expect(await renewLeases(db, [stale, foreign], ALIVE_MS)).to.eql([]);
    expect(await renewLeases(db, [a, stale], ALIVE_MS)).to.eql([a.turnId]);
    expect(attemptOf(await claim('b', 2))).to.equal('busy');
  });

  it('does not let a dead waiter or one whose time is up hold others up', async () => {
    await claim('a', 1);
    await claim('b', 2, { leaseMs: DEAD_MS });
    await claim('c', 3);
    await db('turns')
      .where({ id: jobOf('c') })
      .update({ deadline: new Date(0) });
    await finish('a', 1);
    expect(attemptOf(await claim('d', 4))).to.equal(1);
  });

  it('gives nothing to a turn that is over, or whose conversation is missing or of another host', async () => {
    await claim('a');
    await finish('a', 1);
    expect(await claim('a')).to.eql({ kind: 'has-reply' });
    const missing = { kind: 'no-conversation' };
    expect(await claim('b', 1, { conversationId: crypto.randomUUID() })).to.eql(missing);
    const turn = {
      turnId: 'x',
      conversationId,
      arrivedAt: Date.now(),
      remainingMs: () => 60_000,
      leaseMs: ALIVE_MS,
    };
    const foreign = other.inHost(scope => claimTurn(scope, { ...turn, question: 'x' }));
    expect(await foreign).to.eql(missing);
  });

  it('opens the conversation for a turn that says so, but stores nothing where its avatar is missing', async () => {
    const id = randomUUID();
    const opening = { conversationId: id, turnId: `a-${id}`, opensConversation: true };
    expect(await claim('a', 1, { ...opening, opensConversation: false })).to.eql({ kind: 'no-conversation' });
    expect(await claim('a', 1, { ...opening, subSlug: 'nobody' })).to.eql({ kind: 'no-avatar' });
    expect(await db('conversations').where({ id })).to.eql([]);
    expect(await db('turns').where({ conversation_id: id })).to.eql([]);
    expect(await claim('a', 1, { ...opening, subSlug: 'main' })).to.include({ kind: 'claimed', attempt: 1 });
    expect((await inHost(scope => findConversation(scope, id)))?.platform).to.equal('api');
  });

  it('refuses a turn that is one of another conversation, and changes nothing', async () => {
    await claim('a');
    const other = await inHost(scope => insertConversation(scope));
    const refusal = claim('a', 1, { conversationId: other }).then(() => '', String);
    expect(await refusal).to.include('belongs to another conversation');
    expect(await db('turns').where({ conversation_id: other })).to.eql([]);
  });

  it('stores the reply of its job with the answer, or neither', async () => {
    const outcome = { code: 200 };
    const reply = { jobId: jobOf('a'), operation: 'reason', isFinal: true, outcome };
    const answerWith = (attempt: number, stored = reply) =>
      inHost(async scope => {
        const turn = { turnId: jobOf('a'), attempt, answer: 'a!', tokens: [], receipt: {}, reply: stored };
        if (!(await finishTurn(scope, turn))) throw new Error('not stored');
      });
    const replies = () => db('replies').where({ job_id: jobOf('a') });
    await claim('a');
    expect(String(await answerWith(2).catch(String))).to.include('not stored');
    expect(await replies()).to.eql([]);
    await answerWith(1);
    expect(await replies()).to.have.length(1);
    await claim('b', 2);
    const second = { turnId: jobOf('b'), attempt: 1, answer: 'b!', tokens: [], receipt: {}, reply };
    expect(await inHost(scope => finishTurn(scope, second))).to.equal(false);
  });

  it('stores nothing for a job that comes up after its deadline', async () => {
    expect(await claim('a', 1, { remainingMs: () => 0 })).to.eql({ kind: 'expired' });
    expect(await said()).to.eql([]);
    expect(await db('turns').where({ id: jobOf('a') })).to.eql([]);
  });

  it('keeps the question of a turn that is given up, marked unanswered, and stores no answer any more', async () => {
    await claim('a');
    await claim('b', 2);
    expect(await abandon('a', 1)).to.equal(true);
    expect(await finish('a', 1)).to.equal(false);
    expect(await claim('b', 2, { remainingMs: () => 0 })).to.eql({ kind: 'expired' });
    await claim('c', 3);
    await finish('c', 1);
    const messages = (await history()).map(({ content, unanswered }) => [content, unanswered]);
    expect(messages).to.eql([
      ['a?', true],
      ['b?', true],
      ['c?', false],
      ['c!', false],
    ]);
  });

  it('gives up the turns that nobody will end, with their questions, and those alone', async () => {
    const turn = (name: string) => db('turns').where({ id: jobOf(name) });
    const isOver = { deadline: new Date(0) };
    const isDead = { lease_until: new Date(0) };
    await claim('running');
    await claim('waiting', 2);
    await turn('running').update({ ...isOver, ...isDead });
    await turn('waiting').update({ ...isOver, ...isDead });
    const elsewhere = await inHost(scope => insertConversation(scope));
    await claim('held', 3, { conversationId: elsewhere });
    await turn('held').update(isOver);
    await claim('resumable', 4, { conversationId: await inHost(scope => insertConversation(scope)) });
    await turn('resumable').update(isDead);
    expect(await abandonOverdueTurns(db)).to.equal(2);
    expect(await abandonOverdueTurns(db)).to.equal(0);
    const states = await Promise.all(['running', 'waiting', 'held', 'resumable'].map(turn));
    expect(states.map(([row]) => row.state)).to.eql(['unanswered', 'unanswered', 'running', 'running']);
    expect((await said()).toSorted()).to.eql(['user: running?', 'user: waiting?']);
    const given = (await Promise.all(['running', 'waiting'].map(turn))).flat();
    expect(given.map(row => row.failed_code)).to.eql([408, 408]);
  });

  it('leaves a mark of the last question that failed, until one of that time or later is answered', async () => {
    const mark = async () => (await db('conversations').where({ id: conversationId }))[0].unanswered_at;
    const fail = (name: string, attempt = 1) =>
      inHost(scope => abandonTurn(scope, { turnId: jobOf(name), attempt, code: 503 }));
    await claim('a', 1);
    await claim('b', 2);
    await fail('b', 0);
    expect((await mark()).getTime()).to.equal(2);
    await finish('a');
    expect((await mark()).getTime()).to.equal(2);
    await claim('c', 3);
    await fail('c');
    expect((await mark()).getTime()).to.equal(3);
    await claim('c', 3);
    await finish('c', 2);
    expect(await mark()).to.equal(null);
  });

  describe('whose attachments were not read', () => {
    const unread = { question: undefined, isReading: true };
    const conversation = async () => (await db('conversations').where({ id: conversationId }))[0];
    const fail = async (name: string, arrivedAt: number, changes: object = {}) => {
      const claimed = await claim(name, arrivedAt, { ...unread, ...changes });
      expect(claimed.kind).to.equal('claimed');
      const failed = { turnId: jobOf(name), attempt: 1, code: 503, hasAttachments: true };
      expect(await inHost(scope => abandonTurn(scope, failed))).to.equal(true);
      return (await conversation()).unanswered_at?.getTime();
    };

    it('leaves a mark of its failure until a turn is answered, and opens what was closed', async () => {
      expect(await fail('a', 1)).to.equal(1);
      await claim('b', 2);
      await finish('b');
      await db('conversations')
        .where({ id: conversationId })
        .update({ closed: true, idle_due_at: new Date() });
      expect(await fail('c', 3)).to.equal(3);
      expect(await conversation()).to.include({ closed: false, idle_due_at: null });
      await claim('d', 4);
      await finish('d');
      expect((await conversation()).unanswered_at).to.equal(null);
    });

    it('leaves one where its deadline has passed before it is claimed again', async () => {
      await claim('a', 1, { ...unread, leaseMs: DEAD_MS });
      expect((await claim('a', 1, { ...unread, remainingMs: () => -1 })).kind).to.equal('expired');
      expect((await conversation()).unanswered_at.getTime()).to.equal(1);
    });

    it('leaves none where a later turn or a person has answered, or it was a rehearsal', async () => {
      await claim('later', 9);
      await finish('later');
      expect(await fail('earlier', 1)).to.equal(undefined);
      expect(await fail('rehearsal', 10, { isRehearsal: true })).to.equal(undefined);
      await inHost(scope => appendMessage(scope, { conversationId, author: 'human', content: 'Às 8h.' }));
      expect(await fail('answered', 11)).to.equal(undefined);
    });
  });

  it('gives up the overdue turns of others while the conversation of one is locked', async () => {
    const past = { deadline: new Date(0), lease_until: new Date(0) };
    const elsewhere = await inHost(scope => insertConversation(scope));
    await claim('locked');
    await claim('free', 2, { conversationId: elsewhere });
    await db('turns')
      .whereIn('id', [jobOf('locked'), jobOf('free')])
      .update(past);
    await inHost(async scope => {
      await lockConversation(scope, conversationId);
      expect(await abandonOverdueTurns(db)).to.equal(1);
    });
    expect(await abandonOverdueTurns(db)).to.equal(1);
  });

  it('takes a turn that was given up again for its own job, with a new deadline and the question said once', async () => {
    await claim('a');
    await abandon('a', 1);
    expect(attemptOf(await claim('a'))).to.equal(2);
    expect(await finish('a', 1)).to.equal(false);
    expect(await finish('a', 2)).to.equal(true);
    expect(await said()).to.eql(['user: a?', 'assistant: a!']);
  });

  it('stores no answer after the deadline', async () => {
    await claim('a');
    await db('turns')
      .where({ id: jobOf('a') })
      .update({ deadline: new Date(0) });
    expect(await finish('a', 1)).to.equal(false);
    expect(await said()).to.eql(['user: a?']);
  });

  it('says nothing where there is no question, and nothing for an empty answer', async () => {
    await claim('a', 1, { question: undefined });
    await finish('a', 1, '');
    await claim('b', 2, { question: undefined });
    await abandon('b', 1);
    expect(await said()).to.eql([]);
  });

  it('opens a closed conversation at a question, after which nothing older is context', async () => {
    await claim('a');
    await finish('a', 1);
    const close = () => inHost(scope => setConversation(scope, conversationId, { closed: true }));
    await close();
    await claim('quiet', 2, { question: undefined });
    await finish('quiet', 1, '');
    expect((await inHost(scope => findConversation(scope, conversationId)))?.closed).to.equal(true);
    const claimed = await claim('b', 3);
    expect(claimed.kind === 'claimed' && claimed.conversation.closed).to.equal(false);
    expect(await said()).to.eql(['user: b?']);
    await close();
    await claim('b', 3);
    expect(await said()).to.eql(['user: b?']);
  });

  it('opens a closed conversation at the question of a turn that is given up, too', async () => {
    await claim('a');
    await claim('b', 2);
    await inHost(scope => setConversation(scope, conversationId, { closed: true }));
    expect(await abandon('b', 0)).to.equal(true);
    expect(await abandon('a', 1)).to.equal(true);
    expect((await inHost(scope => findConversation(scope, conversationId)))?.closed).to.equal(false);
    expect(await said()).to.eql(['user: b?']);
  });

  it('keeps the divider behind what was said while the claim waited for the conversation', async () => {
    await inHost(scope => setConversation(scope, conversationId, { closed: true }));
    const pool = connect(database.url);
    await withHost(pool, host.hostId, async scope => {
      await lockConversation(scope, conversationId);
      const claiming = claim('a');
      await waitForLock(scope.tx);
      await appendMessage(scope, { conversationId, author: 'human', content: 'before' });
      return { claiming };
    }).then(({ claiming }) => claiming);
    await pool.destroy();
    expect(await said()).to.eql(['user: a?']);
  });

  it('keeps the receipt of the answer', async () => {
    await claim('a');
    await finish('a', 1);
    const [turn] = await db('turns').where({ id: jobOf('a') });
    expect([turn.state, turn.receipt]).to.eql(['answered', { name: 'a' }]);
  });
});

function attemptOf(turn: TurnClaimResult): number | string {
  return turn.kind === 'claimed' ? turn.attempt : turn.kind;
}
