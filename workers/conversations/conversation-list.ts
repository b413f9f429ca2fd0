import {
  type ConversationFilter,
  type ConversationPlace,
  isListExpired,
  listConversations as listStored,
  listWaiting,
} from '../../db/conversations/conversation-list.ts';
import { findConversation } from '../../db/conversations/conversations.ts';
import { type ListedMessage, listMessages as listStoredMessages } from '../../db/conversations/messages.ts';
import type { PageOf } from '../../db/pages.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import { FILES_PATH } from '../../queues/contract/operations/attachment-shape.ts';
import { MAX_LISTING_HOURS } from '../../queues/contract/operations/conversation-lists.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import {
  flag,
  integer,
  list,
  object,
  optional,
  patternText,
  type TypeOf,
  uuid,
} from '../../queues/contract/shape.ts';
import { type Page, readPage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import { parseWppSteps, type WppItem } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { Handler } from '../runtime/job.ts';

const MAX_RUNNING = 10_000;
const count = integer({ min: 0 });
/** Two numbers below this have an exact sum. */
const MAX_TRANSACTIONS = 2 ** 51;
/** A place in the second of two lists, where the first has what the teams of the person have. */
const others = optional(flag());
/** A place in the list, with its snapshot as numbers: any numbers make one, so a forged cursor causes no database error. */
const key = object({
  at: count,
  id: uuid(),
  begunAt: count,
  /** `oldest` is the oldest running transaction, `begun` how many began since, `running` which of these still ran. */
  oldest: integer({ min: 1, max: MAX_TRANSACTIONS }),
  begun: integer({ min: 0, max: MAX_TRANSACTIONS }),
  running: list(count, { max: MAX_RUNNING }),
  others,
});
type Key = TypeOf<typeof key>;

const waitingKey = object({ waitsSince: count, id: uuid(), others });

export const listConversations: Handler<'listConversations'> = job =>
  job.read(async scope => {
    const { body, caller } = job;
    const { ask_human_help: askHumanHelp, unanswered, closed, archived, platform, contactId } = body;
    const { assigned_to: assignedTo, assigned_person_id: assignedPersonId, team_id: teamId, label } = body;
    const period = await readInstants(scope, { updatedSince: body.updatedSince });
    if (isFailure(period)) return period;
    const state = { askHumanHelp, unanswered, closed, archived };
    const filter = { ...state, platform, assignedTo, assignedPersonId, teamId, label, contactId, ...period };
    const personId = body.own_teams_first ? caller.tokenId : undefined;
    if (body.order === 'longest_wait')
      return readPage(job, waitingKey, {
        read: order =>
          readTeamsFirst(personId, order, (ofTeams, { limit, after }) =>
            listWaiting(scope, { ...filter, ...ofTeams }, { limit, after }),
          ),
        keyOf: ({ place, others }) => ({ ...place, ...others }),
        toItem,
      });
    return readPage(job, key, {
      read: order =>
        readTeamsFirst(personId, order, (ofTeams, { limit, after }) =>
          listStored(scope, { ...filter, ...ofTeams }, { limit, after: after && placeOf(after) }),
        ),
      keyOf: ({ place, others }) => ({ ...keyOf(place), ...others }),
      toItem,
      isExpired: ({ begunAt }) => isListExpired(scope, begunAt, MAX_LISTING_HOURS),
    });
  });

function toItem<Row extends object>({
  place: _place,
  others: _others,
  ...item
}: Row & InTwoLists & { readonly place: unknown }) {
  return item;
}

interface InTwoLists {
  readonly others?: { readonly others: true };
}

/** Reads two lists as one: of the teams of the person, and the others. A first page of the second begins where the first ends. */
async function readTeamsFirst<Key extends { readonly others?: boolean }, Row extends object>(
  personId: string | undefined,
  { limit, after }: PageOf<Key>,
  read: (filter: Pick<ConversationFilter, 'ofTeams'>, order: PageOf<Key>) => Promise<Row[]>,
): Promise<(Row & InTwoLists)[]> {
  if (personId === undefined) return read({}, { limit, after });
  const own = after?.others ? [] : await read({ ofTeams: { personId, isOwn: true } }, { limit, after });
  if (own.length === limit) return own;
  const order = { limit: limit - own.length, after: after?.others ? after : undefined };
  const rest = await read({ ofTeams: { personId, isOwn: false } }, order);
  return [...own, ...rest.map(row => ({ ...row, others: { others: true } as const }))];
}

function keyOf({ at, id, begunAt, seen }: ConversationPlace): Key {
  const [oldest = 1, next = oldest, ...running] = seen.split(/[:,]/).filter(Boolean).map(Number);
  return { at, id, begunAt, oldest, begun: next - oldest, running: running.map(each => each - oldest) };
}

function placeOf({ at, id, begunAt, oldest, begun, running }: Key): ConversationPlace {
  const [first, next] = [toTransaction(oldest), toTransaction(oldest + begun)];
  const listed = running
    .map(each => toTransaction(oldest + each))
    .filter(each => each >= first && each < next);
  const sorted = [...new Set(listed)].toSorted((a, b) => a - b);
  return { at, id, begunAt, seen: `${first}:${next}:${sorted.join(',')}` };
}

/** PostgreSQL gives no transaction a number whose lower half is 0, and refuses such numbers. */
function toTransaction(id: number): number {
  return id % 2 ** 32 === 0 ? id + 1 : id;
}

const messageKey = object({ seq: patternText(/^[1-9]\d{0,17}$/, 'a whole number') });

type Item = DataOf<'listMessages'>['items'][number];

export const listMessages: Handler<'listMessages'> = async job => {
  const { conversationId, notes: withNotes = false } = job.body;
  const page = await job.read<Page<ListedMessage>>(async scope => {
    if (!(await findConversation(scope, conversationId))) return failure('conversation-not-found');
    return readPage({ ...job, ofId: conversationId }, messageKey, {
      read: order => listStoredMessages(scope, conversationId, { ...order, withNotes }),
      keyOf: ({ seq }) => ({ seq }),
      fits: ({ fits }) => fits,
      toItem: message => message,
    });
  });
  if (isFailure(page)) return page;
  const items: Item[] = [];
  // The answers are parsed after the transaction, because a page of long ones takes a while.
  for (const message of page.data.items) items.push(await toMessageItem(message, job.hostId));
  return { code: 200, data: { items, nextCursor: page.data.nextCursor } };
};

/** An answer as WhatsApp messages, as it was sent. */
export async function listSentItems(content: string, payments: readonly string[] | null): Promise<WppItem[]> {
  const isSent = (code: string) => payments?.includes(code) ?? false;
  const { items } = await runInSlices(parseWppSteps(content, payment => isSent(payment.content)));
  return items;
}

async function toMessageItem(
  {
    seq,
    turnId,
    author,
    name,
    personId,
    content,
    payments,
    sources,
    unsupported,
    feedback,
    fromChannel,
    attachments,
    delivery,
    nextAttemptAt,
    createdAt,
  }: ListedMessage,
  hostId: string,
): Promise<Item> {
  const items = author === 'assistant' ? await listSentItems(content, payments) : [];
  return {
    messageId: seq,
    turnId,
    author,
    name,
    personId,
    content,
    wppParsed: items.map(item => ({ ...item })),
    sources: (sources ?? []) as Item['sources'],
    unsupported: (unsupported ?? []) as Item['unsupported'],
    feedback: (feedback ?? []) as Item['feedback'],
    fromChannel,
    attachments: (attachments ?? []).map(file => ({ ...file, url: `${FILES_PATH}/${hostId}/${file.id}` })),
    delivery,
    nextAttemptAt,
    createdAt: createdAt.toISOString(),
  };
}
