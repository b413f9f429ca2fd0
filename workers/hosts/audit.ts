import { listAuditEntries } from '../../db/hosts/audit.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import { integer, object, patternText } from '../../queues/contract/shape.ts';
import { readPage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler } from '../runtime/job.ts';

/** The last millisecond of the year 9999. */
const LAST_MS = 253_402_300_799_999;
const key = object({
  at: integer({ min: 0, max: LAST_MS }),
  id: patternText(/^[1-9]\d{0,17}$/, 'a whole number'),
});

export const listAudit: Handler<'listAudit'> = job =>
  job.read(async scope => {
    const { body } = job;
    const period = await readInstants(scope, { since: body.since, until: body.until });
    if (isFailure(period)) return period;
    const page = await readPage(job, key, {
      read: order => listAuditEntries(scope, { ...period, operation: body.operation }, order),
      keyOf: ({ createdAt, auditId }) => ({ at: Date.parse(createdAt), id: auditId }),
      toItem: entry => entry,
    });
    return isFailure(page) ? page : { code: 200, data: page };
  });
