import { LOWER_ABOVE, MAX_PRIORITY, STEP } from '../fair-order.ts';

/*
 * See `../fair-order.ts`. The table has the finish of each host, and the virtual time as the finish of ''. It lies beside BullMQ's
 * tables, in their schema.
 */

/**
 * `place_next` takes an advisory lock for each queue, until its transaction ends. The priorities of jobs are lowered only if
 * nobody holds one of these rows, because the stall check locks them in another order; otherwise the next add retries.
 * It returns the position of each job in the arrays, which is named `place`: processes of other versions read it.
 */
export const FAIR_ORDER_SCHEMA = `
  create table if not exists bullmq.fair_order (
    queue text, host text, finish double precision not null, primary key (queue, host)
  );
  alter table bullmq.job add column if not exists host text, add column if not exists share integer;
  create index if not exists waiting_of_host_idx on bullmq.job (host, queue, added_at_ms)
    where state = 'waiting' and host is not null;
  drop index if exists bullmq.job_hosts_idx;

  create or replace function bullmq.lower_priorities(of_queue text, lowered_by integer) returns void
  language plpgsql as $$
  begin
    perform 1 from bullmq.job where queue = of_queue and state in ('waiting', 'active') and priority > 0 for update nowait;
    update bullmq.job set priority = greatest(priority - lowered_by, 1)
      where queue = of_queue and state in ('waiting', 'active') and priority > 0;
    update bullmq.fair_order set finish = finish - lowered_by where queue = of_queue;
  exception when lock_not_available then
    null;
  end $$;

  create or replace function bullmq.read_virtual_time(of_queue text) returns double precision
  language plpgsql as $$ begin
    return greatest(1, (select finish from bullmq.fair_order where queue = of_queue and host = ''), coalesce(
      (select priority from bullmq.job where queue = of_queue and state = 'waiting' and priority > 0
        order by priority, seq limit 1),
      (select max(finish) from bullmq.fair_order where queue = of_queue)) - ${STEP});
  end $$;

  create or replace function bullmq.place_next(of_queue text, hosts text[], shares integer[])
  returns table (place bigint, priority integer) language plpgsql as $$
  declare
    virtual_time double precision;
  begin
    perform pg_advisory_xact_lock(hashtext('parley:fair-order'), hashtext(of_queue));
    virtual_time := bullmq.read_virtual_time(of_queue);
    if virtual_time > ${LOWER_ABOVE} then
      perform bullmq.lower_priorities(of_queue, floor(virtual_time)::integer - 1);
      virtual_time := bullmq.read_virtual_time(of_queue);
    end if;
    delete from bullmq.fair_order where queue = of_queue and finish <= virtual_time and host <> '';
    insert into bullmq.fair_order as known values (of_queue, '', virtual_time)
      on conflict (queue, host) do update set finish = excluded.finish where known.finish <> excluded.finish;
    return query
      with requests as (
        select added.host, added.at, ${STEP} / added.share::double precision as step,
          row_number() over (partition by added.host order by added.at) as nth
        from unnest(hosts, shares) with ordinality as added (host, share, at)
        where added.host is not null
      ), placed as (
        select requests.*, coalesce(known.finish, virtual_time) + (nth - 1) * step as start
        from requests left join bullmq.fair_order as known on known.queue = of_queue and known.host = requests.host
      ), finished as (
        insert into bullmq.fair_order select of_queue, host, max(start + step) from placed group by host
        on conflict (queue, host) do update set finish = excluded.finish
      )
      select placed.at, least(floor(start), ${MAX_PRIORITY})::integer from placed order by placed.at;
  end $$;
`;

/**
 * Reads, for each host with waiting jobs, their number, when the oldest was added, and how many jobs of the queue go before its
 * next one.
 */
export const HOST_BACKLOGS = `
with hosts as materialized (
  select host, floor(finish) as next from bullmq.fair_order where queue = $1 and host <> ''
), priorities as (
  select null as host, priority from bullmq.job where queue = $1 and state = 'waiting'
  union all select host, next from hosts
), counted as (
  select host, count(*) filter (where host is null) over (order by priority) as ahead from priorities
)
select host, ahead, depth, oldest from counted cross join lateral (
  select count(*) as depth, min(added_at_ms) as oldest
  from bullmq.job where queue = $1 and state = 'waiting' and job.host = counted.host
) as own
where host is not null and depth > 0`;
