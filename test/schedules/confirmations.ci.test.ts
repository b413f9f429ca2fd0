import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Db } from '../../db/connection.ts';
import { markActed } from '../../db/conversations/bursts.ts';
import { insertConversation, lockConversation } from '../../db/conversations/conversations.ts';
import {
  type AskedCall,
  type KnownCall,
  knownCallsOf,
  storeAskedCalls,
} from '../../db/conversations/tool-confirmations.ts';
import { claimTurn, finishTurn, type TurnAttempt } from '../../db/conversations/turns.ts';
import { insertReply } from '../../db/replies.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, toHostsScope, withHost } from '../../db/with-hosts.ts';
import { ARRIVAL_UNKNOWN } from '../../workers/domain/prompts/confirmation-texts.ts';
import type { Tool, ToolRequest } from '../../workers/tools/tool.ts';
import { confirmCalls, NotFirstError } from '../../workers/turns/confirm-calls.ts';
import type { TurnToolResult } from '../../workers/turns/tools.ts';
import type { ReadTurn } from '../../workers/turns/turn.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { bugsOf, itInEveryOrder, mayDie, type Part, type Stage } from './schedules.ts';

/*
 * A turn has asked for a yes, and workers run the next two turns, whose models both make the call; some die before it is sent,
 * before it is answered, or later, and a step of the clock lets all leases expire.
 */

const FILE = 'test/schedules/confirmations.ci.test.ts';
const ALIVE_MS = 600_000;
const MAX_CLAIMS = 4;
const ANSWER = 'pago';

interface Work {
  readonly turn: number;
  readonly does: 'call' | 'expire';
  readonly isNew: boolean;
  readonly diesAt: number | null;
}
interface World {
  readonly burst: 'last' | 'each';
  readonly works: readonly Work[];
}

const work: fc.Arbitrary<Work> = fc.record({
  turn: fc.integer({ min: 2, max: 3 }),
  does: fc.constantFrom('call', 'call', 'call', 'expire'),
  isNew: fc.boolean(),
  diesAt: mayDie(16),
});
const world: fc.Arbitrary<World> = fc.record({
  burst: fc.constantFrom('last', 'each'),
  works: fc.array(work, { minLength: 2, maxLength: 4, size: 'max' }),
});

const bugs = bugsOf({
  'a call begins whatever the attempt': [
    /turn\.attempt = (\$\d+) and turn\.state = 'running'/,
    '($1 > 0 or true)',
  ],
  'a call that has begun is not known': ["when 'called' then true", "when 'called' then false"],
});

/** Stops at a gate, where it may die. */
type Pause = (label: string) => Promise<void>;

describe('a call after a yes, in every order of the statements', () => {
  const database = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(database.db));

  async function play(stage: Stage, { burst, works }: World, choices: readonly number[]): Promise<void> {
    const { hostId } = host;
    const conversationId = await withHost(stage.db, hostId, scope => insertConversation(scope));
    const room = await openRoom(stage.db, { hostId, conversationId, burst });
    const parts = works.map(
      (work): Part => ({
        diesAt: work.diesAt,
        play: player =>
          work.does === 'expire'
            ? room.expire(player.db)
            : room.run(player.db, work, label => player.pause(label)),
      }),
    );
    await stage.play(parts, choices, () => room.check(stage.db));
  }

  itInEveryOrder('arrives once at most, and nobody is told otherwise, whatever dies and expires', {
    file: FILE,
    database,
    world,
    bugs,
    play,
  });
});

interface Place {
  readonly hostId: string;
  readonly conversationId: string;
  readonly burst: World['burst'];
}

/** A conversation whose first turn has asked. */
async function openRoom(stageDb: Db, { hostId, conversationId, burst }: Place) {
  const arrivals: string[] = [];
  const told = new Map<number, string>();
  /** Who got the conversation last. */
  let holder = '';
  const idOf = (turn: number) => `${turn}-${conversationId}`;
  const inHost = <T>(db: Db, use: (scope: HostScope) => Promise<T>) => withHost(db, hostId, use);
  let beganAt = Date.now();

  const claim = (db: Db, turn: number, isNewJob: boolean) =>
    inHost(db, async scope => {
      const times = { arrivedAt: beganAt + turn, remainingMs: () => ALIVE_MS, leaseMs: ALIVE_MS };
      const asked = { question: `${turn}?`, burst, isNewJob };
      const claimed = await claimTurn(scope, { turnId: idOf(turn), conversationId, ...asked, ...times });
      for (const ended of claimed.kind === 'burst-changed' ? claimed.superseded : []) {
        const reply = { jobId: ended.turnId, operation: 'reason', isFinal: true, outcome: { code: 200 } };
        await insertReply(toHostsScope(scope), reply);
      }
      const place = { conversationId, turnId: idOf(turn), queueNow: Date.now() };
      const [row] = await rowsOf<{ known: KnownCall[] }>(
        scope.tx,
      )`select ${knownCallsOf(hostId, place)} as known`;
      return { claimed, known: assertDefined(row).known };
    });

  const toolOf = (run: string, pause: Pause): Tool => ({
    name: 'pagar',
    description: '',
    parameters: {},
    kind: 'rest',
    needsYes: { id: 'pagar', name: 'rest:erp:pagar', errorOf: () => undefined },
    async run(_, { beforeSending }) {
      const headers = await beforeSending?.().catch((error: Error) => {
        if (error instanceof NotFirstError) return undefined;
        throw error;
      });
      const line = { name: 'rest:erp:pagar', durationMs: 1 };
      if (!headers) return { text: '', isError: true, externalCalls: [{ ...line, status: 0 }] };
      if (run !== holder)
        throw new Error(`${run} makes a call without the conversation, which ${holder} has`);
      await pause('send');
      arrivals.push(headers['Idempotency-Key'] ?? '');
      await pause('answer');
      return { text: ANSWER, externalCalls: [{ ...line, status: 200 }] };
    },
  });

  async function callTool(
    db: Db,
    { turnId, attempt }: TurnAttempt,
    known: readonly KnownCall[],
    pause: Pause,
  ) {
    const job = { hostId, turnId, body: {} };
    const asking = { job, attempt, knownCalls: known } as unknown as ReadTurn;
    const provider = confirmCalls(db, asking, async () => ({
      tools: [toolOf(`${turnId} ${attempt}`, pause)],
      externalCalls: [],
    }));
    const { tools } = await assertDefined(provider)({} as ToolRequest);
    const context = { signal: new AbortController().signal, remainingMs: ALIVE_MS };
    return assertDefined(tools[0]).run({ boleto: 7 }, context) as Promise<TurnToolResult>;
  }

  /** False where another run has the turn. */
  const finish = (db: Db, turn: number, attempt: number, asks: readonly AskedCall[], isKnown: boolean) =>
    inHost(db, async scope => {
      await lockConversation(scope, conversationId);
      if (isKnown || asks.length > 0)
        await storeAskedCalls(scope, { conversationId, turnId: idOf(turn) }, asks);
      const reply = { jobId: idOf(turn), operation: 'reason', isFinal: true, outcome: { code: 200 } };
      const answer = { turnId: idOf(turn), attempt, answer: `${turn}!`, tokens: [], receipt: {}, reply };
      if (!(await finishTurn(scope, answer))) throw new LostError();
      return true;
    }).catch((error: unknown) => (error instanceof LostError ? false : Promise.reject(error as Error)));

  async function run(db: Db, { turn, isNew }: Pick<Work, 'turn' | 'isNew'>, pause: Pause): Promise<void> {
    for (let tries = 1; tries <= MAX_CLAIMS; tries += 1) {
      const { claimed, known } = await claim(db, turn, isNew);
      if (claimed.kind === 'has-reply') return;
      if (claimed.kind !== 'claimed') continue;
      const held = { turnId: idOf(turn), attempt: claimed.attempt };
      holder = `${held.turnId} ${held.attempt}`;
      if (!(await inHost(db, scope => markActed(scope, held)))) return;
      const { text, effects = {} } = await callTool(db, held, known, pause);
      const isStored = await finish(db, turn, held.attempt, effects.asks ?? [], known.length > 0);
      if (isStored) told.set(turn, text);
      return;
    }
  }

  const expire = (db: Db) =>
    inHost(db, async ({ tx }) => {
      await lockConversation({ tx, hostId }, conversationId);
      await rowsOf(tx)`update turns set lease_until = '-infinity' where conversation_id = ${conversationId}`;
    });
  const pass: Pause = async () => {};

  await run(stageDb, { turn: 1, isNew: true }, pass);
  beganAt = Date.now() + 1;
  return {
    run,
    expire,
    async check(db: Db) {
      await expire(db);
      for (const turn of [2, 3, 2]) await run(db, { turn, isNew: false }, pass);
      const texts = [2, 3].flatMap(turn => told.get(turn) ?? []);
      const isTold = texts.some(text => text === ANSWER || text === ARRIVAL_UNKNOWN);
      expect(arrivals.length, 'arrivals').to.be.at.most(1);
      expect(texts.includes(ANSWER) && arrivals.length === 0, 'told of a call that was never made').to.equal(
        false,
      );
      expect(isTold, 'what became of the call is told').to.equal(true);
    },
  };
}

class LostError extends Error {}
