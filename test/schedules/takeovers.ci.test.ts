import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Db } from '../../db/connection.ts';
import {
  insertConversation,
  lockConversation,
  setConversation,
} from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { returnConversations } from '../../db/conversations/returns.ts';
import { lockForAnswer } from '../../db/conversations/takeover.ts';
import { claimTurn, finishTurn } from '../../db/conversations/turns.ts';
import { upsertWebhook } from '../../db/events/webhooks.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { findReplyOfJob } from '../../db/replies.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, toHostsScope, withHost } from '../../db/with-hosts.ts';
import { asTypedOnPhone, isKnownToChannel } from '../../workers/conversations/channel-messages.ts';
import { addEvent } from '../../workers/runtime/add-event.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { bugsOf, itInEveryOrder, mayDie, type Part, Stage } from './schedules.ts';

/*
 * Who writes in one conversation: the phone of the channel (the words and the echoes of answers that it tells, more than once), the
 * console that takes it over and gives it back, the turns of the assistant, and the background that gives it back after a while; some
 * die. All of them write under the lock of the conversation, so the ids of messages are their order: what stores no message of its
 * own leaves a mark in the same transaction.
 */

const FILE = 'test/schedules/takeovers.ci.test.ts';
const ALIVE_MS = 600_000;
const MAX_CLAIMS = 4;

interface Act {
  readonly does: 'phone' | 'echo' | 'take' | 'give back' | 'wait and return' | 'turn';
  /** Of the turn, or of the message: one that is told again has the same. */
  readonly id: number;
  readonly diesAt: number | null;
}

const act: fc.Arbitrary<Act> = fc.record({
  does: fc.constantFrom(
    'phone',
    'phone',
    'echo',
    'take',
    'give back',
    'wait and return',
    'wait and return',
    'turn',
    'turn',
    'turn',
  ),
  id: fc.integer({ min: 1, max: 2 }),
  diesAt: mayDie(9),
});
const world: fc.Arbitrary<readonly Act[]> = fc.array(act, { minLength: 2, maxLength: 4, size: 'max' });

const bugs = bugsOf({
  'an answer knows nothing of what was written since its turn was claimed': [
    'staff_seq = case when',
    'staff_seq = case when false and',
  ],
  'an answer is stored without the lock': [
    /(masked_values as "maskedValues" from conversations where host_id = \$1 and id = \$2) for no key update/,
    '$1',
  ],
  'the phone takes nothing over': [
    /attended = attended or \(.*?\(ask_human_help or from_channel\)\)/s,
    'attended = attended',
  ],
  'a message is stored again that the channel tells twice': ['and external_ids is not null', 'and false'],
  'an echo takes the conversation over': [
    /and \(author = 'assistant' or .*?not from_channel\)/s,
    'and false',
  ],
  'a conversation goes back before its time': [
    "<= clock_timestamp() - return_after_minutes * interval '1 minute'",
    'is not null',
  ],
  'a conversation goes back although staff has written meanwhile': [
    'for no key update of conversation skip locked',
    '',
  ],
});

describe('those who write in a conversation, in every order of their statements', () => {
  const database = openOnce(makeDatabase);
  const host = openOnce(async () => {
    const built = await buildHost(database.db);
    await setHost(database.db, built.slug, { return_after_minutes: 5 });
    const events = ['conversation.returned', 'message.sent'];
    const webhook = {
      id: randomUUID(),
      name: 'bridge',
      url: 'https://a.example/',
      origin: 'https://a.example',
    };
    await built.inHost(scope => upsertWebhook(scope, { ...webhook, events, enabled: true, secrets: [] }));
    return built;
  });

  async function play(stage: Stage, acts: readonly Act[], choices: readonly number[]): Promise<void> {
    const { hostId } = host;
    const conversationId = await withHost(stage.db, hostId, scope => insertConversation(scope));
    const room = makeRoom(hostId, conversationId);
    const parts = acts.map(
      (given, at): Part => ({ diesAt: given.diesAt, play: ({ db }) => room.play(db, given, `${at + 1}`) }),
    );
    await stage.play(parts, choices, async () => {
      await room.recover(stage.db, acts);
      await room.check(stage.db, acts);
    });
  }

  itInEveryOrder(
    'store no answer after a word of staff, none but answers once it is given back, and each once, whatever dies',
    { file: FILE, database, world, bugs, play },
  );
});

function makeRoom(hostId: string, conversationId: string) {
  const inHost = <T>(db: Db, use: (scope: HostScope) => Promise<T>) => withHost(db, hostId, use);
  const mark = (scope: HostScope, content: string) =>
    appendMessage(scope, { conversationId, author: 'system', content });
  const turnIdOf = (turn: number) => `${turn}-${conversationId}`;

  /** As `appendMessage` of the API does it. */
  const tell = (db: Db, content: string, externalId: string) =>
    inHost(db, async scope => {
      const told = { conversationId, content, author: 'human' as const };
      if (await isKnownToChannel(scope, { ...told, from_channel: true, external_id: externalId }, [])) return;
      await appendMessage(scope, asTypedOnPhone({ ...told, externalId }));
    });

  async function echo(db: Db, id: number): Promise<void> {
    const [answer] = await rowsOf<{ content: string }>(db)`
      select content from messages where conversation_id = ${conversationId} and author = 'assistant' order by seq limit 1`;
    if (answer) await tell(db, answer.content, `echo ${id}`);
  }

  async function take(db: Db, worker: string): Promise<void> {
    await inHost(db, scope =>
      setConversation(scope, conversationId, { askHumanHelp: true, assigned: { name: 'Bia' } }),
    );
    await inHost(db, async scope => {
      const eventId = randomUUID();
      const content = `written ${worker}`;
      const written = await appendMessage(scope, { conversationId, author: 'human', content, eventId });
      const messageId = written?.seq ?? '';
      const data = { messageId, conversationId, name: null, content, wppParsed: [], attachments: [] };
      await addEvent(scope, { id: eventId, type: 'message.sent', data });
      if ((await lockConversation(scope, conversationId))?.attended) await mark(scope, 'taken');
    });
  }

  const giveBack = (db: Db) =>
    inHost(db, async scope => {
      await setConversation(scope, conversationId, { askHumanHelp: false, assigned: { name: null } });
      await mark(scope, 'given back');
    });

  /** As if an hour had passed; two workers look, of which one may have died. */
  async function waitAndReturn(db: Db): Promise<void> {
    await inHost(db, async scope => {
      await lockConversation(scope, conversationId);
      await rowsOf(scope.tx)`
        update messages set created_at = created_at - interval '1 hour'
        where conversation_id = ${conversationId} and author = 'human'`;
      await mark(scope, 'passed');
    });
    await returnConversations(db);
    await returnConversations(db);
  }

  async function runTurn(db: Db, turn: number, worker: string): Promise<void> {
    const turnId = turnIdOf(turn);
    for (let tries = 1; tries <= MAX_CLAIMS; tries += 1) {
      const run = `${turn} of ${worker}.${tries}`;
      const claimed = await inHost(db, async scope => {
        const times = { arrivedAt: turn, remainingMs: () => ALIVE_MS, leaseMs: ALIVE_MS };
        const asked = { question: `${turn}?`, burst: 'each' as const };
        const claim = await claimTurn(scope, { turnId, conversationId, ...asked, ...times });
        if (claim.kind === 'claimed') await mark(scope, `claimed ${run}`);
        return claim;
      });
      if (claimed.kind === 'has-reply') return;
      if (claimed.kind !== 'claimed') continue;
      const { attempt, conversation } = claimed;
      await inHost(db, async scope => {
        const isSilent =
          conversation.attended || ((await lockForAnswer(scope, conversation))?.isTakenOver ?? true);
        const answer = isSilent ? '' : `answer ${run}`;
        const reply = {
          jobId: turnId,
          operation: 'reason',
          isFinal: true,
          outcome: { code: 200 as const, data: {} },
        };
        if (!(await finishTurn(scope, { turnId, attempt, answer, tokens: [], receipt: {}, reply })))
          throw new OvertakenError();
        if (answer === '') await mark(scope, `silent ${run}`);
      }).catch(error => (error instanceof OvertakenError ? undefined : Promise.reject(error as Error)));
      return;
    }
  }

  function perform(db: Db, { does, id }: Act, worker: string): Promise<unknown> {
    switch (does) {
      case 'phone':
        return tell(db, `typed ${id}`, `word ${id}`);
      case 'echo':
        return echo(db, id);
      case 'take':
        return take(db, worker);
      case 'give back':
        return giveBack(db);
      case 'wait and return':
        return waitAndReturn(db);
      case 'turn':
        return runTurn(db, id, worker);
    }
  }

  return {
    play: perform,
    /** The queue and the channel do again what they do not know to be done; the leases of the dead are over. */
    async recover(db: Db, acts: readonly Act[]): Promise<void> {
      await rowsOf(db)`update turns set lease_until = '-infinity' where conversation_id = ${conversationId}`;
      for (const again of acts.filter(({ does }) => does === 'phone')) await perform(db, again, 'again');
      const turns = [...new Set(acts.flatMap(({ does, id }) => (does === 'turn' ? [id] : [])))].toSorted(
        (a, b) => a - b,
      );
      for (const turn of turns) {
        await runTurn(db, turn, 'again');
        expect(await inHost(db, scope => findReplyOfJob(toHostsScope(scope), turnIdOf(turn)))).to.be.an(
          'object',
        );
      }
      await giveBack(db);
      await runTurn(db, 9, 'last');
    },
    async check(db: Db, acts: readonly Act[]): Promise<void> {
      const rows = await rowsOf<{ author: string; content: string }>(db)`
        select author, content from messages where conversation_id = ${conversationId} order by seq`;
      const said = rows.map(({ content }) => content);
      checkOrder(rows);
      const typed = [...new Set(acts.flatMap(({ does, id }) => (does === 'phone' ? [`typed ${id}`] : [])))];
      expect(
        said.filter(text => text.startsWith('typed')),
        said.join('\n'),
      ).to.have.members(typed);
      expect(
        said.some(text => text.startsWith('answer 9')),
        'the turn after it was given back',
      ).to.equal(true);
      const events = await rowsOf<{ type: string }>(db)`
        select type from events where host_id = ${hostId} and conversation_id = ${conversationId}`;
      const told = events.map(({ type }) => type);
      const countOf = (start: string) => said.filter(text => text.startsWith(start)).length;
      expect(told.filter(type => type === 'message.sent').length, 'told').to.equal(countOf('written'));
      expect(told.filter(type => type === 'conversation.returned').length, 'returned').to.equal(
        countOf('A equipe'),
      );
    },
  };
}

class OvertakenError extends Error {}

/** Follows the conversation, and fails where it went otherwise than it may. */
function checkOrder(rows: readonly { readonly author: string; readonly content: string }[]): void {
  const fail = (what: string) => {
    throw new Error([what, ...rows.map(({ author, content }) => `  ${author}: ${content}`)].join('\n'));
  };
  const claims = new Map<string, { words: number; wasAttended: boolean }>();
  const ended = new Set<string>();
  let [isAttended, isPassed, words] = [false, false, 0];
  const end = (run: string) => {
    const turn = run.split(' ')[0] ?? '';
    if (ended.has(turn)) fail(`turn ${turn} ended twice`);
    ended.add(turn);
    return claims.get(run) ?? fail(`${run} was not claimed`) ?? { words: 0, wasAttended: false };
  };
  for (const { author, content } of rows) {
    const run = content.split(' ').slice(1).join(' ');
    if (content === 'taken' || content.startsWith('typed'))
      [isAttended, isPassed, words] = [true, false, words + 1];
    else if (content === 'given back') isAttended = false;
    else if (content === 'passed') isPassed = true;
    else if (content.startsWith('A equipe')) {
      if (!isAttended || !isPassed) fail('it went back without reason');
      isAttended = false;
    } else if (content.startsWith('claimed')) claims.set(run, { words, wasAttended: isAttended });
    else if (author === 'human' && content.startsWith('answer'))
      fail(`${content} came back as a word of staff`);
    else if (content.startsWith('answer')) {
      if (isAttended || end(run).words !== words) fail(`${content} was stored after a word of staff`);
    } else if (content.startsWith('silent')) {
      const { words: before, wasAttended } = end(run);
      if (!isAttended && !wasAttended && before === words) fail(`${run} was silent without reason`);
    }
  }
}
