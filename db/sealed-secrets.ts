import type { Db } from './connection.ts';
import { type Fragment, jsonOf, rowsOf, sql } from './rows-of.ts';

/*
 * Secrets that the database keeps sealed, of all hosts, are read and written here only when the key changes. A row has them by
 * name; `earlier …` is one that was replaced, and stays valid for another day.
 */

export interface SealedRow {
  readonly hostId: string;
  readonly host: string;
  /** The row's id, or the name of a provider. */
  readonly id: string;
  readonly sealed: Readonly<Record<string, string>>;
}

export type SealedKind = keyof typeof tables;

interface SealedTable {
  readonly table: Fragment;
  /** The column that identifies a row of its host, as text. */
  readonly id: Fragment;
  readonly secrets: Fragment;
  /** Sets the columns from `next.sealed`. */
  readonly stored: Fragment;
}

const nameOfSecret = sql`case when secret ->> 'until' is not null then 'earlier ' || place else 'current' end`;

const tables = {
  'MCP servers': {
    table: sql`mcp_configs`,
    id: sql`sealed_row.id::text`,
    secrets: sql`sealed_headers`,
    stored: sql`sealed_headers = sealed_headers || next.sealed`,
  },
  'REST tools': {
    table: sql`rest_tools`,
    id: sql`sealed_row.id::text`,
    secrets: sql`sealed_secrets`,
    stored: sql`sealed_secrets = sealed_secrets || next.sealed`,
  },
  sources: {
    table: sql`crm_sources`,
    id: sql`sealed_row.id::text`,
    secrets: sql`jsonb_strip_nulls(jsonb_build_object('current', sealed_secret, 'earlier', sealed_earlier_secret))`,
    stored: sql`sealed_secret = coalesce(next.sealed ->> 'current', sealed_secret),
      sealed_earlier_secret = coalesce(next.sealed ->> 'earlier', sealed_earlier_secret)`,
  },
  webhooks: {
    table: sql`webhooks`,
    id: sql`sealed_row.id::text`,
    secrets: sql`(
      select jsonb_object_agg(${nameOfSecret}, secret -> 'sealed') from jsonb_array_elements(secrets) with ordinality each (secret, place)
    )`,
    stored: sql`secrets = (
      select jsonb_agg(secret || jsonb_build_object('sealed', coalesce(next.sealed -> (${nameOfSecret}), secret -> 'sealed')) order by place)
      from jsonb_array_elements(secrets) with ordinality each (secret, place)
    )`,
  },
  'providers of models': {
    table: sql`host_providers`,
    id: sql`sealed_row.name`,
    secrets: sql`jsonb_build_object('key', sealed_key)`,
    stored: sql`sealed_key = coalesce(next.sealed ->> 'key', sealed_key)`,
  },
  files: {
    table: sql`files`,
    id: sql`sealed_row.id::text`,
    // One that is only named has none.
    secrets: sql`case when kept then jsonb_build_object('key', sealed_key) end`,
    stored: sql`sealed_key = coalesce(next.sealed ->> 'key', sealed_key)`,
  },
} satisfies Record<string, SealedTable>;

export const sealedKinds = Object.keys(tables) as SealedKind[];

/** The next rows of all hosts after this one, in the order of their keys; none of them changes until the transaction ends. */
export async function lockSealedRows(
  tx: Db,
  kind: SealedKind,
  {
    after,
    limit,
  }: { readonly after: { readonly hostId: string; readonly id: string }; readonly limit: number },
): Promise<SealedRow[]> {
  const { table, id, secrets } = tables[kind];
  return rowsOf<SealedRow>(tx)`
    select sealed_row.host_id as "hostId", hosts.slug as host, ${id} as id, coalesce(${secrets}, '{}') as sealed
    from ${table} sealed_row join hosts on hosts.id = sealed_row.host_id
    where (sealed_row.host_id, ${id}) > (${after.hostId}, ${after.id})
    order by sealed_row.host_id, ${id} limit ${limit} for no key update of sealed_row`;
}

/** Stores the named secrets of these rows; others stay. */
export async function storeSealedRows(tx: Db, kind: SealedKind, rows: readonly SealedRow[]): Promise<void> {
  const { table, id, stored } = tables[kind];
  await rowsOf(tx)`
    update ${table} sealed_row set ${stored}
    from jsonb_to_recordset(${jsonOf(rows)}::jsonb) next ("hostId" uuid, id text, sealed jsonb)
    where sealed_row.host_id = next."hostId" and ${id} = next.id`;
}
