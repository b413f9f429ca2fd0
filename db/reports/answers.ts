import { isAfter, microsecondsOf, type PageOf, type TimeKey } from '../pages.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isWithin, type Period } from './counted-period.ts';

/* Reports read these from the messages themselves: from the newest in the period, which still have their text. */

export interface SampledPeriod extends Period {
  readonly messages: number;
}

const createdAt = sql`created_at`;

const messagesOf = ({ hostId }: HostScope, period: SampledPeriod, author: 'user' | 'assistant') => sql`(
  select * from (
    select conversation_id, author, content, sources, unsupported, created_at from messages
    where host_id = ${hostId} and not rehearsal and ${isWithin(createdAt, period)}
    order by created_at desc limit ${period.messages}
  ) newest_message where author = ${author} and content <> '') message`;

/** A figure that stands in another statement counts as having a source, as it does for `on_unsupported`. */
const isUnsupported = sql`(unsupported is not null and exists (
  select from jsonb_array_elements(unsupported) figure where not coalesce((figure ->> 'elsewhere')::boolean, false)))`;

/** Counts the assistant's answers by whether one of their figures has no source. */
export async function countAnswers(
  scope: HostScope,
  period: SampledPeriod,
): Promise<Record<'supported' | 'unsupported' | 'approved', number>> {
  const [counts] = await rowsOf<Record<'supported' | 'unsupported' | 'approved', number>>(scope.tx, {
    isPlannedOnce: false,
  })`
    select count(*) filter (where not ${isUnsupported})::float8 as supported,
      count(*) filter (where ${isUnsupported})::float8 as unsupported,
      count(*) filter (where jsonb_path_exists(sources, '$[*].approvedAnswerId'))::float8 as approved
    from ${messagesOf(scope, period, 'assistant')}`;
  return counts ?? { supported: 0, unsupported: 0, approved: 0 };
}

/** Lists the newest answers with a figure that has no source, as keys of a list: the id is the conversation's. */
export async function listUnsupportedAnswers(
  scope: HostScope,
  period: SampledPeriod,
  { limit, after }: PageOf<TimeKey>,
): Promise<TimeKey[]> {
  const id = sql`conversation_id`;
  return rowsOf<TimeKey>(scope.tx, { isPlannedOnce: false })`
    select ${id} as id, ${microsecondsOf(createdAt)} as at from ${messagesOf(scope, period, 'assistant')}
    where ${isUnsupported} ${isAfter(createdAt, id, after)}
    order by created_at desc, conversation_id desc limit ${limit}`;
}

export interface SaidByUser {
  readonly conversationId: string;
  readonly content: string;
  readonly at: Date;
}

/** Reads what end users wrote, the newest first, each cut to this many characters. */
export async function readSaidByUsers(
  scope: HostScope,
  period: SampledPeriod,
  characters: number,
): Promise<SaidByUser[]> {
  return rowsOf<SaidByUser>(scope.tx, { isPlannedOnce: false })`
    select conversation_id as "conversationId", left(content, ${characters}) as content, created_at as at
    from ${messagesOf(scope, period, 'user')} order by created_at desc`;
}

/** Returns the ids whose conversation still exists. */
export async function findConversations(
  { tx, hostId }: HostScope,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await rowsOf<{ id: string }>(tx)`
    select id from conversations where host_id = ${hostId} and id = any (${ids}::uuid[])`;
  return new Set(found.map(({ id }) => id));
}
