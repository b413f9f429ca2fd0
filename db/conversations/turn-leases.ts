import { type Channel, openChannel } from '../channel.ts';
import type { Db } from '../connection.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';

/** A turn in the hands of one worker, identified by its attempt. */
export interface HeldTurn {
  readonly hostId: string;
  readonly turnId: string;
  readonly attempt: number;
}

/**
 * Renews the leases of this process; returns the ids of the turns that it still holds. The others were claimed by
 * another worker, or are locked: one slow commit must not cost the others their leases.
 */
export async function renewLeases(db: Db, held: readonly HeldTurn[], leaseMs: number): Promise<string[]> {
  const renewed = await rowsOf<{ id: string }>(db)`
    with unlocked_turn as (
      select turn.host_id, turn.id from turns turn
      join ${heldRows(held)} using (host_id, id, attempt)
      where turn.state = 'running'
      for no key update of turn skip locked
    )
    update turns turn set lease_until = statement_timestamp() + ${leaseMs}::double precision * interval '1 millisecond'
    from unlocked_turn where turn.host_id = unlocked_turn.host_id and turn.id = unlocked_turn.id
    returning turn.id`;
  return renewed.map(turn => turn.id);
}

/** Lists the turns that a burst took from this process: they are superseded, or run again. */
export async function listRevoked(db: Db, held: readonly HeldTurn[]): Promise<string[]> {
  const revoked = await rowsOf<{ id: string }>(db)`
    select turn.id from turns turn
    join ${heldRows(held)} on turn.host_id = held_turn.host_id and turn.id = held_turn.id
    where turn.superseded_by is not null or (turn.state = 'waiting' and turn.attempt > held_turn.attempt)`;
  return revoked.map(turn => turn.id);
}

function heldRows(held: readonly HeldTurn[]): Fragment {
  return sql`unnest(
    ${held.map(turn => turn.hostId)}::uuid[],
    ${held.map(turn => turn.turnId)}::text[],
    ${held.map(turn => String(turn.attempt))}::integer[]
  ) as held_turn (host_id, id, attempt)`;
}

/** Whether a turn of the job is being processed. A commit that takes long locks its row, and outlasts its lease. */
export async function isTurnRunning({ tx, hostIds }: HostsScope, jobId: string): Promise<boolean> {
  const running = await rowsOf(tx)`
    with unlocked_turn as (
      select id from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} for share skip locked
    )
    select from turns where host_id = any (${hostIds}::uuid[]) and ${isTurnOfJob(jobId)} and state = 'running'
      and (lease_until > statement_timestamp() or id not in (select id from unlocked_turn))`;
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
export function isTurnOfJob(jobId: string): Fragment {
  // The range uses the index, in every collation.
  return sql`(turns.id between ${jobId} and ${`${jobId}.9`} and split_part(turns.id, '.', 1) = ${jobId})`;
}

/** The ids of turns that a burst revokes from their workers; see `bursts.ts`. */
const burstChannel = { channel: 'parley_bursts', applicationName: 'parley-bursts' };

export function openBurstChannel(databaseUrl: string, onTurn: (turnId: string) => void): Promise<Channel> {
  return openChannel(databaseUrl, burstChannel, onTurn);
}
