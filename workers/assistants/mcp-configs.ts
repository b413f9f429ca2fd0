import { randomUUID } from 'node:crypto';
import { hasAvatar } from '../../db/assistants/avatars.ts';
import {
  deleteMcpConfig,
  findMcpConfigForUpdate,
  listMcpConfigs as listConfigs,
  type McpConfig,
  upsertMcpConfig,
} from '../../db/assistants/mcp-configs.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FieldError, missingErrorsOf } from '../../platform/field-error.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure, fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { type McpRules, mcpTargetOf } from '../domain/mcp-config.ts';
import type { Handler } from '../runtime/job.ts';
import { maskValues, sealValues } from '../tools/sealed-values.ts';

type Body = BodyOf<'saveMcpConfig'>;
type StoredConfig = Pick<McpConfig, 'config' | 'sealedHeaders' | 'transportType'>;

const refuseFields = (fields: readonly FieldError[]) => failure('body-invalid', { fields });

export function makeSaveMcpConfig(seal: Seal, rules: McpRules): Handler<'saveMcpConfig'> {
  return async job => job.commit(scope => storeMcpConfig(scope, job.body, seal, rules));
}

async function storeMcpConfig(
  scope: HostScope,
  body: Body,
  seal: Seal,
  rules: McpRules,
): Promise<Outcome<DataOf<'saveMcpConfig'>>> {
  const earlier = body.id === undefined ? undefined : await findMcpConfigForUpdate(scope, body.id);
  if (body.id !== undefined && !earlier) return failure('mcp-config-not-found');
  if (body.deleted) return earlier ? remove(scope, earlier) : noId;
  const id = earlier?.id ?? randomUUID();
  const { avatarId = earlier?.avatarId, name = earlier?.name } = body;
  const missing = missingErrorsOf({ avatarId, name, config: body.config ?? earlier?.config });
  if (avatarId === undefined || name === undefined || missing.length > 0) return refuseFields(missing);
  const stored = await toStoredConfig(id, body, earlier, { seal, rules });
  if (Array.isArray(stored)) return refuseFields(stored);
  const put = await upsertMcpConfig(scope, {
    id,
    avatarId,
    name,
    ...stored,
    controlConv: body.controlConv ?? earlier?.controlConv ?? false,
    version: body.version ?? earlier?.version ?? '1.0.0',
    enabled: body.enabled ?? earlier?.enabled ?? true,
    unmasked: body.unmasked ?? earlier?.unmasked ?? false,
  });
  if (!put) return failure('avatar-not-found');
  if (!(await isWithinLimits(scope, 'mcp_configs'))) return failure('host-full');
  return { code: 200, data: mcpDataOf(scope.hostId, put) };
}

const noId = fieldFailure('id', 'required', 'is required to delete a configuration');

async function remove(scope: HostScope, config: McpConfig): Promise<Outcome<DataOf<'saveMcpConfig'>>> {
  await deleteMcpConfig(scope, config.id);
  return { code: 200, data: { ...mcpDataOf(scope.hostId, { ...config, enabled: false }), deleted: true } };
}

/** An edit does not validate an unchanged configuration again: it must be possible to disable it under stricter rules. */
async function toStoredConfig(
  id: string,
  { config, transportType }: Body,
  earlier: McpConfig | undefined,
  { seal, rules }: { seal: Seal; rules: McpRules },
): Promise<StoredConfig | FieldError[]> {
  if (earlier && config === undefined && transportType === undefined) {
    return {
      transportType: earlier.transportType,
      config: earlier.config,
      sealedHeaders: earlier.sealedHeaders,
    };
  }
  const transport = transportType ?? earlier?.transportType ?? 'streamable';
  const requested = config ?? (earlier ? maskConfig(earlier) : {});
  const target = mcpTargetOf(transport, requested, rules);
  if (Array.isArray(target)) return target;
  if ('command' in target) return { transportType: transport, config: { ...target }, sealedHeaders: {} };
  const pathOf = (name: string) => `config.headers.${name}`;
  const sent = { id, url: target.url, values: target.headers, pathOf };
  const kept = earlier && { id, url: earlier.config['url'], sealed: earlier.sealedHeaders };
  const sealedHeaders = await sealValues(seal, sent, kept);
  if (Array.isArray(sealedHeaders)) return sealedHeaders;
  return { transportType: transport, config: { url: target.url }, sealedHeaders };
}

/** Returns the configuration without its secrets, as any reader may see it. */
function maskConfig(stored: McpConfig): Record<string, unknown> {
  const headers = maskValues(stored.sealedHeaders);
  return Object.keys(headers).length > 0 ? { ...stored.config, headers } : { ...stored.config };
}

function mcpDataOf(hostId: string, stored: McpConfig): DataOf<'saveMcpConfig'> {
  const { id: mcpId, sealedHeaders: _, revision: _revision, ...shown } = stored;
  return { mcpId, hostId, ...shown, config: maskConfig(stored) };
}

export const listMcpConfigs: Handler<'listMcpConfigs'> = ({ hostId, body: { avatarId }, read }) =>
  read(async scope => {
    if (avatarId !== undefined && !(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    const configs = await listConfigs(scope, avatarId);
    return { code: 200, data: configs.map(config => mcpDataOf(hostId, config)) };
  });
