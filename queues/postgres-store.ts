import pg from 'pg';
import type { FinishedJob, JobReply, Store, StoredQueue } from './store.ts';

/*
 * BullMQ's getters cost 20 to 120 ms for a hundred jobs on PostgreSQL; these three statements over its `job`
 * table cost below one. The table belongs to BullMQ: its version is pinned, and a test fails when it changes.
 */
const LOOK = `
  select ids.id, job.state, job.return_value
  from unnest($2::text[]) as ids (id) left join bullmq.job on job.queue = $1 and job.id = ids.id
  where job.state is null or job.state in ('completed', 'failed')`;
const BACKLOG = `
  select (select count(*) from (select 1 from bullmq.job where queue = $1 and state = 'waiting' limit 20000) w) as depth,
    (select added_at_ms from bullmq.job where queue = $1 and state = 'waiting' order by priority, seq limit 1) as oldest`;
const CLOCK = 'select extract(epoch from clock_timestamp()) * 1000 as now';

export async function makePostgresStore(url: string, onError: (error: Error) => void): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
  });
  let reachable = true;
  pool.on('error', onError);
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
    try {
      const { rows } = await pool.query<Row>(text, values);
      reachable = true;
      return rows;
    } catch (error) {
      reachable = false;
      throw error;
    }
  };
  await query(CLOCK);
  return {
    clock: async () => Number((await query<{ now: string }>(CLOCK))[0]?.now),
    look: async (queue, ids) => (await query<JobRow>(LOOK, [queue.name, ids])).map(finishedJobOf),
    backlog: async (queue: StoredQueue) => {
      const [row] = await query<{ depth: string; oldest: string | null }>(BACKLOG, [queue.name]);
      return { depth: Number(row?.depth), oldest: row?.oldest ? Number(row.oldest) : undefined };
    },
    isReady: () => reachable,
    close: () => pool.end(),
  };
}

interface JobRow {
  id: string;
  state: 'completed' | 'failed' | null;
  return_value: JobReply | null;
}

function finishedJobOf({ id, state, return_value }: JobRow): FinishedJob {
  if (!state) return { id, state: 'missing' };
  return return_value ? { id, state, reply: return_value } : { id, state };
}
