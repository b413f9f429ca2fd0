import type { Db } from '../../db/connection.ts';
import { findReplyOnceCommitted } from '../../db/replies.ts';
import { withHosts } from '../../db/with-hosts.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { FindStoredReply } from '../../queues/transport/stored-reply.ts';

/** Finds the reply that a worker has committed. */
export function makeStoredReplyFinder(db: Db): FindStoredReply {
  return async (jobId, hostIds, withinMs) => {
    const reply = await withHosts(db, hostIds, scope => findReplyOnceCommitted(scope, jobId, withinMs));
    return reply && { outcome: reply.outcome as Outcome<unknown>, bodyMac: reply.bodyMac ?? undefined };
  };
}
