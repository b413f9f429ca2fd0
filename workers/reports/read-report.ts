import { findHost } from '../../db/hosts.ts';
import { hadConversations, useOneSnapshot } from '../../db/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { type ReportPeriod, readPeriod } from './report-period.ts';

type ReportJob = HandlerJob<'conversationalStats' | 'financialStats'>;

/** Reads the whole report from one snapshot. */
export function readReport<T>(
  { body, read }: ReportJob,
  report: (scope: HostScope, period: ReportPeriod) => Promise<T>,
): Promise<Outcome<T[]>> {
  return read(async scope => {
    await useOneSnapshot(scope);
    const host = await findHost(scope);
    const period = await readPeriod(body, host?.timeZone ?? 'UTC');
    if (isFailure(period)) return period;
    if (!(await hadConversations(scope))) return failure('statistics-not-found');
    return { code: 200, data: [await report(scope, period)] };
  });
}
