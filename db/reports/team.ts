import type { DataOf } from '../../queues/contract/operations/index.ts';
import { REHEARSAL_PLATFORM } from '../conversations/conversations.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isWithin, type Period } from './counted-period.ts';

type TeamMember = DataOf<'getTeamStats'>[number];

/**
 * Reads what each staff member did, from their newest messages in the period: by person, or by the name under which they wrote
 * where no person is stored. Only messages right before these are read of other authors: an answer to several messages in a
 * row took the time since the first of them.
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
      select conversation_id, seq, person_id, coalesce(name, '') as written_name, created_at,
        case when person_id is null then coalesce(name, '') end as name, extract(epoch from created_at - help_asked_at) as seconds
      from messages
      where host_id = ${hostId} and author = 'human' and not rehearsal and ${isWithin(sql`created_at`, period)}
      order by created_at desc limit ${messages}
    ), answer as (
      select person_id, name, ${median} as median from (
        select person_id, name, extract(epoch from staff_message.created_at - waiting.created_at) as seconds
        from staff_message
        left join lateral (select seq ${before} and author <> 'user' order by seq desc limit 1) earlier on true
        cross join lateral (
          select created_at ${before} and seq > coalesce(earlier.seq, 0) order by seq limit 1
        ) waiting
      ) wait group by 1, 2
    ), member as (
      select person_id, name, count(distinct conversation_id)::float8 as conversations, count(*)::float8 as messages,
        max(written_name) as written_name, ${median} as first_median
      from staff_message group by 1, 2
    )
    select member.person_id as "personId", coalesce(person.name, written_name) as name, coalesce(email, '') as email,
      conversations, messages, first_median as "secondsUntilFirstAnswer", answer.median as "secondsUntilAnswer"
    from member
    left join people person on person.host_id = ${hostId} and person.id = member.person_id
    left join answer on (answer.person_id, answer.name) is not distinct from (member.person_id, member.name)
    order by conversations desc, 2, 3 limit ${members}`;
}

type AttendanceStats = DataOf<'getAttendanceStats'>;

/** Counts conversations by team, reason of closing and label, the first `rows` of each. */
export async function readAttendanceStats(
  { tx, hostId }: HostScope,
  period: Period,
  rows: number,
): Promise<AttendanceStats> {
  const ofStaff = sql`host_id = ${hostId} and platform <> ${REHEARSAL_PLATFORM}`;
  const newestAt = sql`(case when last_message_at is null then created_at else last_message_at end)`;
  const [stats] = await rowsOf<AttendanceStats>(tx, { isPlannedOnce: false })`
    with request as (
      select team_id, closed, ask_human_help, extract(epoch from answer.at - help_asked_at)::float8 as seconds
      from conversations left join lateral (
        select min(created_at) as at from messages
        where messages.host_id = ${hostId} and conversation_id = conversations.id and author = 'human'
          and messages.created_at >= conversations.help_asked_at
      ) answer on true
      where ${ofStaff} and ${isWithin(sql`help_asked_at`, period)}
    ), team as (
      select team_id as "teamId",
        coalesce((select name from teams where teams.host_id = ${hostId} and teams.id = team_id), '') as name,
        count(*)::float8 as conversations, count(seconds)::float8 as answered,
        (count(*) filter (where seconds is null and ask_human_help and not closed))::float8 as waiting,
        (count(*) filter (where closed))::float8 as closed,
        percentile_cont(0.5) within group (order by seconds)::float8 as "secondsUntilFirstAnswer"
      from request group by team_id order by conversations desc, name limit ${rows}
    ), closing as (
      select close_reason as reason, count(*)::float8 as conversations from conversations
      where ${ofStaff} and close_reason is not null and ${isWithin(sql`closed_at`, period)}
      group by 1 order by 2 desc, 1 limit ${rows}
    ), labelling as (
      select label, count(*)::float8 as conversations from conversations cross join lateral unnest(labels) label
      where ${ofStaff} and labels <> '{}' and ${isWithin(newestAt, period)}
      group by 1 order by 2 desc, 1 limit ${rows}
    )
    select (select coalesce(json_agg(team), '[]') from team) as teams,
      (select coalesce(json_agg(closing), '[]') from closing) as "closeReasons",
      (select coalesce(json_agg(labelling), '[]') from labelling) as labels`;
  if (!stats) throw new Error('The counts of attendance returned no row.');
  return stats;
}
