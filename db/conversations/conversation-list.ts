import type { DataOf } from '../../queues/contract/operations/index.ts';
import { teamsOf } from '../hosts/teams.ts';
import { microsecondsOf } from '../pages.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { informationColumns } from './conversations.ts';
import { windowEnd } from './windows.ts';

export interface ConversationFilter {
  readonly askHumanHelp?: boolean | undefined;
  readonly unanswered?: boolean | undefined;
  readonly closed?: boolean | undefined;
  readonly archived?: boolean | undefined;
  readonly platform?: string | undefined;
  readonly assignedTo?: string | undefined;
  readonly assignedPersonId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly label?: string | undefined;
  /** Only conversations of the teams of this person, or only the others. */
  readonly ofTeams?: { readonly personId: string; readonly isOwn: boolean } | undefined;
  readonly contactId?: string | undefined;
  /** Selects conversations with a message or any other change at or after this time. */
  readonly updatedSince?: Date | undefined;
}

/** The indexes have the same expression. */
const newestAt = sql`(case when last_message_at is null then created_at else last_message_at end)`;

/** Whether a conversation has the state of `is_closed` and `is_archived`, in the form of the index that serves the filter. */
function isInState({ platform, askHumanHelp, unanswered }: ConversationFilter): Fragment {
  if (platform === undefined || askHumanHelp || unanswered)
    return sql`closed = is_closed and archived = is_archived`;
  return sql`${stateOf(sql`closed`, sql`archived`)} = ${stateOf(sql`is_closed`, sql`is_archived`)}`;
}

function stateOf(closed: Fragment, archived: Fragment): Fragment {
  return sql`(case when ${closed} then case when ${archived} then 3 else 2 end else case when ${archived} then 1 else 0 end end)`;
}

/**
 * The conditions other than the state. In a conversation without a message, nobody waits for anything, unless what was
 * sent could not be read.
 */
function isAsked(hostId: string, filter: ConversationFilter): Fragment {
  const { askHumanHelp, unanswered, platform, assignedTo, assignedPersonId, contactId, updatedSince } =
    filter;
  const { teamId, label, ofTeams } = filter;
  // The condition is in the statement's text instead of a value, so that the planner can use a partial index.
  const help = askHumanHelp ? sql`and ask_human_help` : sql`and not ask_human_help`;
  const waiting = unanswered ? sql`and unanswered_at is not null` : sql`and unanswered_at is null`;
  return sql`host_id = ${hostId} and (last_message_at is not null or unanswered_at is not null)
    ${askHumanHelp === undefined ? sql`` : help}
    ${unanswered === undefined ? sql`` : waiting}
    ${platform === undefined ? sql`` : sql`and platform = ${platform}`}
    ${assignedTo === undefined ? sql`` : sql`and assigned_to = ${assignedTo}`}
    ${assignedPersonId === undefined ? sql`` : sql`and assigned_person_ids <> '{}' and ${assignedPersonId}::uuid = any (assigned_person_ids)`}
    ${teamId === undefined ? sql`` : sql`and team_id = ${teamId}`}
    ${label === undefined ? sql`` : sql`and labels <> '{}' and ${label} = any (labels)`}
    ${ofTeams ? isOfTeams(hostId, ofTeams) : sql``}
    ${contactId === undefined ? sql`` : sql`and contact_id = ${contactId}`}
    ${updatedSince === undefined ? sql`` : sql`and (updated_at >= ${updatedSince} or ${newestAt} >= ${updatedSince})`}`;
}

function isOfTeams(
  hostId: string,
  { personId, isOwn }: NonNullable<ConversationFilter['ofTeams']>,
): Fragment {
  const isTheirs = sql`coalesce(team_id = any (${teamsOf(hostId, personId)}), false)`;
  return isOwn ? sql`and ${isTheirs}` : sql`and not ${isTheirs}`;
}

/** The index of the conversations of a person, a staff member, a team or a label needs no ranges by state. */
function isOfFew({ contactId, assignedTo, assignedPersonId, teamId, label }: ConversationFilter): boolean {
  return [contactId, assignedTo, assignedPersonId, teamId, label].some(each => each !== undefined);
}

function hasState({ closed, archived }: ConversationFilter): Fragment {
  return sql`closed = any (${valuesOf(closed)}::boolean[]) and archived = any (${valuesOf(archived)}::boolean[])`;
}

function valuesOf(flag: boolean | undefined): readonly string[] {
  return flag === undefined ? ['false', 'true'] : [String(flag)];
}

/*
 * Lists the conversations of a host in pages, the newest message first. A message moves its conversation to the front, which a
 * reader of later pages has already passed. So all pages show the order of the moment when the first one was read: each place
 * keeps that moment's snapshot. A conversation that may have moved since (`moved`) stands where the last message puts it that
 * the snapshot had seen; the others (`unmoved`) are one range of an index. Every conversation that existed then is listed once,
 * whatever is written meanwhile. The filters are evaluated with each page.
 */

/** The place of a conversation in a list that was begun at `begunAt`; in microseconds since 1970, as PostgreSQL keeps times. */
export interface ConversationPlace {
  readonly at: number;
  readonly id: string;
  readonly begunAt: number;
  /** The snapshot of the first page, as PostgreSQL writes it. */
  readonly seen: string;
}

export type ListedConversation = Item & { readonly place: ConversationPlace };
type Item = DataOf<'listConversations'>['items'][number];

const MAX_BEGINNING = 200;
const lastMessage = sql`(
  select json_build_object('messageId', seq::text, 'author', author, 'name', name, 'personId', person_id,
    'content', left(content, ${MAX_BEGINNING}::integer))
  from messages where messages.host_id = conversations.host_id and conversation_id = conversations.id
    and author <> 'system'
  order by seq desc limit 1)`;

const itemColumns = (
  hostId: string,
) => sql`${informationColumns}, coalesce(contact_id::text, '') as contact_id,
    coalesce((select name from contacts where contacts.host_id = ${hostId} and contacts.id = contact_id), '') as contact_name,
    coalesce((select email from contacts where contacts.host_id = ${hostId} and contacts.id = contact_id), '') as contact_email,
    platform, noted_at at time zone 'UTC' as last_note_at,
    (case when ask_human_help then help_asked_at end) at time zone 'UTC' as help_asked_at,
    ${windowEnd} at time zone 'UTC' as window_ends_at,
    unanswered_at is not null as unanswered, ${lastMessage} as last_message`;

/** The place of a conversation among those that wait or are handled; in microseconds since 1970. */
export interface WaitingPlace {
  readonly waitsSince: number;
  readonly id: string;
}

export type WaitingConversation = Item & { readonly place: WaitingPlace };

/** Lists those that wait for a staff member or are handled by one, the earliest request first: their order does not change. */
export async function listWaiting(
  { tx, hostId }: HostScope,
  filter: ConversationFilter,
  { limit, after }: { readonly limit: number; readonly after: WaitingPlace | undefined },
): Promise<WaitingConversation[]> {
  // Conversations of an earlier release do not know when help was requested.
  const since = sql`coalesce(help_asked_at, ${newestAt})`;
  const rows = await rowsOf<Item & { readonly waitsSince: number }>(tx, { isPlannedOnce: false })`
    select ${itemColumns(hostId)}, ${microsecondsOf(since)} as "waitsSince" from conversations
    where ${isAsked(hostId, { ...filter, askHumanHelp: true })} and ${hasState(filter)}
      ${after ? sql`and (${since}, id) > (${momentOf(after.waitsSince)}, ${after.id}::uuid)` : sql``}
    order by ${since}, id limit ${limit}`;
  return rows.map(({ waitsSince, ...item }) => ({ ...item, place: { waitsSince, id: item.id } }));
}

interface List {
  readonly hostId: string;
  readonly filter: ConversationFilter;
  readonly limit: number;
  readonly after: ConversationPlace | undefined;
}

/** No transaction that stores a message takes longer, so the first page saw every message that is older than it by this. */
const LONGEST_WRITE_US = 60_000_000;
/** Messages are in the order of their times, except that a burst sorts its last questions. */
const UNSORTED_MESSAGES = 20;

/** This is the condition of the index `conversations_changed_later`. */
const isChangedLater = sql`updated_at - ${newestAt} > interval '10 minutes'`;
const place = sql`id as listed_id, ${newestAt} as listed_at`;
const newestFirst = sql`order by listed_at desc, listed_id desc`;

export async function listConversations(
  { tx, hostId }: HostScope,
  filter: ConversationFilter,
  { limit, after }: { readonly limit: number; readonly after: ConversationPlace | undefined },
): Promise<ListedConversation[]> {
  const list: List = { hostId, filter, limit, after };
  const rows = await rowsOf<Item & ConversationPlace>(tx, {
    isPlannedOnce: false,
  })`
    with unmoved_conversation as (${unmovedOf(list)}), page as (
      select * from (select * from unmoved_conversation ${changedLaterOf(list)} ${movedOf(list)}) listed_conversation
      ${newestFirst} limit ${limit}
    )
    select ${itemColumns(hostId)}, ${microsecondsOf(sql`listed_at`)} as "at",
      ${microsecondsOf(sql`statement_timestamp()`)} as "begunAt", pg_current_snapshot()::text as "seen"
    from page join conversations on host_id = ${hostId} and id = listed_id
    ${newestFirst}`;
  return rows.map(({ at, begunAt, seen, ...item }) => {
    return { ...item, place: { begunAt, seen, ...after, at, id: item.id } };
  });
}

/** Whether a list that was begun at this time, in microseconds, is older than this many hours, by the clock that set it. */
export async function isListExpired({ tx }: HostScope, begunAt: number, hours: number): Promise<boolean> {
  const [listAge] = await rowsOf<{ isExpired: boolean }>(tx)`
    select ${momentOf(begunAt)} + ${hours} * interval '1 hour' < statement_timestamp() as "isExpired"`;
  return listAge?.isExpired ?? true;
}

function unmovedOf(list: List): Fragment {
  const { hostId, filter, limit } = list;
  const { closed, archived, updatedSince } = filter;
  const rows = sql`select ${place} from conversations where ${isAsked(hostId, filter)} and ${isBelow(list)}`;
  const first = sql`order by ${newestAt} desc, id desc limit ${limit}`;
  if (isOfFew(filter)) return sql`${rows} and ${hasState(filter)} ${first}`;
  const recent = updatedSince ? sql`and ${newestAt} >= ${tenMinutesBefore(updatedSince)}` : sql``;
  // The first rows come from each range of the index, because one range of them all would not be in order.
  return sql`select listed_conversation.* from unnest(${valuesOf(closed)}::boolean[]) is_closed
    cross join unnest(${valuesOf(archived)}::boolean[]) is_archived
    cross join lateral (${rows} and ${isInState(filter)} ${recent} ${first}) listed_conversation
    ${newestFirst} limit ${limit}`;
}

/**
 * With `updatedSince`, also reads conversations whose last message is older. They come after the others, and are read only
 * then. Their count is a column of another query, so that no workers are started for a part that mostly does not run.
 */
function changedLaterOf(list: List): Fragment {
  const { hostId, filter, limit } = list;
  const { updatedSince } = filter;
  if (!updatedSince || isOfFew(filter)) return sql``;
  return sql`union all (select changed_conversation.* from
    (select count(*) as unmoved_count from unmoved_conversation) unmoved_total
    cross join lateral (
      select ${place} from conversations
      where unmoved_count < ${limit} and ${isAsked(hostId, filter)} and ${hasState(filter)} and ${isBelow(list)}
        and ${isChangedLater} and updated_at >= ${updatedSince} and ${newestAt} < ${tenMinutesBefore(updatedSince)}
      ${newestFirst} limit ${limit}
    ) changed_conversation)`;
}

function movedOf(list: List): Fragment {
  const { hostId, filter, limit, after } = list;
  if (!after) return sql``;
  const settled = settledOf(after);
  return sql`union all (select id, sighting.listed_at from conversations cross join lateral (
      select coalesce(max(sent_at), conversations.created_at) as listed_at from (
        select message.created_at as sent_at from messages message
        where message.host_id = conversations.host_id and message.conversation_id = conversations.id and author <> 'system'
          and (message.created_at <= ${settled} or written_in is null
            or pg_visible_in_snapshot(written_in, ${after.seen}::pg_snapshot))
        order by message.seq desc limit ${UNSORTED_MESSAGES}
      ) message
    ) sighting
    where ${isAsked(hostId, filter)} and ${hasState(filter)} and ${newestAt} > ${settled}
      and (sighting.listed_at, id) < (${momentOf(after.at)}, ${after.id}::uuid)
    order by sighting.listed_at desc, id desc limit ${limit})`;
}

/** There is one bound: with two, an index scan would begin at the wrong one. */
function isBelow({ after }: List): Fragment {
  if (!after) return sql`true`;
  if (after.at > after.begunAt - LONGEST_WRITE_US) return sql`${newestAt} <= ${settledOf(after)}`;
  return sql`(${newestAt}, id) < (${momentOf(after.at)}, ${after.id}::uuid)`;
}

/** No conversation with an older last message can have moved since the list was begun. */
function settledOf({ begunAt }: ConversationPlace): Fragment {
  return momentOf(begunAt - LONGEST_WRITE_US);
}

function momentOf(microseconds: number): Fragment {
  return sql`(timestamptz 'epoch' + ${microseconds}::float8 * interval '1 microsecond')`;
}

function tenMinutesBefore(at: Date): Fragment {
  return sql`(${at}::timestamptz - interval '10 minutes')`;
}
