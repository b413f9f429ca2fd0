import type { Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';

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
