import { rowsOf } from './rows-of.ts';
import type { HostsScope } from './with-hosts.ts';

/** Whether the turn is being processed. A commit that takes long locks its row, and outlasts its lease. */
export async function isTurnRunning({ tx, hostIds }: HostsScope, jobId: string): Promise<boolean> {
  const running = await rowsOf(tx)`
    with unlocked as (
      select id from turns where host_id = any (${hostIds}::uuid[]) and id = ${jobId} for share skip locked
    )
    select from turns where host_id = any (${hostIds}::uuid[]) and id = ${jobId} and state = 'running'
      and (lease_until > statement_timestamp() or id not in (select id from unlocked))`;
  return running.length > 0;
}
