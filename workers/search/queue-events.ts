import type { Db } from '../../db/connection.ts';
import { queueEvents } from '../../db/search/outbox.ts';
import { withHosts } from '../../db/with-hosts.ts';
import type { Handler } from '../runtime/job.ts';

/** Not kept with a reply: events may be queued twice, and they are of several hosts. */
export function queueSearchEvents(db: Db): Handler<'queueSearchEvents'> {
  return async ({ caller, body }) => {
    const events = Array.isArray(body) ? body : [body];
    const changes = events.map(({ origin_table, origin_id, operation }) => ({
      originTable: origin_table,
      originId: origin_id,
      operation,
    }));
    await withHosts(db, caller.hostIds, scope => queueEvents(scope, changes));
    return { code: 202, data: { accepted: true, queued: events.length } };
  };
}
