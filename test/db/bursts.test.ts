import { expect } from 'chai';
import * as fc from 'fast-check';
import { connect } from '../../db/connection.ts';
import { isTurnRevoked, markActed, noteQuestion, readOpenQuestions } from '../../db/conversations/bursts.ts';
import { insertConversation, setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import type { TurnClaimResult } from '../../db/conversations/turns.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { DEAD_MS, makeTurns } from './conversation-turns.ts';

/** The workers know this of the turns. */
interface Runs {
  readonly attempts: Map<number, number>;
  /** Those whose last run reads what is attached: it does nothing else. */
  readonly reading: Set<number>;
  readonly spoken: ReadonlySet<number>;
  /** The recordings whose words no worker has. */
  readonly unheard: Set<number>;
}

const plain = (question: string) => question.replace('(áudio) ', '');
/** The runs of `npm test`; `npm run test:long` has more. */
const RUNS = Number(process.env['RUNS'] ?? 10);

describe('the turns of a burst', () => {
  const database = openOnce(makeDatabase);
  const db = openOnce(() => connect(database.url, { max: 6 }));
  const host = openOnce(() => buildHost(db));
  const { inHost } = host;
  let conversationId: string;
  beforeEach(async () => {
    conversationId = await inHost(scope => insertConversation(scope));
  });

  const turns = makeTurns({ inHost }, () => conversationId);
  const { jobOf, finish, abandon } = turns;
  const claimOnce = (name: string, arrivedAt: number, changes: object = {}) =>
    turns.claim(name, arrivedAt, { burst: 'last', ...changes });
  const claim = async (name: string, arrivedAt: number, changes: object = {}): Promise<TurnClaimResult> => {
    const claimed = await claimOnce(name, arrivedAt, changes);
    return claimed.kind === 'burst-changed' ? claim(name, arrivedAt, changes) : claimed;
  };
  const kindOf = async (name: string, arrivedAt: number, changes: object = {}) =>
    (await claim(name, arrivedAt, changes)).kind;
  const act = (name: string, attempt = 1) =>
    inHost(scope => markActed(scope, { turnId: jobOf(name), attempt }));
  const isRevoked = (name: string, attempt = 1) =>
    inHost(scope => isTurnRevoked(scope, { turnId: jobOf(name), attempt }));
  const readOf = async (name: string) =>
    (await inHost(scope => readOpenQuestions(scope, { conversationId, turnId: jobOf(name) }))).map(
      ({ content }) => content,
    );
  /** A recording: its turn has no question before it is heard. */
  const startReading = (name: string, arrivedAt: number, changes: object = {}) =>
    kindOf(name, arrivedAt, { question: undefined, isReading: true, ...changes });
  const hear = (name: string, { attempt = 1, isForThisTurn = false } = {}) =>
    inHost(scope =>
      noteQuestion(scope, {
        turnId: jobOf(name),
        attempt,
        question: `${name}?`,
        message: `(áudio) ${name}?`,
        isForThisTurn,
      }),
    );
  const said = async () => (await turns.history()).map(({ content }) => content);
  /** A recording that was heard and given up, which the next turn has taken with its own question. */
  const takeGivenUpRecording = async () => {
    await startReading('a', 1);
    await hear('a');
    await abandon('a');
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 1 });
    expect(await startReading('a', 1)).to.equal('claimed');
  };

  it('are superseded by the next, which alone can be answered, and open one service', async () => {
    await inHost(scope => setConversation(scope, conversationId, { closed: true }));
    await claim('a', 1);
    const changed = await claimOnce('b', 2);
    expect(changed.kind === 'burst-changed' && changed.superseded.map(({ turnId }) => turnId)).to.eql([
      jobOf('a'),
    ]);
    expect(await isRevoked('a')).to.equal(true);
    expect(await finish('a')).to.equal(false);
    expect(await act('a')).to.equal(false);
    expect(await kindOf('a', 1)).to.equal('has-reply');
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 1 });
    expect(await finish('b')).to.equal(true);
    expect(await said()).to.eql(['a?', 'b?', 'b!']);
    const opening = db('messages').where({ conversation_id: conversationId, opens_service: true });
    expect(await opening.pluck('content')).to.eql(['a?']);
  });

  it('are those of the host’s setting where the call has none, as it was in their first run', async () => {
    const ofHost = { burst: undefined };
    await claim('a', 1, ofHost);
    expect(await kindOf('b', 2, ofHost)).to.equal('busy');
    await setHost(db, host.slug, { bursts: 'last' });
    expect(await kindOf('b', 2, ofHost)).to.equal('busy');
    expect(await kindOf('c', 3, { burst: 'each' })).to.equal('busy');
    expect(await claim('d', 4, ofHost)).to.include({ kind: 'claimed', openQuestions: 3 });
    await setHost(db, host.slug, { bursts: 'each' });
  });

  it('are not superseded once they are answered, or have acted', async () => {
    await claim('a', 1);
    await finish('a');
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 0 });
    expect(await act('b')).to.equal(true);
    expect(await kindOf('c', 3)).to.equal('busy');
    expect(await isRevoked('b')).to.equal(false);
    expect(await finish('b')).to.equal(true);
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 0 });
  });

  it('leave one alone that takes no part: it is neither ended nor joined nor taken along, and ends none', async () => {
    const alone = { burst: 'none' };
    await claim('b', 2);
    expect([await kindOf('a', 1, alone), await kindOf('c', 3, alone)]).to.eql(['busy', 'busy']);
    await finish('b');
    expect(await kindOf('a', 1, alone)).to.equal('claimed');
    expect(await kindOf('d', 4)).to.equal('busy');
    for (const name of ['a', 'c']) await abandon(name, name === 'a' ? 1 : 0);
    expect(await claim('d', 4)).to.include({ kind: 'claimed', openQuestions: 0 });
  });

  it('are superseded also where their worker died, whatever was left of the lease', async () => {
    await claim('a', 1);
    await claim('b', 2, { burst: 'each', leaseMs: DEAD_MS });
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 2 });
    expect(await readOf('c')).to.eql(['a?', 'b?']);
  });

  it('run again with a question that arrived before them and was claimed after them', async () => {
    await claim('b', 2);
    await claim('c', 3);
    expect(await kindOf('a', 1)).to.equal('has-reply');
    expect(await isRevoked('c')).to.equal(true);
    expect(await finish('c')).to.equal(false);
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 2 });
    expect(await readOf('c')).to.eql(['a?', 'b?']);
    expect(await finish('c', 3)).to.equal(true);
    expect(await said()).to.eql(['a?', 'b?', 'c?', 'c!']);
  });

  it('are not joined by an earlier question once they have acted or their worker is gone', async () => {
    await claim('b', 2);
    await act('b');
    expect(await kindOf('a', 1)).to.equal('busy');
    await finish('b');
    expect(await kindOf('a', 1)).to.equal('claimed');
    await finish('a');
    await claim('d', 4, { leaseMs: DEAD_MS });
    expect(await kindOf('c', 3)).to.equal('claimed');
    expect(await claim('d', 4)).to.include({ kind: 'claimed', openQuestions: 1 });
  });

  it('are none of a rehearsal, and none of an assistant that writes first', async () => {
    await claim('a', 1);
    expect(await kindOf('b', 2, { isRehearsal: true })).to.equal('busy');
    expect(await kindOf('c', 3, { question: undefined })).to.equal('busy');
    expect(await claim('d', 4)).to.include({ kind: 'busy' });
    expect((await said()).toSorted()).to.eql(['a?']);
  });

  it('are all read by the next where none was answered, also those that were given up', async () => {
    await claim('a', 1);
    await claim('b', 2);
    await abandon('b');
    await claim('c', 3);
    expect(await readOf('c')).to.eql(['a?', 'b?']);
    await finish('c');
    await claim('d', 4);
    expect(await readOf('d')).to.eql([]);
  });

  it('are answered with the next that read them, also where they were given up and are asked again', async () => {
    await claim('a', 1);
    await abandon('a');
    await claim('b', 2);
    await finish('b');
    const changed = await claimOnce('a', 1);
    expect(changed.kind === 'burst-changed' && changed.superseded[0]?.supersededBy).to.equal(jobOf('b'));
    expect(await kindOf('a', 1)).to.equal('has-reply');
  });

  it('that were given up wait while a next turn that has read them acts, and get its answer', async () => {
    await claim('a', 1);
    await abandon('a');
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 1 });
    await act('b');
    expect(await claim('a', 1)).to.eql({ kind: 'busy', attempt: 1 });
    expect(await finish('b')).to.equal(true);
    expect(await kindOf('a', 1)).to.equal('has-reply');
    expect(await said()).to.eql(['a?', 'b?', 'b!']);
  });

  it('that are read again wait while a next turn that has read them acts, and get its answer', async () => {
    await takeGivenUpRecording();
    await act('b');
    await hear('a', { attempt: 2 });
    expect(await claim('a', 1)).to.eql({ kind: 'busy', attempt: 2 });
    expect(await finish('b')).to.equal(true);
    expect(await kindOf('a', 1)).to.equal('has-reply');
    expect(await said()).to.eql(['(áudio) a?', 'b?', 'b!']);
  });

  it('get the answer of a next turn that has read them, also where it comes while they are read again', async () => {
    await takeGivenUpRecording();
    expect(await finish('b')).to.equal(true);
    await hear('a', { attempt: 2 });
    const changed = await claimOnce('a', 1);
    expect(changed.kind === 'burst-changed' && changed.superseded[0]?.supersededBy).to.equal(jobOf('b'));
    expect(await kindOf('a', 1)).to.equal('has-reply');
    expect(await said()).to.eql(['(áudio) a?', 'b?', 'b!']);
  });

  it('are read by each run of the next turn, also while a worker that died was reading them again', async () => {
    await takeGivenUpRecording();
    await db('turns')
      .where({ id: jobOf('a') })
      .update({ lease_until: new Date(0), deadline: new Date(0) });
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 1 });
    expect(await finish('b', 2)).to.equal(true);
    expect(await startReading('a', 1)).to.equal('has-reply');
  });

  it('keep a question that was asked before the conversation was closed by the turn before', async () => {
    await claim('a', 1);
    await act('a');
    await claim('b', 2);
    await claim('c', 3);
    await finish('a');
    await inHost(scope => setConversation(scope, conversationId, { closed: true }));
    await claim('c', 3);
    expect(await readOf('c')).to.eql(['b?']);
  });

  it('are not asked again once the conversation was closed, or a staff member has written', async () => {
    const content = 'Posso ajudar?';
    for (const end of [
      (scope: HostScope) => setConversation(scope, conversationId, { closed: true }),
      (scope: HostScope) => appendMessage(scope, { conversationId, author: 'human', content }),
    ]) {
      conversationId = await inHost(scope => insertConversation(scope));
      await claim('a', 1);
      await claim('b', 2);
      await abandon('b');
      await inHost<unknown>(end);
      expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 0 });
      expect(await readOf('c')).to.eql([]);
    }
  });

  it('are asked again, all of them, where the turn before is answered after the last was given up', async () => {
    await claim('a', 1);
    await act('a');
    await claim('b', 2);
    await claim('c', 3);
    await abandon('c', 0);
    await finish('a');
    await claim('d', 4);
    expect(await readOf('d')).to.eql(['b?', 'c?']);
  });

  it('are not ended by a recording before it is heard, and end it only then', async () => {
    await claim('a', 1);
    expect(await startReading('b', 2)).to.equal('claimed');
    expect(await isRevoked('a')).to.equal(false);
    expect(await kindOf('c', 3)).to.equal('busy');
    expect(await isRevoked('a')).to.equal(true);
    expect(await hear('b')).to.equal(true);
    expect(await hear('b', { attempt: 0 })).to.equal(false);
    const changed = await claimOnce('b', 2);
    expect(changed.kind === 'burst-changed' && changed.superseded[0]?.supersededBy).to.equal(jobOf('c'));
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 2 });
    expect(await readOf('c')).to.eql(['a?', '(áudio) b?']);
    await finish('c');
    expect(await said()).to.eql(['a?', '(áudio) b?', 'c?', 'c!']);
  });

  it('go on where the recording after them cannot be heard, and where it comes too late', async () => {
    await claim('a', 1);
    await startReading('b', 2);
    await abandon('b');
    await startReading('c', 3);
    expect(await finish('a')).to.equal(true);
    await hear('c');
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 0 });
    expect(await said()).to.eql(['a?', 'a!', '(áudio) c?']);
  });

  it('are joined by a recording that is heard while a newer turn runs', async () => {
    await claim('b', 2);
    expect(await startReading('a', 1)).to.equal('claimed');
    await hear('a');
    expect(await kindOf('a', 1)).to.equal('has-reply');
    expect(await isRevoked('b')).to.equal(true);
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 1 });
    expect(await readOf('b')).to.eql(['(áudio) a?']);
  });

  it('are answered one after another by the setting `each`, recordings too', async () => {
    const each = { burst: 'each' };
    await claim('a', 1, each);
    expect(await startReading('b', 2, each)).to.equal('busy');
    await finish('a');
    expect(await startReading('b', 2, each)).to.equal('claimed');
    expect(await kindOf('c', 3, each)).to.equal('busy');
    await hear('b');
    expect(await kindOf('b', 2, each)).to.equal('claimed');
    expect(await kindOf('c', 3, each)).to.equal('busy');
    await finish('b', 2);
    expect(await kindOf('c', 3, each)).to.equal('claimed');
    expect(await said()).to.eql(['a?', 'a!', '(áudio) b?', 'b!', 'c?']);
  });

  it('are answered by a picture after them, which only its own turn can see: those after it wait', async () => {
    await claim('a', 1);
    await startReading('b', 2);
    await hear('b', { isForThisTurn: true });
    expect(await claim('b', 2)).to.include({ kind: 'claimed', openQuestions: 1 });
    expect(await kindOf('c', 3)).to.equal('busy');
    await finish('b', 2);
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 0 });
  });

  it('keep a recording whose worker died, before and after it was heard', async () => {
    await startReading('a', 1, { leaseMs: DEAD_MS });
    await kindOf('b', 2, { leaseMs: DEAD_MS });
    expect(await startReading('a', 1)).to.equal('claimed');
    expect(await hear('a', { attempt: 1 })).to.equal(false);
    expect(await hear('a', { attempt: 2 })).to.equal(true);
    expect(await claim('c', 3)).to.include({ kind: 'claimed', openQuestions: 2 });
    expect(await readOf('c')).to.eql(['(áudio) a?', 'b?']);
  });

  it('leave each question to one answer, in the order of arrival, whatever is claimed, answered or dies when', async () => {
    const step = fc.record({
      turn: fc.integer({ min: 1, max: 5 }),
      does: fc.constantFrom('claim', 'claim', 'hear', 'finish', 'act', 'die', 'abandon'),
    });
    const recordings = fc.uniqueArray(fc.integer({ min: 1, max: 5 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), recordings, async (steps, spoken) => {
        conversationId = await inHost(scope => insertConversation(scope));
        const [attempts, reading] = [new Map<number, number>(), new Set<number>()];
        const runs: Runs = { attempts, reading, unheard: new Set(spoken), spoken: new Set(spoken) };
        const answeredBy = new Map<string, number>();
        for (const { turn, does } of steps) await take(turn, does, runs, answeredBy);
        for (const turn of [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
          for (const does of ['claim', 'hear', 'claim', 'finish']) await take(turn, does, runs, answeredBy);
        expect([...answeredBy.keys()].toSorted()).to.eql(['1?', '2?', '3?', '4?', '5?']);
        expect([...answeredBy.values()].filter(times => times !== 1)).to.eql([]);
        const questions = (await said()).filter(text => text.endsWith('?'));
        const heard = questions.filter(text => text.startsWith('(áudio) ')).map(plain);
        expect(heard.toSorted()).to.eql(spoken.map(turn => `${turn}?`).toSorted());
        expect(questions.map(plain).toSorted()).to.eql(['1?', '2?', '3?', '4?', '5?']);
      }),
      { numRuns: RUNS },
    );
  });

  async function take(
    turn: number,
    does: string,
    { attempts, reading, unheard, spoken }: Runs,
    answeredBy: Map<string, number>,
  ): Promise<void> {
    const [name, attempt] = [String(turn), attempts.get(turn) ?? 0];
    const isUnheard = unheard.has(turn);
    if (spoken.has(turn) && (does === 'die' || does === 'abandon')) unheard.add(turn);
    if (does === 'claim') {
      const claimed = await claim(name, turn, isUnheard ? { question: undefined, isReading: true } : {});
      if (claimed.kind !== 'claimed') return;
      attempts.set(turn, claimed.attempt);
      if (isUnheard) reading.add(turn);
      else reading.delete(turn);
    } else if (does === 'hear') {
      if (isUnheard && (await hear(name, { attempt }))) unheard.delete(turn);
    } else if (does === 'finish') {
      if (isUnheard || reading.has(turn)) return;
      const questions = [...(await readOf(name)).map(plain), `${name}?`];
      if (!(await finish(name, attempt))) return;
      expect(questions).to.eql(questions.toSorted());
      for (const question of questions) answeredBy.set(question, (answeredBy.get(question) ?? 0) + 1);
    } else if (does === 'act') {
      if (!reading.has(turn)) await act(name, attempt);
    } else if (does === 'die')
      await db('turns')
        .where({ id: jobOf(name) })
        .update({ lease_until: new Date(0) });
    else await abandon(name, attempt);
  }
});
