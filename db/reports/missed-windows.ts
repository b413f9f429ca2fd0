import { microsecondsOf, type TimeKey } from '../pages.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isWithin, type Period } from './counted-period.ts';

interface Looked extends Period {
  /** The longest window that a host may have. */
  readonly maxHours: number;
  /** The number of questions, the newest, that are read. */
  readonly messages: number;
}

/**
 * Reads in which conversations a window of the channel ended in the period while the person waited: nobody had written since
 * their last message, and nobody had closed the conversation. The newest end of each, the newest first. When a conversation
 * was closed is known only of the last closing that ended a request for help: any other counts as in time.
 */
export async function readMissedWindows(
  { tx, hostId }: HostScope,
  { messages, maxHours, ...period }: Looked,
): Promise<TimeKey[]> {
  const endsAt = sql`question.created_at + hours`;
  const asked = { start: period.start - maxHours * 3_600_000, end: period.end };
  return rowsOf<TimeKey>(tx, { isPlannedOnce: false })`
    select conversation.id, ${microsecondsOf(sql`max(${endsAt})`)} as at
    from hosts cross join lateral (
      select key as platform, value::integer * interval '1 hour' as hours from jsonb_each_text(window_hours)
    ) channel
    join conversations conversation on conversation.host_id = hosts.id and conversation.platform = channel.platform
    join (
      select conversation_id, seq, created_at from messages
      where host_id = ${hostId} and author = 'user' and not rehearsal and ${isWithin(sql`created_at`, asked)}
      order by created_at desc limit ${messages}
    ) question on question.conversation_id = conversation.id
    left join lateral (
      select created_at, reopens from messages
      where host_id = hosts.id and conversation_id = question.conversation_id and seq > question.seq
        and author <> 'system' and not rehearsal
      order by seq limit 1
    ) next on true
    where hosts.id = ${hostId} and ${isWithin(endsAt, period)} and ${endsAt} <= now()
      and case when next.created_at is null then not closed or help_closed_at > ${endsAt}
        else next.created_at > ${endsAt} and not next.reopens end
    group by conversation.id order by at desc, id desc`;
}
