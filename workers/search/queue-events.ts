import type { Db } from '../../db/connection.ts';
import { queueEvents } from '../../db/search/outbox.ts';
import { withHosts } from '../../db/with-hosts.ts';
import type { Handler } from '../runtime/job.ts';

/** Not committed with a reply: queueing an event twice is harmless, and the events belong to several hosts. */
export function makeQueueSearchEvents(db: Db): Handler<'queueSearchEvents'> {
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
