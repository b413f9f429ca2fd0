import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isWithin, type Period } from './counted-period.ts';

type TeamMember = DataOf<'getTeamStats'>[number];

/**
 * What each staff member did, by the name under which they wrote. Messages between two that are not of the end user are one run: who ends it
 * with an answer took the time since the first of them. Of requests for help only the last of a conversation is stored.
 */
export async function readTeamStats(
  { tx, hostId }: HostScope,
  period: Period,
  limit: number,
): Promise<TeamMember[]> {
  const inPeriod = isWithin(sql`created_at`, period);
  return rowsOf<TeamMember>(tx, { isPlannedOnce: false })`
    with message as (
      select conversation_id, seq, author, coalesce(name, '') as name, created_at, count(*) filter (where author <> 'user')
        over (partition by conversation_id order by seq rows between unbounded preceding and 1 preceding) as run
      from messages where host_id = ${hostId} and not rehearsal and ${inPeriod} and conversation_id in (
        select conversation_id from messages where host_id = ${hostId} and not rehearsal and author = 'human' and ${inPeriod})
    ), run as (
      select conversation_id, max(name) filter (where author = 'human') as name,
        extract(epoch from min(created_at) filter (where author = 'human') - min(created_at) filter (where author = 'user')) as seconds
      from message group by conversation_id, run having bool_or(author = 'human')
    ), first_answer as (
      select distinct on (conversation_id) conversation_id, name, extract(epoch from message.created_at - help_asked_at) as seconds
      from message join conversations on conversations.host_id = ${hostId} and conversations.id = conversation_id
      where author = 'human' and message.created_at >= help_asked_at order by conversation_id, seq
    )
    select member.name, conversations, messages,
      (select percentile_cont(0.5) within group (order by seconds)::float8 from first_answer where name = member.name)
        as "secondsUntilFirstAnswer",
      (select percentile_cont(0.5) within group (order by seconds)::float8 from run where name = member.name) as "secondsUntilAnswer"
    from (
      select name, count(distinct conversation_id)::float8 as conversations, count(*)::float8 as messages
      from message where author = 'human' group by name
    ) member
    order by conversations desc, member.name limit ${limit}`;
}
