import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  type ConversationFilter,
  type ConversationPlace,
  listConversations,
} from '../db/conversations/conversation-list.ts';
import { appendMessage, listMessages } from '../db/conversations/messages.ts';
import { claimTurn, finishTurn } from '../db/conversations/turns.ts';
import { conversationLists } from '../db/migrations/0047-conversation-lists.ts';
import { withHost } from '../db/with-hosts.ts';
import { runIn, table } from '../test/support/statements.ts';
import { startDatabase } from './database.bench.ts';
import { fillConversation, fillHost } from './list-data.bench.ts';
import { percentileOf } from './percentiles.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * The time in the database of the first and of about the hundredth page of conversations, for each filter, also with some that
 * moved since the first page, compared with pages by `offset`, and what the indexes of their lists add to the writes of a turn.
 */

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '300' },
    moved: { type: 'string', default: '500' },
    turns: { type: 'string', default: '1000' },
  },
});
const [conversations, runs, moved, turns] = [
  values.conversations,
  values.runs,
  values.moved,
  values.turns,
].map(Number) as [number, number, number, number];
const PAGE = 51;
const DEEP = 100 * (PAGE - 1);

const database = await startDatabase({ max: 8, answerWithinMs: 3_600_000 });
const { db } = database;
await db.raw('set statement_timeout = 0');

const startedAt = performance.now();
const quiet = await fillHost(db, 1_000);
const hostId = await fillHost(db, conversations);
await db.raw('set statement_timeout = 0');
await db.raw('vacuum analyze conversations, contacts, messages');
await db.raw('checkpoint');
console.log(
  `${conversations} conversations, made in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
);
const { contact_id: contactId } = await db('conversations').where({ host_id: hostId }).first('contact_id');
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const filters: Readonly<Record<string, ConversationFilter>> = {
  none: {},
  open: { closed: false },
  closed: { closed: true },
  archived: { archived: true },
  'open, not archived': { closed: false, archived: false },
  'asks for help': { askHumanHelp: true },
  'asks for help, open': { askHumanHelp: true, closed: false },
  'asks for no help': { askHumanHelp: false },
  'asks for help, a channel': { askHumanHelp: true, platform: 'whatsapp' },
  'a large channel': { platform: 'whatsapp' },
  'a large channel, open': { platform: 'whatsapp', closed: false },
  'a rare channel, all old': { platform: 'fair' },
  'a channel without any': { platform: 'none' },
  assigned: { assignedTo: 'person 3' },
  'assigned, open': { assignedTo: 'person 3', closed: false },
  'a contact': { contactId },
  'changed in 2 hours': { updatedSince: ago(2) },
  'changed in a week': { updatedSince: ago(168) },
  'changed in a week, open': { updatedSince: ago(168), closed: false },
  'changed in a year': { updatedSince: ago(8_760) },
  'changed in a year, a channel': { updatedSince: ago(8_760), platform: 'whatsapp' },
};

await warmUp();
const places = await measureLists();
console.log(`quiet host: ${await timesOf(() => read({}, undefined, quiet))}`);
await move();
console.log(`after ${moved} conversations moved to the front`);
for (const [name, deep] of places) say(name, await timesOf(nth => read(filters[name] ?? {}, at(deep, nth))));
await measureMessages();
await measureOffset();
await measureTurns();
await database.stop();

function read(filter: ConversationFilter, after: ConversationPlace | undefined, of = hostId) {
  return withHost(db, of, scope => listConversations(scope, filter, { limit: PAGE, after }));
}

async function warmUp(): Promise<void> {
  for (const filter of Object.values(filters))
    for (let nth = 0; nth < 8; nth += 1) await read(filter, undefined);
}

/** Returns places about the hundredth page, or the last. */
async function measureLists(): Promise<Map<string, ConversationPlace[]>> {
  const found = new Map<string, ConversationPlace[]>();
  for (const [name, filter] of Object.entries(filters)) {
    const rows = await withHost(db, hostId, scope =>
      listConversations(scope, filter, { limit: DEEP, after: undefined }),
    );
    const deep = rows.slice(-10 * PAGE).map(({ place }) => place);
    found.set(name, deep);
    const first = await timesOf(() => read(filter, undefined));
    say(
      name,
      `page 1 ${first}, page ${Math.ceil(rows.length / (PAGE - 1))} ${await timesOf(nth => read(filter, at(deep, nth)))}`,
    );
  }
  return found;
}

async function move(): Promise<void> {
  const ids = await db('conversations')
    .where({ host_id: hostId })
    .orderBy('last_message_at', 'desc')
    .limit(moved)
    .pluck('id');
  for (const conversationId of ids)
    await withHost(db, hostId, scope =>
      appendMessage(scope, { conversationId, author: 'user', content: 'Oi' }),
    );
}

async function measureMessages(): Promise<void> {
  const id = await fillConversation(db, hostId, 2 * DEEP);
  const [{ seq }] = await db('messages').where({ conversation_id: id }).orderBy('seq').offset(DEEP).limit(1);
  const page = (after?: { seq: string }) =>
    withHost(db, hostId, scope => listMessages(scope, id, { limit: PAGE, after, withNotes: true }));
  say('messages', `page 1 ${await timesOf(() => page())}, page 100 ${await timesOf(() => page({ seq }))}`);
}

/** The plain way reads the rows that it skips. */
async function measureOffset(): Promise<void> {
  const page = (offset: number) =>
    withHost(db, hostId, ({ tx }) =>
      runIn(
        tx,
        table.raw(
          `select * from conversations where host_id = ? and not closed
         order by coalesce(last_message_at, created_at) desc, id desc limit ? offset ?`,
          [hostId, PAGE, offset],
        ),
      ),
    );
  say(
    'open, by offset',
    `page 1 ${await timesOf(() => page(0), 5)}, page 100 ${await timesOf(() => page(DEEP), 5)}`,
  );
}

/** Runs in alternating rounds; the first round of each has cold caches. */
async function measureTurns(): Promise<void> {
  const ids = await db('conversations').where({ host_id: hostId }).limit(turns).pluck('id');
  const indexes = conversationLists.match(/create index [^;]+;/g) ?? [];
  const names = indexes.map(statement => statement.split(' ')[2]);
  const took = { with: [] as number[], without: [] as number[] };
  const round = async () => 1_000 / (await atOnce(turns, 4, nth => answerTurn(ids[nth]))).perSecond;
  for (let nth = 0; nth < 3; nth += 1) {
    for (const kind of ['with', 'without'] as const) {
      if (kind === 'without') await db.raw(`drop index ${names.join(', ')}`);
      await db.raw('checkpoint');
      await round();
      took[kind].push(await round());
    }
    for (const statement of indexes) await db.raw(statement);
  }
  const medianOf = (kind: keyof typeof took) => percentileOf(took[kind], 0.5).toFixed(2);
  console.log(
    `writes of a turn: ${medianOf('with')} ms with the indexes of lists, ${medianOf('without')} ms without`,
  );
}

async function answerTurn(conversationId: string): Promise<void> {
  const turnId = `k${randomBytes(16).toString('hex')}`;
  const claim = { turnId, conversationId, arrivedAt: Date.now(), remainingMs: () => 60_000, leaseMs: 60_000 };
  const claimed = await withHost(db, hostId, scope =>
    claimTurn(scope, { ...claim, question: 'Qual é o horário?' }),
  );
  if (claimed.kind !== 'claimed') throw new Error(`The turn is ${claimed.kind}.`);
  const answered = { turnId, attempt: claimed.attempt, answer: 'Das 8h às 21h.', tokens: [], receipt: {} };
  await withHost(db, hostId, scope => finishTurn(scope, answered));
}

function at(deep: readonly ConversationPlace[], nth: number): ConversationPlace | undefined {
  return deep[(nth * 7) % deep.length];
}

async function timesOf(ask: (nth: number) => Promise<unknown>, times = runs): Promise<string> {
  const took: number[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    const from = performance.now();
    await ask(nth);
    took.push(performance.now() - from);
  }
  return `p50 ${percentileOf(took, 0.5).toFixed(1)} p99 ${percentileOf(took, 0.99).toFixed(1)} ms`;
}

function say(what: string, figures: string): void {
  console.log(`  ${what.padEnd(30)} ${figures}`);
}
