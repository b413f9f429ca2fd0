import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';

/** Whether a turn of the job is being processed. A commit that takes long locks its row, and outlasts its lease. */
export async function isTurnRunning({ tx, hostIds }: HostsScope, jobId: string): Promise<boolean> {
  const running = await rowsOf(tx)`
    with unlocked as (
      select id from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} for share skip locked
    )
    select from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} and state = 'running'
      and (lease_until > statement_timestamp() or id not in (select id from unlocked))`;
  return running.length > 0;
}

/** Waits while a turn of the job is being committed; rejects if that takes longer. */
export async function waitForCommit(
  { tx, hostIds }: HostsScope,
  jobId: string,
  withinMs: number,
): Promise<void> {
  await rowsOf(tx)`select set_config('lock_timeout', ${`${withinMs}ms`}, true)`;
  await rowsOf(
    tx,
  )`select from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} for share`;
}

/** The first turn of a job has its id; a later one the id, a point and the milliseconds of its arrival. */
function isTurnOfJob(jobId: string): Fragment {
  // The range uses the index, in every collation.
  return sql`(id between ${jobId} and ${`${jobId}.9`} and split_part(id, '.', 1) = ${jobId})`;
}
