import { findHost } from '../../db/hosts/hosts.ts';
import { hadConversations, useOneSnapshot } from '../../db/reports/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { type PeriodRequest, type ReportPeriod, readPeriod } from './report-period.ts';

type ReportJob = HandlerJob<'conversationalStats' | 'financialStats'>;

/** Reads the whole report from one snapshot. */
export function readReport<T>(
  { body, read }: ReportJob,
  report: (scope: HostScope, period: ReportPeriod) => Promise<T>,
): Promise<Outcome<T[]>> {
  return read(async scope => {
    await useOneSnapshot(scope);
    const period = await readHostPeriod(scope, body);
    if (isFailure(period)) return period;
    if (!(await hadConversations(scope))) return failure('statistics-not-found');
    return { code: 200, data: [await report(scope, period)] };
  });
}

/** The period in the time zone of the host. */
export async function readHostPeriod(
  scope: HostScope,
  request: PeriodRequest,
): Promise<ReportPeriod | Failure> {
  const host = await findHost(scope);
  return readPeriod(request, host?.timeZone ?? 'UTC');
}
