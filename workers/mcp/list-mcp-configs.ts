import { hasAvatar } from '../../db/avatars.ts';
import { mcpConfigsOf } from '../../db/mcp-configs.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { mcpDataOf } from './save-mcp-config.ts';

export const listMcpConfigs: Handler<'listMcpConfigs'> = ({ hostId, body: { avatarId }, read }) =>
  read(async scope => {
    if (avatarId !== undefined && !(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    const configs = await mcpConfigsOf(scope, avatarId);
    return { code: 200, data: configs.map(config => mcpDataOf(hostId, config)) };
  });
