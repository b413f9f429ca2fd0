import { type PagedRow, type PageOf, readRowsThatFit } from '../pages.ts';
import { returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { digestOf } from './channel-messages.ts';
import { feedbackOf } from './feedback.ts';
import { filesByMessage, type ListedFile } from './files.ts';

type Author = 'user' | 'assistant' | 'human' | 'system';

export interface Message {
  /** Increases within a conversation. */
  readonly seq: string;
  readonly author: Author;
  readonly content: string;
  readonly name: string | null;
  readonly createdAt: Date;
}

export interface HistoryMessage extends Message {
  readonly turnId: string | null;
  /** Set for a question without an answer: of a running or waiting turn, or of one that ended without. */
  readonly unanswered: boolean;
  readonly isRehearsal: boolean;
  /** Figures of an answer that had no source when it was given. */
  readonly unsupported: readonly { readonly from: number; readonly to: number }[] | null;
}

export interface NewMessage {
  readonly conversationId: string;
  /** Each author writes at most one message in a turn. */
  readonly turnId?: string;
  readonly author: Author;
  readonly content: string;
  readonly name?: string | undefined;
  /** The actor; stored if it is a person of the host. */
  readonly actorId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly isRehearsal?: boolean;
  /** Of staff: typed on the phone of the channel. It takes the conversation over, under this name where nobody attends. */
  readonly fromChannel?: { readonly attendant: string };
  readonly externalId?: string | undefined;
}

/** Sums over the rows of `newest_message`. The length of a large text is stored beside it, so no text is read for this. */
const bytesOfNewer = sql`coalesce(sum(bytes) over (
    order by seq desc rows between unbounded preceding and 1 preceding), 0) as bytes_of_newer`;

const columns = sql`message.seq, message.author, message.content, message.name, message.created_at as "createdAt"`;

/** Whether a message is a word of staff that takes the conversation over: the one road, from the console and from the phone. */
const silences = sql`(author = 'human' and (ask_human_help or from_channel))`;

/**
 * Returns undefined if the conversation is missing, or the author has already written in this turn. A user's message reopens a
 * closed conversation; earlier messages are then no longer context.
 */
export async function appendMessage(
  { tx, hostId }: HostScope,
  message: NewMessage,
): Promise<Message | undefined> {
  const { conversationId, turnId, author, content, name, actorId, eventId, isRehearsal = false } = message;
  const { fromChannel, externalId } = message;
  return rowOf<Message>(tx)`
    with conversation as (
      select host_id, id, closed and ${author} = 'user' as reopens,
        case when ${author} = 'human' and ask_human_help and not attended then help_asked_at end as answered_request
      from conversations
      where host_id = ${hostId} and id = ${conversationId} for no key update
    ), message as (
      insert into messages (host_id, conversation_id, turn_id, author, content, name, reopens, rehearsal, event_id,
        help_asked_at, from_channel, external_ids, person_id)
      select host_id, id, ${turnId ?? null}, ${author}, ${content}, ${name ?? null}, reopens, ${isRehearsal},
        ${eventId ?? null}::uuid, answered_request, ${fromChannel !== undefined},
        case when ${externalId ?? null}::text is not null then array[${digestOf(externalId ?? null)}] end,
        (select id from people where host_id = ${hostId} and id = ${actorId ?? null}::uuid)
      from conversation
      on conflict (host_id, turn_id, author) do nothing
      returning *
    ), updated_conversation as (
      update conversations set last_message_at = message.created_at, updated_at = now(),
        ask_human_help = ask_human_help or from_channel, attended = attended or ${silences},
        staff_seq = case when ${silences} then message.seq else staff_seq end,
        assigned_to = coalesce(assigned_to, ${fromChannel?.attendant ?? null}),
        idle_due_at = null, untaken_since = case when author <> 'human' then untaken_since end, unanswered_at = case when author = 'user' then unanswered_at end,
        person_wrote_at = case when author = 'user' then message.created_at else person_wrote_at end,
        closed = closed and not (reopens or from_channel),
        reopened_at = case when reopens then message.created_at else reopened_at end
      from message where conversations.host_id = message.host_id and conversations.id = message.conversation_id
    )
    select ${columns} from message`;
}

/** Limits the history to the newest messages, until one of the limits is reached. */
export interface HistoryLimits {
  readonly messages: number;
  /** The message that exceeds this is still read. */
  readonly bytes: number;
}

/** Reads the last messages since the conversation was last reopened, oldest first; without those whose text retention erased. */
export async function readHistory(
  { tx, hostId }: HostScope,
  conversationId: string,
  limits: HistoryLimits,
): Promise<HistoryMessage[]> {
  const newestFirst = await rowsOf<HistoryMessage>(tx)`
    with newest_message as (
      select message.host_id, message.seq, message.turn_id, message.author, message.content, message.name,
        message.created_at, message.rehearsal, message.unsupported, octet_length(message.content) as bytes
      from conversations conversation
      join messages message
        on message.host_id = conversation.host_id and message.conversation_id = conversation.id
      where conversation.host_id = ${hostId} and conversation.id = ${conversationId}
        and message.created_at >= coalesce(conversation.reopened_at, '-infinity') and message.content <> ''
      order by message.seq desc
      limit ${limits.messages}
    ), measured_message as (select *, ${bytesOfNewer} from newest_message)
    select ${columns}, message.turn_id as "turnId", message.rehearsal as "isRehearsal",
      message.unsupported,
      message.author = 'user' and coalesce(turn.state <> 'answered', false)
        and answering_turn.state is distinct from 'answered' as unanswered
    from measured_message message
    left join turns turn
      on turn.host_id = message.host_id and turn.id = message.turn_id and message.author = 'user'
    left join turns answering_turn
      on answering_turn.host_id = turn.host_id and answering_turn.id = turn.answered_with
    where bytes_of_newer < ${limits.bytes}
    order by message.seq desc`;
  return newestFirst.toReversed();
}

/** Reads the messages of the end user, oldest first. */
export async function readUserTexts(
  { tx, hostId }: HostScope,
  conversationId: string,
  limits: HistoryLimits,
): Promise<string[]> {
  const newestFirst = await rowsOf<{ content: string }>(tx)`
    with newest_message as (
      select host_id, seq, octet_length(content) as bytes from messages
      where host_id = ${hostId} and conversation_id = ${conversationId} and author = 'user' and content <> ''
      order by seq desc
      limit ${limits.messages}
    ), measured_message as (select *, ${bytesOfNewer} from newest_message)
    select content from measured_message join messages using (host_id, seq)
    where bytes_of_newer < ${limits.bytes}
    order by seq desc`;
  return newestFirst.map(({ content }) => content).toReversed();
}

type NewNote = Pick<NewMessage, 'conversationId' | 'content' | 'name' | 'actorId'>;

/** Stores the note under the lock of its conversation, like a message; returns false if the conversation is missing. */
export async function addNote(
  { tx, hostId }: HostScope,
  { conversationId, content, name, actorId }: NewNote,
): Promise<boolean> {
  return returnsRow(tx)`
    with conversation as (
      select host_id, id from conversations where host_id = ${hostId} and id = ${conversationId} for no key update
    ), note as (
      insert into notes (host_id, seq, conversation_id, content, name, person_id)
      select host_id, next_message_seq(), id, ${content}, ${name ?? null},
        (select id from people where host_id = ${hostId} and id = ${actorId ?? null}::uuid)
      from conversation
      returning host_id, conversation_id, created_at
    )
    update conversations set noted_at = note.created_at, updated_at = now()
    from note where conversations.host_id = note.host_id and conversations.id = note.conversation_id
    returning id`;
}

export interface ListedMessage {
  /** Increases within a conversation. */
  readonly seq: string;
  /** A `note` is written by a staff member for the others. */
  readonly author: Author | 'note';
  readonly name: string | null;
  readonly personId: string | null;
  readonly content: string;
  readonly createdAt: Date;
  readonly turnId: string | null;
  /** Codes of an answer that were sent as payments. */
  readonly payments: readonly string[] | null;
  /** Sources of an answer, as its turn returned them; null for none. */
  readonly sources: readonly unknown[] | null;
  readonly unsupported: readonly unknown[] | null;
  /** To an answer; null for none. */
  readonly feedback: readonly unknown[] | null;
  readonly fromChannel: boolean;
  /** Null for none. */
  readonly attachments: readonly ListedFile[] | null;
  /** The state of its event; null for none. */
  readonly delivery: 'pending' | 'delivered' | 'failed' | null;
  /** Null before a failure, and if no attempt is planned. */
  readonly nextAttemptAt: string | null;
}

/** Considers all webhooks that want the event; one that has got it is enough. A webhook's pause comes before its due attempts. */
const told = sql`(
  select case when bool_or(state = 'delivered') then 'delivered' when bool_or(state = 'pending') then 'pending'
      when count(*) > 0 then 'failed' end as delivery,
    case when not bool_or(state = 'delivered') then min(greatest(due_at, paused_until))
      filter (where state = 'pending' and (attempts > 0 or paused_until > now())) end at time zone 'UTC' as next_attempt_at
  from deliveries left join webhook_lanes lane
    on lane.host_id = deliveries.host_id and lane.webhook_id = deliveries.webhook_id
  where deliveries.host_id = messages.host_id and event_id = messages.event_id)`;

/**
 * Lists the messages of a conversation, oldest first, including notes if asked for. Each is stored under the lock of its
 * conversation, so none appears before one that was already read.
 */
export async function listMessages(
  { tx, hostId }: HostScope,
  conversationId: string,
  { limit, after, withNotes }: PageOf<Pick<ListedMessage, 'seq'>> & { readonly withNotes: boolean },
): Promise<(ListedMessage & PagedRow)[]> {
  const isOnPage = sql`host_id = ${hostId} and conversation_id = ${conversationId}
    ${after ? sql`and seq > ${after.seq}::bigint` : sql``}`;
  const notes = sql`union all
    select seq, null, 'note', name, person_id, content, null, null, null, null::json, false, null, null, null, created_at from notes where ${isOnPage}`;
  return readRowsThatFit<ListedMessage>(
    tx,
    sql`select seq, turn_id as "turnId", author, name, person_id as "personId", content, payments, sources, unsupported,
        case author when 'assistant' then ${feedbackOf(hostId, sql`messages.turn_id`)} end as feedback, from_channel as "fromChannel", attachments, delivery, next_attempt_at as "nextAttemptAt", created_at as "createdAt"
      from messages left join ${filesByMessage(hostId, conversationId)} file
        on message_key = case author when 'human' then seq::text when 'user' then turn_id end
      left join lateral ${told} told on event_id is not null
      where ${isOnPage}
      ${withNotes ? notes : sql``}
      order by seq limit ${limit}`,
    sql`seq`,
  );
}
