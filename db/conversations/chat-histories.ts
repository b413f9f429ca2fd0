import { createHash } from 'node:crypto';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * A chat request of OpenAI's form that names neither its user nor a conversation is recognized by its dialogue. A turn of such
 * a request stores two digests: of the dialogue up to its question, and of that with its answer. The request belongs to the
 * conversation whose last answer ends its dialogue, unless another conversation ever had the same dialogue: two people whose
 * dialogues begin alike never share one. A stream is read before its answer is stored, and may break off. So a streamed turn
 * stores the first digest with its claim, which matches any answer until the second is stored.
 */

export interface ChatHistory {
  /** The digest of the dialogue up to the last question, in hexadecimal like all of them. */
  readonly asked: string;
  /** Digests of the dialogue with the answer; several, if a client may have stored more than the answer itself. */
  readonly answered: readonly string[];
}

/** The digest ignores white space around an answer, which a client may cut. */
export function digestAnswer(asked: string, answer: string): string {
  return createHash('sha256').update(`${asked}\n${answer.trim()}`).digest('hex');
}

export async function findConversationOfTurn(
  { tx, hostId }: HostScope,
  turnId: string,
): Promise<string | undefined> {
  const [turn] = await rowsOf<{ id: string }>(tx)`
    select conversation_id as id from turns where host_id = ${hostId} and id = ${turnId}`;
  return turn?.id;
}

/** Finds the conversation whose latest history this is, if no other conversation ever had it. */
export async function findConversationOfHistory(
  { tx, hostId }: HostScope,
  history: ChatHistory,
): Promise<string | undefined> {
  const isAsked = sql`host_id = ${hostId} and chat_asked = decode(${history.asked}, 'hex')`;
  // An array instead of an `or` makes each condition one range of the index, however many dialogues begin alike.
  const isAnswered = sql`chat_answered = any (array(
    select decode(digest, 'hex') from unnest(${history.answered}::text[]) digest))`;
  const isOther = sql`${isAsked} and conversation_id <> candidate.id`;
  const [conversation] = await rowsOf<{ id: string }>(tx)`
    with candidate as materialized (
      select conversation_id as id from turns where ${isAsked} and ${isAnswered} limit 1
    )
    select id from candidate
    where not exists (select from turns where ${isOther} and ${isAnswered})
      and not exists (select from turns where ${isOther} and chat_answered is null)
      and exists (
        select from (
          select host_id, chat_asked, chat_answered from turns
          where host_id = ${hostId} and conversation_id = candidate.id and state = 'answered'
          order by finished_at desc, id desc limit 1
        ) last_turn where ${isAsked} and ${isAnswered})`;
  return conversation?.id;
}

/** Must be called before the first words of a streamed answer are sent. */
export async function noteChatAsked({ tx, hostId }: HostScope, turnId: string, asked: string): Promise<void> {
  await rowsOf(tx)`
    update turns set chat_asked = decode(${asked}, 'hex') where host_id = ${hostId} and id = ${turnId}`;
}

/** Returns the columns that an answered turn stores; empty for a turn of another kind. */
export function setChatHistory(asked: string | undefined, answer: string): Fragment {
  if (asked === undefined) return sql``;
  return sql`, chat_asked = decode(${asked}, 'hex'), chat_answered = decode(${digestAnswer(asked, answer)}, 'hex')`;
}
