import { MIN_TAKE } from '../queue-calls.ts';
import { KEYED_CHANNEL } from '../store.ts';

/*
 * The steps of every job on BullMQ's tables, each for many jobs at once. They leave the rows that BullMQ's own functions
 * leave, so that stall checks, retries, retention and the queue board need not know of them; a test compares the two step
 * by step. The differences:
 *
 * - no events are written: the requesting process is notified by NOTIFY, and nobody reads the rest;
 * - the long body of a job without Idempotency-Key is dropped when it is answered;
 * - a job that is given back keeps its place in the queue;
 * - locks are of the clock of the store, and a job whose lock has expired is recovered by the first stall check: BullMQ's
 *   marks all active jobs before it looks again, and so writes each of them at each check and waits for those being renewed.
 *
 * A queue with delayed jobs, a rate limit or a global concurrency limit is left to BullMQ's functions. As in those, the
 * shared lock holds off the removal of the whole queue. No statement waits for a row while it holds others, and
 * jobs are inserted in the order of their ids, so that concurrent ones never block each other for good.
 */

const START = `
with shared as materialized (
  select pg_advisory_xact_lock_shared(hashtext('bullmq:finalization'), hashtext($1::text))
)`;

/** Wakes idle workers, which listen to this channel of BullMQ. */
const wake = (condition: string) =>
  `select case when exists (${condition}) then pg_notify('bullmq_jobs', $1) end`;

const ADDING = `added as (
  insert into bullmq.job (queue, id, seq, name, state, data, opts, host, share, priority, max_attempts, added_at_ms)
  select $1, id, seq, name, 'waiting', data, $2::jsonb, host, share, priority, ($2::jsonb ->> 'attempts')::integer, added_at_ms
  from shared, new order by id
  on conflict (queue, id) do nothing
  returning id
)
${wake('select from added')}`;

/** $1 queue, $2 options, then arrays: $3 ids, $4 names, $5 data, $6 timestamps. */
export const ADD = `${START}, new as materialized (
  select id, name, data::jsonb, added_at_ms, nextval('bullmq.job_seq') as seq, null as host, null::integer as share, 0 as priority
  from unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) as new (id, name, data, added_at_ms)
), ${ADDING}`;

/**
 * As above; also arrays $7 hosts, $8 shares. Jobs that the queue already has get no priority:
 * each is looked up by itself, because a join that was planned while the table was empty would read all of it.
 */
export const ADD_FAIRLY = `${START}, requests as materialized (
  select row_number() over (order by nth) as place, added.*
  from unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::integer[])
    with ordinality as added (id, name, data, added_at_ms, host, share, nth)
  where (select true from bullmq.job where job.queue = $1 and job.id = added.id) is null
), placed as materialized (
  select placed.* from shared, (
    select array_agg(host order by place) as hosts, array_agg(share order by place) as shares from requests
  ) as batch, bullmq.place_next($1, hosts, shares) as placed
), new as materialized (
  select id, name, data::jsonb, added_at_ms, nextval('bullmq.job_seq') as seq, host, share,
    coalesce(priority, 0) as priority
  from (select * from requests left join placed using (place) order by place) as new
), ${ADDING}`;

/** $1 queue, $2 id, $3 data, $4 host and $5 share (both null: no fair order): a finished job that will run again gets them, and a new priority. */
export const REPLACE_FINISHED = `
update bullmq.job set data = $3::jsonb, priority = case when $4::text is null then priority
  else (select priority from bullmq.place_next($1::text, array[$4::text], array[$5::integer])) end
where queue = $1 and id = $2 and state in ('completed', 'failed')`;

/** How many jobs of `host` may be taken; null: any number. */
const LEFT = `case when host is not null
  then coalesce(($6::jsonb -> 'byHost' ->> host)::integer, ($6::jsonb ->> 'others')::integer) end`;

const names = [
  'id',
  'name',
  'data',
  'opts',
  'progress',
  'stacktrace',
  'return_value',
  'added_at_ms',
  'attempts_made',
  'attempts_started',
  'stalled_count',
  'deferred_failure',
  'priority',
  'delay_ms',
  'host',
  'share',
];
/** BullMQ returns these as text. */
const texts = new Set(['data', 'progress', 'stacktrace', 'return_value']);
const columns = names.map(name => `taken.${name}${texts.has(name) ? '::text' : ''}`);

/**
 * $2 lock of the taken jobs, to which the id of each is added, $3 their number, $4 now, $5 until when they are locked,
 * $6 limits of hosts as JSON (may be null): jobs of hosts at their limit (`HostLimits`) are passed over, and keep their places.
 */
const taking = (wanted: string) => `queue_state as materialized (
  select ${wanted} as wanted,
    coalesce(bool_or(field = 'paused' and value = '1'), false) as is_paused,
    coalesce(bool_or(field <> 'paused'), false)
      or exists (select from bullmq.job where queue = $1 and state = 'delayed') as is_declined
  from bullmq.meta where queue = $1 and field in ('paused', 'concurrency', 'max')
), seen as materialized (
  select is_declined, (
    select count(*) from (
      select from bullmq.job where queue = $1 and state = 'waiting' and not is_paused and not is_declined
      limit 2 * wanted + ${MIN_TAKE}
    ) as waiting
  ) as waiting, wanted
  from queue_state
), next as materialized (
  select id, host, priority, seq from bullmq.job
  where queue = $1 and state = 'waiting' and coalesce(${LEFT}, 1) > 0 order by priority, seq
  limit (select least(wanted, waiting, greatest(${MIN_TAKE}, ceil(waiting / 2.0))) from seen)
  for update skip locked
), numbered as (
  select id, ${LEFT} as left_for_host, row_number() over (partition by host order by priority, seq) as nth from next
), taken as (
  update bullmq.job set state = 'active', lock_token = $2::text || ':' || job.id, locked_until_ms = $5::bigint,
    processed_at_ms = $4::bigint, processed_by = null, attempts_started = attempts_started + 1
  from numbered where job.queue = $1 and job.id = numbered.id and nth <= coalesce(left_for_host, nth)
  returning job.*
)`;

const TAKEN = `seen.is_declined, seen.waiting, ${columns.join(', ')}`;

/** Returns at least one row; its `id` is null if there is no job. */
export const TAKE = `with ${taking('$3::integer')}
select ${TAKEN} from seen left join taken on true order by priority, seq`;

/** Payloads of NOTIFY must be shorter than 8,000 bytes; the rest is for the names of queue and job. */
const MAX_NOTIFIED_BYTES = 7_800;

/** A longer name is no channel of ours, and would fail the statement for all jobs. */
const MAX_REQUESTER_BYTES = 40;

/** Sends the queue, the id of the job and its reply to the requesting process, which listens in `backend.ts`. */
const notify = (requester: string, id: string, reply: string) => `
  case when octet_length(${requester}) <= ${MAX_REQUESTER_BYTES} then pg_notify('parley_' || ${requester}, $1::text || ' ' || ${id} || case
    when ${requester} = '${KEYED_CHANNEL}' or octet_length(${reply}) > ${MAX_NOTIFIED_BYTES} then '' else ${reply} end)::text end`;

/** $1 queue, $2 requester, $3 id, $4 reply, which may be empty. */
export const NOTIFY_END = `select ${notify('$2::text', '$3::text', '$4::text')}`;

/** $1 queue, then arrays: $2 requesters, $3 messages about running jobs. */
export const SEND = `select pg_notify('parley_' || requester, $1::text || ' ' || message)
from unnest($2::text[], $3::text[]) with ordinality as sent (requester, message, position)
where octet_length(requester) <= ${MAX_REQUESTER_BYTES} and octet_length(message) <= ${MAX_NOTIFIED_BYTES}
order by position`;

/**
 * $2 event, $3 its fields. Writers take turns, so that events become visible in the order of their ids: a listener reads on from the
 * last id, and would never see an earlier one that is committed later. While one commits, BullMQ's function wakes nobody for the next.
 */
export const PUBLISH = `
with turn as materialized (
  select pg_advisory_xact_lock(hashtext('parley:events'), hashtext($1::text))
)
select bullmq.publish_event($1, $2, $3::jsonb) as id, pg_notify('bullmq_events', $1) from turn`;

/**
 * $7 retention in milliseconds, then arrays: $8 ids, $9 locks, $10 replies, $11 requesters, $12 data that replace the data of the
 * jobs (may be empty). A job whose row somebody else has locked is not completed: BullMQ's own function waits for it.
 */
export const FINISH = `${START}, ended as materialized (
  select ended.* from shared, unnest($8::text[], $9::text[], $10::text[], $11::text[], $12::text[])
    with ordinality as ended (id, lock, reply, requester, data, position)
), held as materialized (
  select ended.*, job.state = 'active' as is_active
  from ended join bullmq.job on job.queue = $1 and job.id = ended.id where job.lock_token = ended.lock
  for update of job skip locked
), completed as (
  update bullmq.job set state = 'completed', return_value = held.reply::jsonb, finished_at_ms = $4::bigint,
    lock_token = null, locked_until_ms = null, attempts_made = attempts_made + 1,
    data = case when held.data = '' then job.data else held.data::jsonb end
  from held where job.queue = $1 and job.id = held.id and held.is_active
  returning held.position
), old as materialized (
  select id from bullmq.job
  where queue = $1 and state = 'completed' and finished_at_ms <= $4::bigint - $7::bigint
  limit 1000 for update skip locked
), removed as (
  delete from bullmq.job using old where job.queue = $1 and job.id = old.id
), notified as materialized (
  select array_agg(completed.position is not null order by ended.position) as completed,
    count(case when completed.position is not null then ${notify('requester', 'id', 'reply')} end)
  from ended left join completed on completed.position = ended.position
), ${taking('least($3::integer, (select count(*) from completed))')}
select notified.completed, ${TAKEN} from notified, seen left join taken on true order by priority, seq`;

/** $1 queue, then arrays: $2 ids, $3 locks. */
export const GIVE_BACK = `
with held as materialized (
  select job.id from unnest($2::text[], $3::text[]) as lock_of_job (id, lock) join bullmq.job on job.queue = $1 and job.id = lock_of_job.id
  where job.state = 'active' and job.lock_token = lock_of_job.lock
  for update of job skip locked
), returned_job as (
  update bullmq.job set state = 'waiting', lock_token = null, locked_until_ms = null
  from held where job.queue = $1 and job.id = held.id
  returning job.id
)
${wake('select from returned_job')}`;

/** $1 queue, then arrays: $2 ids, $3 locks; $4 until when they are locked. Returns those that have another lock, or run no more. */
export const RENEW_LOCKS = `
with lock_of_job as materialized (
  select claim.id, claim.lock, job.id is not null as is_held from unnest($2::text[], $3::text[]) as claim (id, lock)
  left join bullmq.job on job.queue = $1 and job.id = claim.id and job.state = 'active' and job.lock_token = claim.lock
), free_job as materialized (
  select job.id from lock_of_job join bullmq.job on job.queue = $1 and job.id = lock_of_job.id
  where job.state = 'active' and job.lock_token = lock_of_job.lock
  -- One that is locked is being ended.
  for update of job skip locked
), renewed as (
  update bullmq.job set locked_until_ms = $4::bigint from free_job where job.queue = $1 and job.id = free_job.id
)
select id from lock_of_job where not is_held`;

/** $1 queues, $2 now, $3 how often a job may stall. */
export const RECOVER_STALLED = `
with stalled as materialized (
  select queue, id from bullmq.job where queue = any ($1::text[]) and state = 'active' and locked_until_ms < $2::bigint
  limit 1000 for update skip locked
), recovered as (
  update bullmq.job set state = 'waiting', lock_token = null, locked_until_ms = null, stalled_marked = false,
    stalled_count = stalled_count + 1, seq = nextval('bullmq.job_seq'),
    deferred_failure = case when stalled_count + 1 > $3::integer
      then 'job stalled more than allowable limit' else deferred_failure end
  from stalled where job.queue = stalled.queue and job.id = stalled.id
  returning job.queue, job.id
), woken as materialized (
  select pg_notify('bullmq_jobs', queue) from (select distinct queue from recovered) queues
)
select recovered.queue, recovered.id from recovered, (select count(*) from woken) told`;
