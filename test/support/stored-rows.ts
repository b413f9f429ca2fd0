import type { Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from './eventually.ts';

/** Every database of a run has the same tables. */
let statement: Promise<string> | undefined;

/**
 * The number of rows of each table, with a digest of their content. Tokens are only counted, because their last use
 * is stored with any answer. Excluded: metrics of processes, and what follows the other tables asynchronously: the search
 * pipeline, report counts, outcomes, gaps, contradictions, spend, attempts to deliver events, and uploads, which are purged.
 */
export async function readStoredRows(db: Db): Promise<Record<string, string>> {
  statement ??= composeStatement(db);
  // A statement with a name is planned once on a connection: to plan it takes ten times as long as to run it.
  const looks = db.raw<{ rows: { name: string; seen: string }[] }>(await statement);
  const { rows } = await looks.options({ name: 'stored-rows' });
  return Object.fromEntries(rows.map(({ name, seen }) => [name, seen]));
}

async function composeStatement(db: Db): Promise<string> {
  const tables = await rowsOf<{ name: string }>(db)`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'process_metrics'
      and table_name not in ('deliveries', 'webhook_lanes', 'document_uploads') and table_name not like 'search\\_%' and table_name not like 'report\\_%'
      and table_name not like 'spend\\_%' and table_name not like 'service%' and table_name not like 'gap%'
      and table_name not like 'contradiction%'
    order by 1`;
  const looks = tables.map(({ name }) => {
    const digest = name === 'tokens' ? '0' : 'coalesce(sum(hashtextextended(r::text, 0)::numeric), 0)';
    return `select '${name}' as name, count(*) || ' rows, ' || ${digest} as seen from "${name}" r`;
  });
  return looks.join(' union all ');
}

/** The same when no import goes on, which would change rows meanwhile. */
export async function readSettledRows(db: Db): Promise<Record<string, string>> {
  await eventually(() => db('document_imports').whereNull('ended_at'), { length: 0 });
  return readStoredRows(db);
}

/** Every row of every table in any schema, as text after the name of the table. */
export async function textOfDatabase(db: Db): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(db)`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.raw<{ rows: { line: string }[] }>(`select r::text as line from ${name} r`);
    lines.push(...rows.map(({ line }) => `${name} ${line}`));
  }
  return lines;
}
