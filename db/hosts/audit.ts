import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A change of one row of the configuration of a host; `note_change` in functions/audit.sql writes it. */
export interface AuditEntry {
  /** Digits: a bigint. */
  readonly id: string;
  readonly createdAt: Date;
  readonly actorKind: 'token' | 'person' | 'command' | 'database';
  readonly tokenId: string | null;
  readonly personId: string | null;
  readonly actorName: string;
  readonly operation: string;
  readonly table: string;
  readonly rowId: string;
  /** The changed columns; null for an inserted row. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The same; null for a deleted row. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

export type AuditKey = Pick<AuditEntry, 'createdAt' | 'id'>;

export interface AuditFilter {
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  readonly operation?: string | undefined;
}

/** The newest first, from the one after `after` on. */
export async function listAuditEntries(
  { tx, hostId }: HostScope,
  { since, until, operation }: AuditFilter,
  { limit, after }: { readonly limit: number; readonly after: AuditKey | undefined },
): Promise<AuditEntry[]> {
  return rowsOf<AuditEntry>(tx)`
    select id::text, created_at as "createdAt", actor_kind as "actorKind", token_id as "tokenId",
      person_id as "personId", actor_name as "actorName", operation, table_name as "table", row_id as "rowId", before, after
    from audit_entries
    where host_id = ${hostId}
      and created_at >= coalesce(${since ?? null}, '-infinity'::timestamptz)
      and created_at < coalesce(${until ?? null}, 'infinity'::timestamptz)
      ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
      ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::bigint)` : sql``}
    order by created_at desc, audit_entries.id desc
    limit ${limit}`;
}
