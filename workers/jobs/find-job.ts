import type { Db } from '../../db/connection.ts';
import { findReply } from '../../db/replies.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/failure.ts';
import { type OperationName, operationOf } from '../../queues/operations/index.ts';
import type { Handler } from '../job.ts';

/** The reply that a job left. One that is not this token's to see is like one that never was. */
export function findJob(db: Db): Handler<'findJob'> {
  return async job => {
    const reply = await withHosts(db, job.caller.hostIds, scope => findReply(scope, job.body.jobId));
    const scope = reply && operationOf(reply.operation as OperationName).scope;
    if (!reply || !scope || !job.caller.scopes.includes(scope)) return failure('job-not-found');
    const { data } = reply.outcome as Outcome<unknown>;
    const state = reply.isKept ? 'completed' : 'failed';
    return { code: 200, data: { state, code: reply.code, ...(data === undefined ? {} : { data }) } };
  };
}
