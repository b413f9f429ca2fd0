import type { Db } from '../../db/connection.ts';
import { hasAvatar, mcpConfigsOf } from '../../db/mcp-configs.ts';
import { withHost } from '../../db/with-hosts.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { mcpDataOf } from './save-mcp-config.ts';

export function listMcpConfigs(db: Db): Handler<'listMcpConfigs'> {
  return ({ hostId, body: { avatarId } }) =>
    withHost(db, hostId, async scope => {
      if (avatarId !== undefined && !(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
      const configs = await mcpConfigsOf(scope, avatarId);
      return { code: 200, data: configs.map(config => mcpDataOf(hostId, config)) };
    });
}
