import pg from 'pg';

/*
 * For most hosts a sequential comparison is fastest. A larger host gets its own index, over the vectors of one space:
 * in a shared index a search would have to skip the vectors of other hosts, and would find less the more of them
 * there are. So hosts do not slow each other down, and small hosts need no index.
 */

const INDEXED_FROM = 5_000;
const MAX_BUILD_MS = 6 * 3_600_000;

/**
 * Creates missing indexes, and drops invalid and unused ones. One process at a time; stops early when `stop` is
 * aborted. Does not block writers.
 */
export async function maintainNeighbourIndexes(
  databaseUrl: string,
  space: string,
  stop: AbortSignal,
  indexedFrom = INDEXED_FROM,
): Promise<void> {
  const client = clientOf(databaseUrl);
  await client.connect();
  const cancel = () => void cancelWork(databaseUrl, client).catch(() => {});
  stop.addEventListener('abort', cancel, { once: true });
  try {
    if (!(await tryLock(client))) return;
    await client.query(`set statement_timeout = 0; set client_min_messages = warning;
      set maintenance_work_mem = '256MB'`);
    for (const statement of await listIndexStatements(client, space, indexedFrom)) {
      if (stop.aborted) return;
      await client.query(statement);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stop.removeEventListener('abort', cancel);
    await client.end().catch(() => {});
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('parley neighbour indexes', 0)) as got`,
  );
  return rows[0]?.got ?? false;
}

async function listIndexStatements(client: pg.Client, space: string, indexedFrom: number): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `with neighbour_index as (
       select relname as name, indisvalid, right(relname, 8) as space
       from pg_index join pg_class on pg_class.oid = indexrelid
       where indrelid = 'chunk_embeddings'::regclass and relname like 'chunk\\_neighbours\\_%'
     ), large_host as (
       select host_id, neighbour_index_of(host_id, space) as name from chunk_embeddings
       where space = $1 group by host_id, space having count(*) >= $2
     )
     select format('drop index concurrently if exists %I', name) as statement, 1 as step from neighbour_index
     where not indisvalid or space not in
       (select left(md5(space), 8) from (select distinct space from chunk_embeddings) used_space)
     union all
     select format('create index concurrently %I on chunk_embeddings using hnsw ((embedding::%s) %s_cosine_ops) '
         'where host_id = %L and space = %L', name, type, split_part(type, '(', 1), host_id, $1), 2
     from large_host, indexed_vector_type(substring($1 from '\\d+$')::integer) type
     where type is not null and name not in (select name from neighbour_index where indisvalid)
     order by step`,
    [space, indexedFrom],
  );
  return rows.map(({ statement }) => statement);
}

/** A backend continues when its client disconnects, so its statement must be cancelled. */
async function cancelWork(databaseUrl: string, working: pg.Client): Promise<void> {
  const { processID } = working as pg.Client & { processID?: number };
  const client = clientOf(databaseUrl);
  await client.connect();
  try {
    await client.query('select pg_cancel_backend($1)', [processID]);
  } finally {
    await client.end();
  }
}

function clientOf(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    application_name: 'parley-neighbour-indexes',
    connectionTimeoutMillis: 2_000,
    query_timeout: MAX_BUILD_MS,
    keepAlive: true,
  });
  client.on('error', () => {});
  return client;
}
