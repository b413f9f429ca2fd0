import { listFlows as flowsOf } from '../../db/flows.ts';
import type { Handler } from '../job.ts';
import { flowEntryOf } from './flow-entry.ts';

export const listFlows: Handler<'listFlows'> = ({ hostId, body, read }) =>
  read(async scope => {
    const flows = await flowsOf(scope, body.avatarIds);
    return { code: 200, data: flows.map(flow => flowEntryOf(hostId, flow)) };
  });
