import { jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

interface McpConfigToSet {
  readonly id: string;
  readonly avatarId: string;
  readonly name: string;
  readonly transportType: 'streamable' | 'sse' | 'stdio';
  /** The configuration without the values of its headers. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Encrypted values by the names of the headers; db does not know the key. */
  readonly sealedHeaders: Readonly<Record<string, string>>;
  readonly controlConv: boolean;
  readonly version: string;
  readonly enabled: boolean;
  /** If true, its tools get personal identifiers even if the host masks them. */
  readonly unmasked: boolean;
}

export interface McpConfig extends McpConfigToSet {
  /** Incremented by every edit. */
  readonly revision: number;
}

export const mcpColumns = sql`mcp.id, mcp.avatar_id as "avatarId", mcp.name, mcp.control_conv as "controlConv",
    mcp.transport_type as "transportType", mcp.config, mcp.version, mcp.enabled, mcp.unmasked,
    mcp.sealed_headers as "sealedHeaders", mcp.revision`;

/** Returns undefined, and writes nothing, if the host has no such avatar. */
export async function upsertMcpConfig(
  { tx, hostId }: HostScope,
  mcpConfig: McpConfigToSet,
): Promise<McpConfig | undefined> {
  const { id, avatarId, name, transportType, config, sealedHeaders, controlConv, version, enabled } =
    mcpConfig;
  const { unmasked } = mcpConfig;
  return rowOf<McpConfig>(tx)`
    insert into mcp_configs as mcp (host_id, id, avatar_id, name, transport_type, config, sealed_headers,
      control_conv, version, enabled, unmasked)
    select avatar.host_id, ${id}, avatar.id, ${name}, ${transportType}, ${jsonOf(config)}::jsonb,
      ${jsonOf(sealedHeaders)}::jsonb, ${controlConv}, ${version}, ${enabled}, ${unmasked}
    from avatars avatar where avatar.host_id = ${hostId} and avatar.id = ${avatarId} and not avatar.deleted
    on conflict (host_id, id) do update set avatar_id = excluded.avatar_id, name = excluded.name,
      transport_type = excluded.transport_type, config = excluded.config,
      sealed_headers = excluded.sealed_headers, control_conv = excluded.control_conv,
      version = excluded.version, enabled = excluded.enabled,
      unmasked = excluded.unmasked, revision = mcp.revision + 1, updated_at = now()
    returning ${mcpColumns}`;
}

/** Locks the configuration until the transaction ends. */
export async function findMcpConfigForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<McpConfig | undefined> {
  return rowOf<McpConfig>(tx)`
    select ${mcpColumns} from mcp_configs mcp where mcp.host_id = ${hostId} and mcp.id = ${id} for update`;
}

/** Also deletes the values of its headers. */
export async function deleteMcpConfig({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`delete from mcp_configs where host_id = ${hostId} and id = ${id}`;
}

/** Lists the oldest first, including disabled ones. */
export async function listMcpConfigs({ tx, hostId }: HostScope, avatarId?: string): Promise<McpConfig[]> {
  return rowsOf<McpConfig>(tx)`
    select ${mcpColumns} from mcp_configs mcp
    where mcp.host_id = ${hostId} and mcp.avatar_id = coalesce(${avatarId ?? null}, mcp.avatar_id)
    order by mcp.created_at, mcp.id`;
}
