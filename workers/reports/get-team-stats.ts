import { readTeamStats } from '../../db/reports/team.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import { MAX_MEMBERS, MAX_STAFF_MESSAGES } from '../../queues/contract/operations/team-stats.ts';
import type { Handler } from '../runtime/job.ts';
import { readHostPeriod } from './report-period.ts';

export const getTeamStats: Handler<'getTeamStats'> = ({ body, read }) =>
  read(async scope => {
    const period = await readHostPeriod(scope, body);
    if (isFailure(period)) return period;
    const limits = { members: MAX_MEMBERS, messages: MAX_STAFF_MESSAGES };
    return { code: 200, data: await readTeamStats(scope, period, limits) };
  });
