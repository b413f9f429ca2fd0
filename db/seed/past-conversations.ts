import type { StoredInsight } from '../conversations/insights-due.ts';
import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A conversation with times in the past, begun or over before it is stored. */
export interface PastConversation {
  readonly id: string;
  readonly contactId: string | null;
  readonly platform: string;
  readonly userName: string;
  readonly wppId: string;
  readonly closed: boolean;
  readonly askHumanHelp: boolean;
  readonly attended: boolean;
  readonly assignedTo: string | null;
  /** The time when a staff member was last asked for. */
  readonly helpAskedAt: Date | null;
  readonly insight: StoredInsight;
  /** Messages in order; never empty. */
  readonly messages: readonly PastMessage[];
}

export interface PastMessage {
  readonly author: 'user' | 'assistant' | 'human';
  readonly name: string | null;
  readonly content: string;
  readonly at: Date;
  /** The question and the answer of a turn have its id; null for a staff member's message. */
  readonly turnId: string | null;
  /** Set if it opens the closed conversation again. */
  readonly reopens: boolean;
  readonly sources: readonly unknown[];
  readonly unsupported: readonly unknown[];
}

/** A message with the fields that the database set. */
export interface StoredPastMessage extends PastMessage {
  readonly conversationId: string;
  readonly seq: string;
}

/**
 * Stores conversations with their turns and messages in the order of time. Reports, outcomes and the search index follow
 * by the triggers of every message.
 */
export async function insertPastConversations(
  scope: HostScope,
  talks: readonly PastConversation[],
): Promise<StoredPastMessage[]> {
  const messages = talks
    .flatMap(({ id, messages, helpAskedAt }) => {
      const first = messages.find(({ author, at }) => author === 'human' && helpAskedAt && at >= helpAskedAt);
      return messages.map(message => ({
        ...message,
        conversationId: id,
        helpAskedAt: message === first ? helpAskedAt : null,
      }));
    })
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  await insertConversations(scope, talks);
  await insertTurns(scope, messages);
  const seqs = await insertMessages(scope, messages);
  // This comes last: each message opens a service or not by what was open before it.
  await rowsOf(scope.tx)`
    update conversations set reopened_at = message.created_at from messages message
    where message.host_id = ${scope.hostId} and message.reopens
      and conversations.host_id = message.host_id and conversations.id = message.conversation_id`;
  return messages.map((message, at) => ({ ...message, seq: seqs[at] ?? '' }));
}

async function insertConversations(
  { tx, hostId }: HostScope,
  talks: readonly PastConversation[],
): Promise<void> {
  const rows = talks.map(({ insight, messages, ...talk }) => ({
    ...talk,
    ...insight,
    createdAt: messages[0]?.at,
    lastMessageAt: messages.at(-1)?.at,
  }));
  await rowsOf(tx)`
    insert into conversations (host_id, id, contact_id, platform, user_name, wpp_id, closed, ask_human_help, attended,
      assigned_to, assigned_person_ids, help_asked_at, created_at, updated_at, last_message_at, dialogue_summary, main_topic, tip,
      heat_score, heat_score_description, heat_adjustment, sentiment_score, sentiment_score_explanation, categories,
      insight_by)
    select ${hostId}, id, "contactId", platform, "userName", "wppId", closed, "askHumanHelp", attended,
      "assignedTo", array(${personOf(hostId, sql`"assignedTo"`)}), "helpAskedAt", "createdAt", "lastMessageAt", "lastMessageAt", "dialogueSummary", "mainTopic", tip,
      "heatScore", "heatScoreDescription", "heatAdjustment", "sentimentScore", "sentimentScoreExplanation", categories,
      by
    from jsonb_to_recordset(${jsonOf(rows)}::jsonb) talk (id uuid, "contactId" uuid, platform text, "userName" text,
      "wppId" text, closed boolean, "askHumanHelp" boolean, attended boolean, "assignedTo" text,
      "helpAskedAt" timestamptz, "createdAt" timestamptz, "lastMessageAt" timestamptz, "dialogueSummary" text,
      "mainTopic" text, tip text, "heatScore" float8, "heatScoreDescription" text, "heatAdjustment" float8,
      "sentimentScore" float8, "sentimentScoreExplanation" text, categories text[], by text)`;
}

/** The only person of this name. */
const personOf = (hostId: string, name: Fragment): Fragment =>
  sql`(select id from people where people.host_id = ${hostId} and people.name = ${name})`;

type MessageOfTalk = PastMessage & {
  readonly conversationId: string;
  /** The time of the request for help that it was the first to answer. */
  readonly helpAskedAt: Date | null;
};

async function insertTurns({ tx, hostId }: HostScope, messages: readonly MessageOfTalk[]): Promise<void> {
  const answers = new Map(
    messages.flatMap(({ author, turnId, at }) => (author === 'assistant' ? [[turnId, at] as const] : [])),
  );
  const rows = messages.flatMap(({ author, turnId, at, content, conversationId }) =>
    author === 'user' && turnId !== null
      ? [{ id: turnId, conversationId, askedAt: at, answeredAt: answers.get(turnId), question: content }]
      : [],
  );
  await rowsOf(tx)`
    insert into turns (host_id, id, conversation_id, state, attempt, arrived_at, deadline, lease_until, question,
      created_at, finished_at)
    select ${hostId}, id, "conversationId", 'answered', 1, "askedAt", "askedAt" + interval '60 seconds',
      coalesce("answeredAt", "askedAt"), question, "askedAt", coalesce("answeredAt", "askedAt")
    from jsonb_to_recordset(${jsonOf(rows)}::jsonb)
      turn (id text, "conversationId" uuid, "askedAt" timestamptz, "answeredAt" timestamptz, question text)`;
}

/** Returns the numbers of the messages, in order. */
async function insertMessages(
  { tx, hostId }: HostScope,
  messages: readonly MessageOfTalk[],
): Promise<string[]> {
  const rows = messages.map((message, nth) => ({ ...message, nth }));
  const inserted = await rowsOf<{ seq: string }>(tx)`
    insert into messages (host_id, conversation_id, turn_id, author, content, name, created_at, reopens,
      help_asked_at, person_id, sources, unsupported)
    select ${hostId}, "conversationId", "turnId", author, content, name, at, reopens, "helpAskedAt",
      ${personOf(hostId, sql`message.name`)}, nullif(sources, '[]'),
      nullif(unsupported, '[]')
    from jsonb_to_recordset(${jsonOf(rows)}::jsonb) message (nth integer, "conversationId" uuid, "turnId" text,
      author text, content text, name text, at timestamptz, reopens boolean, "helpAskedAt" timestamptz, sources jsonb,
      unsupported jsonb)
    order by nth
    returning seq`;
  return inserted.map(({ seq }) => seq).toSorted((a, b) => Number(a) - Number(b));
}

/** Dates the records and contacts of a host by what is known of them. */
export async function dateRecords({ tx, hostId }: HostScope): Promise<void> {
  await rowsOf(tx)`
    update tickets set opened_at = help_asked_at from conversations
    where tickets.host_id = ${hostId} and kind = 'assistant' and conversations.host_id = tickets.host_id
      and conversations.id = tickets.conversation_id and help_asked_at is not null`;
  await rowsOf(tx)`
    update tickets set created_at = opened_at, updated_at = coalesce(solved_at, opened_at) where host_id = ${hostId}`;
  await rowsOf(tx)`
    update leads set created_at = arrived_at, updated_at = arrived_at where host_id = ${hostId}`;
  await rowsOf(tx)`
    update contacts set created_at = first_conversation.since, updated_at = first_conversation.since
    from (
      select contact_id, min(created_at) as since from conversations where host_id = ${hostId} group by 1
    ) first_conversation
    where contacts.host_id = ${hostId} and contacts.id = first_conversation.contact_id`;
}
