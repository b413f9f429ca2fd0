import { createHash } from 'node:crypto';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * A chat request of OpenAI's form that names neither its user nor a conversation is recognized by its dialogue. Each answer to
 * such a request leaves the digest of the dialogue up to it at its conversation, and any other answer takes the digest away: so it
 * is what the conversation's history is now, and a question without an answer changes nothing. A request belongs to the newest
 * conversation, active within a day, whose history it carries; `follow_chat` in functions/turns.sql decides that with the claim of
 * the turn, so of two people who have had the same dialogue so far each goes on with one of its own.
 */

/** The digest, in hexadecimal, ignores white space around an answer, which a client may cut. */
export function digestAnswer(asked: string, answer: string): string {
  return createHash('sha256')
    .update(`${asked}\n${answer.trim().normalize('NFC')}`)
    .digest('hex');
}

/** Finds the conversation that a request with one of these histories will most likely go on with. */
export async function findConversationOfHistory(
  { tx, hostId }: HostScope,
  histories: readonly string[],
): Promise<string | undefined> {
  const [conversation] = await rowsOf<{ id: string }>(tx)`
    select id from free_chats(${hostId}, ${digestsOf(histories)}) id limit 1`;
  return conversation?.id;
}

/** Locks and returns the conversation that the turn goes on with; undefined: none. */
export async function followChat(
  { tx, hostId }: HostScope,
  turnId: string,
  histories: readonly string[],
): Promise<string | undefined> {
  const [chat] = await rowsOf<{ id: string | null }>(tx)`
    select follow_chat(${hostId}, ${turnId}, ${digestsOf(histories)}) as id`;
  return chat?.id ?? undefined;
}

/** The history of the conversation after an answer; null after one to a turn of another kind. */
export function historyAfter(asked: string | undefined, answer: string): Fragment {
  return asked === undefined ? sql`null` : sql`decode(${digestAnswer(asked, answer)}, 'hex')`;
}

function digestsOf(histories: readonly string[]): Fragment {
  return sql`array(select decode(digest, 'hex') from unnest(${histories}::text[]) with ordinality as given (digest, at) order by at)`;
}
