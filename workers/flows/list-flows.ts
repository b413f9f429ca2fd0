import type { Db } from '../../db/connection.ts';
import { listFlows as flowsOf } from '../../db/flows.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { Handler } from '../job.ts';
import { flowEntryOf } from './flow-entry.ts';

export function listFlows(db: Db): Handler<'listFlows'> {
  return async ({ hostId, body }) => {
    const flows = await withHost(db, hostId, scope => flowsOf(scope, body.avatarIds));
    return { code: 200, data: flows.map(flow => flowEntryOf(hostId, flow)) };
  };
}
