import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Db } from '../../db/connection.ts';
import { markActed, readOpenQuestions } from '../../db/conversations/bursts.ts';
import { insertConversation, lockConversation } from '../../db/conversations/conversations.ts';
import { readHistory } from '../../db/conversations/messages.ts';
import { abandonTurn, claimTurn, finishTurn, renewLeases } from '../../db/conversations/turns.ts';
import { findReplyOfJob, insertReply } from '../../db/replies.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, toHostsScope, withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { bugsOf, itInEveryOrder, mayDie, type Part, Stage } from './schedules.ts';

/*
 * Workers that claim the turns of one conversation, act, answer or give up, as workers/turns/handle.ts does; some die, and a step of
 * the clock lets all leases expire. The history tells what each was told when its transaction had committed.
 */

const FILE = 'test/schedules/turns.ci.test.ts';
const ALIVE_MS = 600_000;
const MAX_CLAIMS = 4;

interface Work {
  readonly turn: number;
  readonly does: 'answer' | 'renew and answer' | 'act and answer' | 'give up' | 'expire';
  /** A new job under the same key, or the same job again. */
  readonly isNew: boolean;
  readonly diesAt: number | null;
}
interface World {
  readonly burst: 'last' | 'each';
  readonly works: readonly Work[];
}

const work: fc.Arbitrary<Work> = fc.record({
  turn: fc.integer({ min: 1, max: 3 }),
  does: fc.constantFrom(
    'answer',
    'renew and answer',
    'act and answer',
    'act and answer',
    'give up',
    'expire',
  ),
  isNew: fc.boolean(),
  diesAt: mayDie(9),
});
const world: fc.Arbitrary<World> = fc.record({
  burst: fc.constantFrom('last', 'last', 'each'),
  works: fc.array(work, { minLength: 2, maxLength: 4, size: 'max' }),
});

/** One run of a turn; as an answer, its text. */
type Run = string;

/** Knows what the history allows: each function fails where it does not. */
class Checker {
  #holder: { run: Run; turn: number; isAlive: boolean } | undefined;
  readonly #waiting = new Set<number>();
  readonly #acted = new Set<number>();
  readonly #superseded = new Set<number>();
  readonly answers = new Map<number, Run>();
  readonly #askedBy = new Map<Run, readonly number[]>();
  readonly answeredQuestions = new Set<number>();

  claimed(run: Run, { turn, isNew }: Pick<Work, 'turn' | 'isNew'>, questions: readonly number[]): void {
    const holder = this.#holder;
    if (holder?.isAlive && (holder.turn !== turn || isNew)) fail(`${run} was given what ${holder.run} holds`);
    if (this.answers.has(turn) || this.#superseded.has(turn)) fail(`${run} runs a turn that has ended`);
    const before = [...this.#waiting].filter(other => other < turn);
    if (before.length > 0) fail(`${run} runs before ${before.join()}, which came earlier and waits`);
    this.#waiting.delete(turn);
    this.#holder = { run, turn, isAlive: true };
    this.#askedBy.set(run, [...questions, turn]);
  }

  busy(turn: number): void {
    const isBehind = [...this.#waiting].some(other => other < turn);
    const isHeld = this.#holder?.isAlive && this.#holder.turn !== turn;
    if (!isBehind && !isHeld) fail(`turn ${turn} waits for nobody`);
    this.#waiting.add(turn);
    if (this.#holder?.turn === turn) this.#holder = undefined;
  }

  /** By its own claim, or by the claim of the newer one. */
  superseded(turn: number, by: number, claimant: number): void {
    if (this.#acted.has(turn)) fail(`turn ${turn}, which has acted, was superseded`);
    if (this.answers.has(turn)) fail(`turn ${turn}, which was answered, was superseded`);
    this.#superseded.add(turn);
    this.#waiting.delete(turn);
    const holder = this.#holder;
    const runsAgain = holder?.turn === by;
    if (runsAgain && claimant === turn && this.#acted.has(by))
      fail(`turn ${by}, which has acted, runs again`);
    if (claimant === by || (runsAgain && holder.isAlive)) this.#waiting.add(by);
    if (runsAgain || holder?.turn === turn) this.#holder = undefined;
  }

  renewed(run: Run): void {
    const holder = this.#holder;
    if (holder?.run !== run) return fail(`the lease of ${run} was renewed, which has lost the conversation`);
    this.#holder = { ...holder, isAlive: true };
  }

  acted(run: Run, turn: number): void {
    if (this.#holder?.run !== run) fail(`${run} acts without the conversation`);
    this.#acted.add(turn);
  }

  answered(run: Run, turn: number): void {
    if (this.#holder?.run !== run) fail(`the answer of ${run} was stored, which has lost the conversation`);
    for (const question of this.#askedBy.get(run) ?? []) {
      if (this.answeredQuestions.has(question)) fail(`question ${question} was answered twice`);
      this.answeredQuestions.add(question);
      this.#waiting.delete(question);
    }
    this.answers.set(turn, run);
    this.#holder = undefined;
  }

  refused(run: Run): void {
    if (this.#holder?.run === run) fail(`${run} was refused, which holds the conversation`);
  }

  gaveUp(run: Run, turn: number): void {
    const holder = this.#holder;
    if (holder?.turn === turn && holder.run !== run) fail(`${run} gave up what ${holder.run} holds`);
    for (const question of [turn, ...(this.#askedBy.get(run) ?? [])]) this.#waiting.delete(question);
    if (holder?.turn === turn) this.#holder = undefined;
  }

  expired(): void {
    this.#waiting.clear();
    if (this.#holder) this.#holder = { ...this.#holder, isAlive: false };
  }
}

function fail(what: string): never {
  throw new Error(what);
}

/** In the texts of functions and statements, each of these breaks a rule of db/conversations/turns.ts or bursts.ts. */
const bugs = bugsOf({
  'a claim does not lock the conversation': [
    'perform from conversations where host_id = host and id = of_conversation for no key update;',
    'perform from conversations where host_id = host and id = of_conversation;',
  ],
  'an answer is stored whatever its attempt': [/turns\.attempt = (\$\d+)/, '(turns.attempt = $1 or true)'],
  'an answer is stored for a turn that lost its conversation': [
    "and turns.state = 'running' and turns.deadline",
    "and turns.state in ('running', 'waiting') and turns.deadline",
  ],
  'a turn whose lease has expired keeps running': ["and state = 'running' and id <> of_turn", 'and false'],
  'a run again has the attempt of the run before': [
    'attempt = turn.attempt + excluded.attempt',
    'attempt = turn.attempt',
  ],
  'a turn is superseded that acts meanwhile': [
    "and id = any (ids) and state in ('waiting', 'running') and not has_acted;",
    "and id = any (ids) and state in ('waiting', 'running');",
  ],
  'a turn that acts meanwhile has to run again': ['and id = newer and not has_acted;', 'and id = newer;'],
  'an older run gives the turn up': ['and attempt = coalesce(of_attempt, attempt)', ''],
  'a turn that was superseded is claimed': [
    /own_turn\.state = 'answered' or own_turn\.superseded_by is not null\s+or/,
    "own_turn.state = 'answered' or",
  ],
  'questions that were answered are taken again': [
    /newer_turn\.id = open_turn\.answered_with\s+and newer_turn\.state = 'answered'/,
    'false',
  ],
  'a turn is claimed again that was answered with a newer one': [
    "if newer_turn.state = 'answered' then",
    'if false then',
  ],
  'a turn does not wait for those that came earlier': [
    '(is_running or (is_in_time and is_earlier))',
    'is_running',
  ],
  'a lease never expires': ['lease_until > decided_at as is_alive', 'true as is_alive'],
  'a new job takes a turn that runs': [
    /is_leased := is_known and is_new_job and own_turn\.state = 'running'\s+and own_turn\.lease_until > decided_at;/,
    'is_leased := false;',
  ],
});

describe('the turns of a conversation, in every order of their statements', () => {
  const database = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(database.db));

  async function play(stage: Stage, { burst, works }: World, choices: readonly number[]): Promise<void> {
    const { hostId } = host;
    const conversationId = await withHost(stage.db, hostId, scope => insertConversation(scope));
    const room = makeRoom({ hostId, conversationId, burst });
    const parts = works.map(
      (work, at): Part => ({
        diesAt: work.diesAt,
        play: ({ db }) => (work.does === 'expire' ? room.expire(db) : room.run(db, work, `w${at + 1}`)),
      }),
    );
    const turns = [...new Set(works.flatMap(({ does, turn }) => (does === 'expire' ? [] : [turn])))];
    await stage.play(parts, choices, async () => {
      await room.recover(stage.db, turns);
      await room.check(stage.db, turns);
    });
  }

  itInEveryOrder(
    'give each question one answer, of the run that holds the conversation, whatever dies and expires',
    { file: FILE, database, world, bugs, play },
  );
});

interface Room {
  /** Claims until the turn runs or has a reply, and does its work. */
  run(db: Db, work: Work, worker: string): Promise<void>;
  /** A step of the clock, or a pause of all workers. */
  expire(db: Db): Promise<void>;
  /** The queue runs the jobs again that died or gave up. */
  recover(db: Db, turns: readonly number[]): Promise<void>;
  check(db: Db, turns: readonly number[]): Promise<void>;
}

class RefusedError extends Error {}

function makeRoom(at: { hostId: string; conversationId: string; burst: World['burst'] }): Room {
  const { hostId, conversationId, burst } = at;
  const checker = new Checker();
  const idOf = (turn: number) => `${turn}-${conversationId}`;
  const turnOf = (turnId: string) => Number(turnId.split('-')[0]);
  const answerOf = (text: string) => ({ code: 200, data: { text } });
  const inHost = <T>(db: Db, use: (scope: HostScope) => Promise<T>) => withHost(db, hostId, use);
  const repliesOf = async (db: Db, turns: readonly number[]) => {
    const stored = await rowsOf<{ turnId: string; text: string }>(db)`
      select job_id as "turnId", outcome #>> '{data,text}' as text from replies
      where host_id = ${hostId} and job_id = any (${turns.map(idOf)}::text[])`;
    return stored.map(({ turnId, text }) => ({ turn: turnOf(turnId), text }));
  };

  const claim = (db: Db, { turn, isNew }: Work) =>
    inHost(db, async scope => {
      const times = { arrivedAt: turn, remainingMs: () => ALIVE_MS, leaseMs: ALIVE_MS };
      const turnId = idOf(turn);
      const asked = { question: `${turn}?`, burst, isNewJob: isNew };
      const claimed = await claimTurn(scope, { turnId, conversationId, ...asked, ...times });
      const ended = claimed.kind === 'burst-changed' ? claimed.superseded : [];
      for (const { turnId: jobId, supersededBy } of ended) {
        const outcome = answerOf(`superseded by ${supersededBy}`);
        await insertReply(toHostsScope(scope), { jobId, operation: 'reason', isFinal: true, outcome });
      }
      const hasMore = claimed.kind === 'claimed' && claimed.openQuestions > 0;
      const open = hasMore ? await readOpenQuestions(scope, { conversationId, turnId }) : [];
      return { claimed, questions: open.map(question => turnOf(question.turnId)) };
    });

  const finish = (db: Db, turn: number, attempt: number, run: Run) =>
    inHost(db, async scope => {
      const reply = { jobId: idOf(turn), operation: 'reason', isFinal: true, outcome: answerOf(run) };
      const answer = { turnId: idOf(turn), attempt, answer: run, tokens: [], receipt: {}, reply };
      if (!(await finishTurn(scope, answer))) throw new RefusedError();
    }).then(
      () => true,
      error => (error instanceof RefusedError ? false : Promise.reject(error as Error)),
    );

  /** False: it has lost the turn. */
  async function use(db: Db, { turn, does }: Work, attempt: number, run: Run): Promise<boolean> {
    const held = { turnId: idOf(turn), attempt };
    if (does === 'act and answer') {
      const isMarked = await inHost(db, scope => markActed(scope, held));
      if (isMarked) checker.acted(run, turn);
      else checker.refused(run);
      if (!isMarked) return false;
    }
    if (does === 'renew and answer') {
      const kept = await renewLeases(db, [{ hostId, ...held }], ALIVE_MS);
      if (kept.length > 0) checker.renewed(run);
    }
    if (does === 'give up') {
      if (await inHost(db, scope => abandonTurn(scope, held))) checker.gaveUp(run, turn);
      return true;
    }
    const isStored = await finish(db, turn, attempt, run);
    if (isStored) checker.answered(run, turn);
    else checker.refused(run);
    return isStored;
  }

  async function run(db: Db, work: Work, worker: string): Promise<void> {
    const { turn } = work;
    for (let tries = 1; tries <= MAX_CLAIMS; tries += 1) {
      const { claimed, questions } = await claim(db, work);
      if (claimed.kind === 'burst-changed')
        for (const ended of claimed.superseded)
          checker.superseded(turnOf(ended.turnId), turnOf(ended.supersededBy), turn);
      if (claimed.kind === 'busy' && claimed.attempt !== undefined) checker.busy(turn);
      if (claimed.kind === 'has-reply') {
        const reply = await inHost(db, scope => findReplyOfJob(toHostsScope(scope), idOf(turn)));
        return reply ? undefined : fail(`turn ${turn} has a reply that nobody can find`);
      }
      if (claimed.kind !== 'claimed') continue;
      const name = `${turn}! of ${worker}.${tries}`;
      checker.claimed(name, work, questions);
      if (await use(db, work, claimed.attempt, name)) return;
    }
  }

  const expire = async (db: Db) => {
    // In a transaction: its commit is a point, and so has its place in the history.
    await inHost(db, async scope => {
      await lockConversation(scope, conversationId);
      await rowsOf(
        scope.tx,
      )`update turns set lease_until = '-infinity' where conversation_id = ${conversationId}`;
    });
    checker.expired();
  };

  return {
    run,
    expire,
    async recover(db, turns) {
      await expire(db);
      for (let round = 1; round <= 3; round += 1) {
        const ended = (await repliesOf(db, turns)).map(reply => reply.turn);
        for (const turn of turns.filter(turn => !ended.includes(turn)))
          await run(db, { turn, does: 'answer', isNew: false, diesAt: null }, `the queue, ${round}`);
      }
    },
    async check(db, turns) {
      const said = await inHost(db, scope =>
        readHistory(scope, conversationId, { messages: 100, bytes: 100_000 }),
      );
      const contents = said.map(({ content }) => content);
      expect(contents.filter(text => text.endsWith('?')).toSorted(), 'questions').to.eql(
        turns.map(turn => `${turn}?`).toSorted(),
      );
      expect(contents.filter(text => !text.endsWith('?')).toSorted(), 'answers').to.eql(
        [...checker.answers.values()].toSorted(),
      );
      const replies = await repliesOf(db, turns);
      expect(
        replies.map(({ turn }) => turn),
        'turns with a reply',
      ).to.have.members(turns);
      for (const { turn, text } of replies)
        expect(text, `reply of turn ${turn}`)
          .to.match(/^superseded by |!/)
          .and.to.satisfy((text: string) => text === (checker.answers.get(turn) ?? text));
      expect([...checker.answeredQuestions], 'questions that were answered').to.have.members(turns);
    },
  };
}
