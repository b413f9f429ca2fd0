import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isWithin, type Period } from './counted-period.ts';

type TeamMember = DataOf<'getTeamStats'>[number];

/**
 * Reads what each staff member did, by the name under which they wrote, from their newest messages in the period. Only messages
 * right before these are read of other authors: an answer to several messages in a row took the time since the first of them.
 * For requests for help, only a conversation's last is stored.
 */
export async function readTeamStats(
  { tx, hostId }: HostScope,
  period: Period,
  { members, messages }: { readonly members: number; readonly messages: number },
): Promise<TeamMember[]> {
  const before = sql`from messages message where message.host_id = ${hostId}
    and message.conversation_id = staff_message.conversation_id and message.seq < staff_message.seq`;
  const median = sql`percentile_cont(0.5) within group (order by seconds)::float8`;
  return rowsOf<TeamMember>(tx, { isPlannedOnce: false })`
    with staff_message as (
      select conversation_id, seq, coalesce(name, '') as name, created_at from messages
      where host_id = ${hostId} and author = 'human' and not rehearsal and ${isWithin(sql`created_at`, period)}
      order by created_at desc limit ${messages}
    ), answer as (
      select name, ${median} as median from (
        select staff_message.name, extract(epoch from staff_message.created_at - waiting.created_at) as seconds
        from staff_message
        left join lateral (select seq ${before} and author <> 'user' order by seq desc limit 1) earlier on true
        cross join lateral (
          select created_at ${before} and seq > coalesce(earlier.seq, 0) order by seq limit 1
        ) waiting
      ) wait group by name
    ), first_answer as (
      select name, ${median} as median from (
        select distinct on (conversation_id) staff_message.*, help_asked_at,
          extract(epoch from staff_message.created_at - help_asked_at) as seconds
        from staff_message
        -- Offsets keep the planner from reading all that the host has.
        cross join lateral (
          select help_asked_at from conversations where host_id = ${hostId} and id = conversation_id offset 0
        ) request
        where staff_message.created_at >= help_asked_at order by conversation_id, seq
      ) staff_message
      where not exists (select ${before} and author = 'human' and created_at >= help_asked_at offset 0)
      group by name
    )
    select member.name, conversations, messages, first_answer.median as "secondsUntilFirstAnswer",
      answer.median as "secondsUntilAnswer"
    from (
      select name, count(distinct conversation_id)::float8 as conversations, count(*)::float8 as messages
      from staff_message group by name
    ) member
    left join first_answer using (name)
    left join answer using (name)
    order by conversations desc, member.name limit ${members}`;
}
