import type { Db } from '../../db/connection.ts';
import { findHost } from '../../db/hosts.ts';
import { hadConversations, readAsOfOneMoment } from '../../db/reports.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/failure.ts';
import { periodOf, type ReportPeriod } from './report-period.ts';

interface ReportJob {
  readonly hostId: string;
  readonly body: { readonly startDate: string; readonly endDate: string };
}

/** All that a report says is true of one and the same moment. */
export function readReport<T>(
  db: Db,
  { hostId, body }: ReportJob,
  report: (scope: HostScope, period: ReportPeriod) => Promise<T>,
): Promise<Outcome<T[]>> {
  return withHost(db, hostId, async scope => {
    await readAsOfOneMoment(scope);
    const host = await findHost(scope);
    const period = periodOf(body, host?.timeZone ?? 'UTC');
    if ('code' in period) return period;
    if (!(await hadConversations(scope))) return failure('statistics-not-found');
    return { code: 200, data: [await report(scope, period)] };
  });
}
