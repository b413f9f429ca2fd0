import type { Db } from '../db/connection.ts';
import { findReply, insertReply, type NewReply, type Reply } from '../db/replies.ts';
import { type HostScope, withHost, withHosts } from '../db/with-hosts.ts';
import type { Run } from '../queues/consumer.ts';
import { failure, isFailure, isKept, type Outcome } from '../queues/failure.ts';
import type { OperationName } from '../queues/operations/index.ts';
import type { Handler, Handlers, Job } from './job.ts';

/** Rolls the work back; carries what is answered instead. */
class TurnedDown extends Error {
  readonly outcome: Outcome<unknown>;

  constructor(outcome: Outcome<unknown>) {
    super('turned down');
    this.outcome = outcome;
  }
}

/**
 * Has a run answered by its operation's handler, once: what an earlier run of the same job committed is the
 * answer to this one. Replies are also kept for a client's key, and for whoever asks later at `/jobs/{id}`.
 */
export function makeAnswer(db: Db, handlers: Handlers): (run: Run) => Promise<Outcome<unknown>> {
  return async run => {
    const earlier = run.isRerun || run.idempotencyKey !== undefined ? await storedReply(db, run) : undefined;
    if (earlier && isKept(earlier.code)) {
      return earlier.bodyHash === run.bodyMac ? (earlier.outcome as Outcome<unknown>) : failure('key-reused');
    }
    let isStored = false;
    const job: Job<OperationName> = {
      ...run,
      operation: run.operation as OperationName,
      body: run.body as never,
      hostId: run.caller.hostIds[0] ?? '',
      commit: async work => {
        const outcome = await committed(db, run, work);
        isStored = true;
        return outcome;
      },
    };
    const handler = handlers[job.operation] as Handler<OperationName>;
    const outcome = await handler(job);
    const isWanted = run.idempotencyKey !== undefined || run.isAsync;
    if (isWanted && !(isStored && !isFailure(outcome))) await keep(db, run, outcome);
    return outcome;
  };
}

async function committed<T>(
  db: Db,
  run: Run,
  work: (scope: HostScope) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    return await withHost(db, hostOf(run), async scope => {
      const outcome = await work(scope);
      if (isFailure(outcome)) throw new TurnedDown(outcome);
      const isFirst = await insertReply(scope, replyOf(run, outcome));
      if (!isFirst)
        throw new TurnedDown(((await storedReply(db, run))?.outcome as Outcome<T>) ?? failure('interrupted'));
      return outcome;
    });
  } catch (error) {
    if (error instanceof TurnedDown) return error.outcome as Outcome<T>;
    throw error;
  }
}

async function keep(db: Db, run: Run, outcome: Outcome<unknown>): Promise<void> {
  await withHost(db, hostOf(run), scope => insertReply(scope, replyOf(run, outcome)));
}

function storedReply(db: Db, run: Run): Promise<Reply | undefined> {
  return withHosts(db, run.caller.hostIds, scope => findReply(scope, run.jobId));
}

function replyOf(run: Run, outcome: Outcome<unknown>): NewReply {
  const { jobId, operation, idempotencyKey, bodyMac } = run;
  return { jobId, operation, key: idempotencyKey, bodyHash: bodyMac, outcome };
}

function hostOf(run: Run): string {
  const [hostId] = run.caller.hostIds;
  if (!hostId) throw new Error('a reply is kept for a host, and this token has none');
  return hostId;
}
