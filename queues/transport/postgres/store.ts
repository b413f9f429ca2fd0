import pg from 'pg';
import { WatchedClient } from '../../../platform/silent-connections.ts';
import { extendDuringStart } from '../../../platform/start-attempts.ts';
import {
  type Backlog,
  type FinishedJob,
  type JobEndEvents,
  mergeBacklogs,
  type PendingJob,
  type Store,
  type StoredQueue,
} from '../store.ts';
import { HOST_BACKLOGS } from './fair-order.ts';

/*
 * BullMQ's getters take 20 to 120 ms for a hundred jobs on PostgreSQL; these statements on its `job` table take less than
 * 1 ms. The table belongs to BullMQ: its version is pinned, and a test fails if the table changes.
 */
const FINISHED_JOBS = `
  select ids.id, job.state, (job.return_value ->> 'code')::integer as code, job.return_value ->> 'sealed' as sealed,
    job.return_value ->> 'bodyMac' as "bodyMac"
  from unnest($2::text[]) as ids (id) left join bullmq.job on job.queue = $1 and job.id = ids.id
  where job.state is null or job.state in ('completed', 'failed')`;
const PENDING_JOBS = `
  select id, data ->> 'hostId' as "hostId", name as operation,
    case state when 'active' then 'running' else 'queued' end as state
  from bullmq.job where queue = $1 and id = any ($2::text[]) and state not in ('completed', 'failed')`;
const BACKLOG = `
  select (select count(*) from (select 1 from bullmq.job where queue = $1 and state = 'waiting' limit 20000) w) as depth,
    (select added_at_ms from bullmq.job where queue = $1 and state = 'waiting' order by priority, seq limit 1) as oldest,
    (select count(*) from bullmq.job where queue = $1 and state = 'active') as active`;
const ENDS = `
  select (select count(*) from bullmq.job
      where queue = $1 and state in ('completed', 'failed') and finished_at_ms > $2) as count,
    greatest((select max(finished_at_ms) from bullmq.job where queue = $1 and state = 'completed'),
      (select max(finished_at_ms) from bullmq.job where queue = $1 and state = 'failed')) as last_at`;
/** Writes to BullMQ's `meta` table, in a row that no queue reads. */
const WRITE = `
  insert into bullmq.meta (queue, field, value) values ('control', 'parley-probe', $1)
  on conflict (queue, field) do update set value = excluded.value`;
/** The client enforces it, because a hanging database does not. */
export const QUERY_TIMEOUT_MS = 2_000;
/** Time for the API processes to reconnect after an outage and to cancel the refused jobs one by one. */
const CANCEL_WITHIN_MS = 5_000;
const CLOCK = 'select extract(epoch from clock_timestamp()) * 1000 as now';

export interface PostgresStore extends Store {
  /** Finds only jobs that BullMQ still keeps. */
  readonly findEnds: JobEndEvents['find'];
}

export async function makePostgresStore(
  url: string,
  onError: (error: Error) => void,
): Promise<PostgresStore> {
  const pool = new pg.Pool({
    Client: WatchedClient,
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: 5_000,
  });
  // Health checks have a pool of their own: they must not wait behind other queries.
  const watching = new pg.Pool({
    Client: WatchedClient,
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    options: '-c synchronous_commit=off',
  });
  for (const each of [pool, watching]) {
    each.on('error', onError);
    extendDuringStart(each.options, 'connectionTimeoutMillis');
  }
  const close = async () => void (await Promise.all([pool.end(), watching.end()]));
  // A pool replaces a connection after an error: after a failover it may lead to a replica.
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows;
  await assertTables(watching).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    addTimeoutMs: QUERY_TIMEOUT_MS,
    cancelWithinMs: CANCEL_WITHIN_MS,
    clock: async () => Number((await watching.query<{ now: string }>(CLOCK)).rows[0]?.now),
    write: async () => void (await watching.query(WRITE, [new Date().toISOString()])),
    findFinished: async (queue, ids) =>
      (await query<JobRow>(FINISHED_JOBS, [queue.name, ids])).map(toFinishedJob),
    findPending: async (queue, ids) => query<PendingJob>(PENDING_JOBS, [queue.name, ids]),
    backlog: async (queue: StoredQueue) => {
      const [[all], hosts] = await Promise.all([
        query<QueueRow>(BACKLOG, [queue.name]),
        query<HostRow>(HOST_BACKLOGS, [queue.name]),
      ]);
      return toBacklog(all, hosts);
    },
    findEnds: async (queue, since) => {
      const values = [queue.name, Math.floor(since)];
      const [row] = await query<{ count: string; last_at: string | null }>(ENDS, values);
      return { count: Number(row?.count), lastAt: row?.last_at ? Number(row.last_at) : undefined };
    },
    isConnected: () => true,
    close,
  };
}

/** Throws if the tables, or their last change, are missing: the last release had a `REDIS_URL` or was older. */
async function assertTables(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ found: boolean }>(
    `select to_regclass('bullmq.meta') is not null and to_regclass('bullmq.waiting_of_host_idx') is not null as found`,
  );
  if (rows[0]?.found) return;
  throw new Error(
    'the database has no tables for the queues of this version: run the release step without REDIS_URL, or set it',
  );
}

interface HostRow {
  readonly host: string;
  readonly depth: string;
  readonly oldest: string;
  readonly ahead: string;
}

interface QueueRow {
  readonly depth: string;
  readonly oldest: string | null;
  readonly active: string;
}

function toBacklog(all: QueueRow | undefined, rows: readonly HostRow[]): Backlog {
  const oldest = all?.oldest ? Number(all.oldest) : undefined;
  const hosts = rows.map(
    ({ host, depth, oldest, ahead }) =>
      [host, { depth: Number(depth), oldest: Number(oldest), ahead: Number(ahead) }] as const,
  );
  return mergeBacklogs({ depth: Number(all?.depth), oldest, active: Number(all?.active) }, hosts);
}

interface JobRow {
  id: string;
  state: 'completed' | 'failed' | null;
  code: number | null;
  sealed: string | null;
  bodyMac: string | null;
}

function toFinishedJob({ id, state, code, sealed, bodyMac }: JobRow): FinishedJob {
  if (!state) return { id, state: 'missing' };
  if (code === null || sealed === null) return { id, state };
  return { id, state, reply: { code, sealed, ...(bodyMac === null ? {} : { bodyMac }) } };
}
