import type { Db } from '../db/connection.ts';
import { findImport } from '../db/knowledge/document-imports.ts';
import { findReplyOfJob, isTurnRunning } from '../db/replies.ts';
import { findNextReindex, findReindex } from '../db/search/reindexes.ts';
import { withHosts } from '../db/with-hosts.ts';
import { failure, type Outcome } from '../queues/contract/failure.ts';
import type { Caller } from '../queues/contract/operation.ts';
import { type DataOf, type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import type { Handler } from './runtime/job.ts';
import type { Pools } from './runtime/pools.ts';

type JobLookup = DataOf<'findJob'>;

/** The state of a job. A job that this token may not see is reported as not found. */
export function makeFindJob({ owner, hosts }: Pick<Pools, 'owner' | 'hosts'>): Handler<'findJob'> {
  return async ({ caller, body: { jobId } }) => {
    const found =
      (await findReindexState({ owner, hosts }, caller, jobId)) ??
      (await findImportState(hosts, caller, jobId)) ??
      (await findTurnState(hosts, caller, jobId)) ??
      (await findReplyState(hosts, caller, jobId));
    return found ? { code: 200, data: found } : failure('job-not-found');
  };
}

/** A reindex runs long after its own reply, which only confirms the order. */
async function findReindexState(
  pools: Pick<Pools, 'owner' | 'hosts'>,
  { scopes, hostIds }: Caller,
  jobId: string,
): Promise<Pick<JobLookup, 'state'> | undefined> {
  const { scope } = operationOf('reindex');
  if (!scope || !scopes.includes(scope)) return undefined;
  const order = await withHosts(pools.hosts, hostIds, scope => findReindex(scope, jobId));
  if (!order) return undefined;
  if (order.isFinished) return { state: 'completed' };
  // Orders run one at a time, the oldest first. An interrupted one is resumed, so an order never fails.
  const isNext = order.hasStarted || (await findNextReindex(pools.owner))?.id === jobId;
  return { state: isNext ? 'running' : 'queued' };
}

/** An import goes on after its own reply, which only confirms the order. */
async function findImportState(
  db: Db,
  { scopes, hostIds }: Caller,
  jobId: string,
): Promise<JobLookup | undefined> {
  const { scope } = operationOf('importDocument');
  if (!scope || !scopes.includes(scope)) return undefined;
  const found = await withHosts(db, hostIds, scope => findImport(scope, jobId));
  if (!found) return undefined;
  const { stage, done, total, documentId, reason, added, kept, removed, incomplete, gone, struck, scans } =
    found;
  const progress = { stage, done, total };
  if (stage !== 'ended') return { state: stage === 'waiting' ? 'queued' : 'running', progress };
  if (reason === null) {
    const counts = { passages: added + kept, added, kept, removed };
    const data = {
      documentId,
      ...counts,
      ...(incomplete && { incomplete }),
      ...(gone && { gone }),
      ...(struck > 0 && { struck }),
      ...(scans && { scans }),
    };
    return { state: 'completed', progress, code: 200, data };
  }
  const data = { documentId, reason, ...(scans && { scans }) };
  const mayBeRepeated = reason === 'interrupted';
  return { state: mayBeRepeated ? 'failed' : 'completed', progress, code: mayBeRepeated ? 503 : 422, data };
}

/** The job may be gone if the caller got a 408 during the commit. The turn is read before the reply, which that commit stores. */
async function findTurnState(
  db: Db,
  { scopes, hostIds }: Caller,
  jobId: string,
): Promise<Pick<JobLookup, 'state'> | undefined> {
  const { scope } = operationOf('reason');
  if (!scope || !scopes.includes(scope)) return undefined;
  const isRunning = await withHosts(db, hostIds, scope => isTurnRunning(scope, jobId));
  return isRunning ? { state: 'running' } : undefined;
}

async function findReplyState(
  db: Db,
  { scopes, hostIds }: Caller,
  jobId: string,
): Promise<JobLookup | undefined> {
  const reply = await withHosts(db, hostIds, scope => findReplyOfJob(scope, jobId));
  const scope = reply && operationOf(reply.operation as OperationName).scope;
  if (!reply || !scope || !scopes.includes(scope)) return undefined;
  const { data } = reply.outcome as Outcome<unknown>;
  const state = reply.isFinal ? 'completed' : 'failed';
  return { state, code: reply.code, ...(data === undefined ? {} : { data }) };
}
