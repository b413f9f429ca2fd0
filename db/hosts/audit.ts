import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A change of one row of the configuration of a host; `note_change` in functions/audit.sql writes it. */
type AuditEntry = DataOf<'listAudit'>['items'][number];

export interface AuditFilter {
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  readonly operation?: string | undefined;
}

const nameIn = (table: Fragment, name = sql`name`) =>
  sql`(select ${name} from ${table} changed where changed.host_id = audit_entries.host_id and changed.id = row_id::uuid)`;

/** The present name of the changed row: a change of other columns does not have it. */
const rowName = sql`coalesce(case table_name
    when 'agent_schemas' then ${nameIn(sql`agent_schemas`)}
    when 'agents' then ${nameIn(sql`agents`)}
    when 'approved_answers' then (select questions[1] from approved_answers changed
      where changed.host_id = audit_entries.host_id and changed.id = row_id::uuid)
    when 'avatars' then ${nameIn(sql`avatars`)}
    when 'datasets' then ${nameIn(sql`datasets`)}
    when 'documents' then ${nameIn(sql`documents`)}
    when 'evaluation_cases' then ${nameIn(sql`avatars`)}
    when 'flows' then ${nameIn(sql`flows`)}
    when 'mcp_configs' then ${nameIn(sql`mcp_configs`)}
    when 'people' then ${nameIn(sql`people`)}
    when 'rest_tools' then ${nameIn(sql`rest_tools`)}
    when 'saved_replies' then ${nameIn(sql`saved_replies`)}
    when 'site_chats' then ${nameIn(sql`site_chats`, sql`title`)}
    when 'teams' then ${nameIn(sql`teams`)}
    when 'webhooks' then ${nameIn(sql`webhooks`)}
    when 'host_providers' then row_id
  end, '')`;

/** Lists the newest first, after the one of `after`. */
export async function listAuditEntries(
  { tx, hostId }: HostScope,
  { since, until, operation }: AuditFilter,
  {
    limit,
    after,
  }: { readonly limit: number; readonly after: { readonly at: number; readonly id: string } | undefined },
): Promise<AuditEntry[]> {
  return rowsOf<AuditEntry>(tx)`
    select id::text as "auditId", created_at at time zone 'UTC' as "createdAt", actor_kind as "actorKind", token_id as "tokenId",
      person_id as "personId", actor_name as "actorName", operation, table_name as "table", row_id as "rowId", ${rowName} as "rowName",
      before, after
    from audit_entries
    where host_id = ${hostId}
      and created_at >= coalesce(${since ?? null}, '-infinity'::timestamptz)
      and created_at < coalesce(${until ?? null}, 'infinity'::timestamptz)
      ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
      ${after ? sql`and (created_at, id) < (${new Date(after.at)}::timestamptz, ${after.id}::bigint)` : sql``}
    order by created_at desc, audit_entries.id desc
    limit ${limit}`;
}
