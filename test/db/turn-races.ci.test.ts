import { expect } from 'chai';
import * as fc from 'fast-check';
import { connect, type Db } from '../../db/connection.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { readHistory } from '../../db/conversations/messages.ts';
import { abandonTurn, claimTurn, finishTurn } from '../../db/conversations/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const turnsAtOnce = 12;

describe('turns that race', () => {
  let database: TestDatabase;
  let hostId: string;
  let processes: Db[];
  before(async () => {
    database = await makeDatabase();
    hostId = (await buildHost(database.db)).hostId;
    processes = [1, 2, 3].map(() => connect(database.url, { max: 6 }));
  });
  after(async () => {
    await Promise.all(processes.map(db => db.destroy()));
    await database.drop();
  });

  const makeConversation = () => withHost(database.db, hostId, scope => insertConversation(scope));
  const dbOf = (index: number) => processes[index % processes.length] ?? database.db;
  const claim = (db: Db, conversationId: string, job: string, arrived: number, leaseMs: number) => {
    const times = { arrivedAt: arrived, remainingMs: () => 60_000, leaseMs };
    const turn = { turnId: `${job}-${conversationId}`, conversationId, question: `${job}?`, ...times };
    return withHost(db, hostId, scope => claimTurn(scope, turn));
  };
  const finish = (db: Db, conversationId: string, job: string, attempt: number) => {
    const turn = { turnId: `${job}-${conversationId}`, attempt, answer: `${job}!`, tokens: [], receipt: {} };
    return withHost(db, hostId, scope => finishTurn(scope, turn));
  };
  const said = async (conversationId: string) => {
    const history = await withHost(database.db, hostId, scope =>
      readHistory(scope, conversationId, { messages: 100, bytes: 100_000 }),
    );
    return history.map(message => message.content);
  };

  it('run one at a time and in the order of arrival, whatever process asks when', async () => {
    const conversationId = await makeConversation();
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const serve = async (index: number) => {
      const db = dbOf(index);
      for (;;) {
        const turn = await claim(db, conversationId, `t${index}`, index, 60_000);
        if (turn.kind === 'busy') continue;
        if (turn.kind !== 'claimed') throw new Error(turn.kind);
        most = Math.max(most, ++running);
        order.push(index);
        await db.raw('select 1');
        running--;
        expect(await finish(db, conversationId, `t${index}`, turn.attempt)).to.equal(true);
        return;
      }
    };
    // Registered before the first turn ends: precedence only counts registered turns.
    await claim(dbOf(0), conversationId, 'first', 0, 60_000);
    const indices = Array.from({ length: turnsAtOnce }, (_, index) => index + 1);
    for (const index of indices.toReversed())
      await claim(dbOf(index), conversationId, `t${index}`, index, 60_000);
    const served = indices.map(serve);
    await finish(dbOf(0), conversationId, 'first', 1);
    await Promise.all(served);
    expect(most).to.equal(1);
    expect(order).to.eql(indices);
    const expected = ['first', ...indices.map(index => `t${index}`)].flatMap(job => [`${job}?`, `${job}!`]);
    expect(await said(conversationId)).to.eql(expected);
  });

  it('give one and the same job one holder, however many claim it at once', async () => {
    const conversationId = await makeConversation();
    const claims = processes.flatMap(db => [1, 2, 3].map(() => claim(db, conversationId, 'same', 1, 60_000)));
    const attempts = (await Promise.all(claims)).map(turn => (turn.kind === 'claimed' ? turn.attempt : 0));
    expect(attempts.toSorted((left, right) => left - right)).to.eql([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const finishes = attempts.map((attempt, index) => finish(dbOf(index), conversationId, 'same', attempt));
    const accepted = (await Promise.all(finishes)).map((isAccepted, index) => isAccepted && attempts[index]);
    expect(accepted.filter(Boolean)).to.eql([9]);
    expect(await said(conversationId)).to.eql(['same?', 'same!']);
  });

  type Step = { act: 'claim' | 'finish' | 'abandon'; job: string; isStale: boolean; leaseMs: number };
  const step: fc.Arbitrary<Step> = fc.record({
    act: fc.constantFrom('claim', 'claim', 'finish', 'abandon'),
    job: fc.constantFrom('a', 'b', 'c'),
    isStale: fc.boolean(),
    leaseMs: fc.constantFrom(60_000, -1),
  });

  it('leave one turn running at most, and one question and one answer a turn, after any crashes', async () => {
    const history = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(history, async rounds => {
        const conversationId = await makeConversation();
        const attempts = new Map<string, number>();
        const take = async ({ act, job, isStale, leaseMs }: Step, index: number) => {
          const db = dbOf(index);
          const attempt = (attempts.get(job) ?? 0) - (isStale ? 1 : 0);
          if (act === 'finish') return finish(db, conversationId, job, attempt);
          const held = { turnId: `${job}-${conversationId}`, attempt };
          if (act === 'abandon') return withHost(db, hostId, scope => abandonTurn(scope, held));
          const turn = await claim(db, conversationId, job, job.charCodeAt(0), leaseMs);
          return turn.kind === 'claimed' && attempts.set(job, turn.attempt);
        };
        for (const round of rounds) {
          await Promise.all(round.map(take));
          const running = await database
            .db('turns')
            .where({ conversation_id: conversationId, state: 'running' });
          expect(running.length).to.be.at.most(1);
        }
        const contents = await said(conversationId);
        expect(contents).to.eql([...new Set(contents)]);
        const answered = await database
          .db('turns')
          .where({ conversation_id: conversationId, state: 'answered' });
        expect(contents.filter(content => content.endsWith('!'))).to.have.length(answered.length);
      }),
      { numRuns: process.env['RUNS'] ? 60 : 20 },
    );
  });
});
