import { type Db, isDatabaseTrouble } from '../../db/connection.ts';
import { findReply, insertReply, lockSubject, type NewReply, type Reply } from '../../db/replies.ts';
import { type HostScope, type HostsScope, withHost, withHosts } from '../../db/with-hosts.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { failure, isFailure, isKept, type Outcome } from '../../queues/contract/failure.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { Answerer, JobRun } from '../../queues/transport/consumer.ts';
import { cachedReplyOf, cacheOf } from './cached-reply.ts';
import type { Handler, HandlerJob, Handlers } from './job.ts';

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
 * answer to this one. Other replies are kept for a client's key, and for whoever asks later at `/jobs/{id}`.
 */
export function makeAnswerer(
  restDb: Db,
  handlers: Handlers,
  database: OutageLog,
  turnsDb: Db = restDb,
): Answerer {
  const dbFor = ({ queue }: JobRun) => (queue === 'turns' ? turnsDb : restDb);
  return {
    async answer(run) {
      const db = dbFor(run);
      try {
        return (
          (await earlierReply(db, run)) ??
          (await cachedReply(db, run)) ??
          (await handled(db, run, handlers[run.operation as OperationName] as Handler<OperationName>))
        );
      } catch (error) {
        if (!isDatabaseTrouble(error)) throw error;
        database.failed(error);
        return failure('unavailable');
      }
    },
    async settle(run, outcome) {
      // An outcome that frees its key is only of interest to who did not wait for it.
      if (!run.isAsync && !(run.idempotencyKey !== undefined && isKept(outcome.code))) return;
      try {
        await withHosts(dbFor(run), run.caller.hostIds, scope => insertReply(scope, replyOf(run, outcome)));
      } catch (error) {
        if (!isDatabaseTrouble(error)) throw error;
        database.failed(error);
      }
    },
  };
}

/** An earlier run may commit after this one looked for its reply: then what it made can be why this one is refused. */
async function handled(db: Db, run: JobRun, handler: Handler<OperationName>): Promise<Outcome<unknown>> {
  const outcome = await handler(jobOf(db, run));
  return isFailure(outcome) ? ((await earlierReply(db, run)) ?? outcome) : outcome;
}

function jobOf(db: Db, run: JobRun): HandlerJob<OperationName> {
  return {
    ...run,
    operation: run.operation as OperationName,
    body: run.body as never,
    hostId: run.caller.hostIds[0] ?? '',
    commit: work => committed(db, run, work),
    read: work => withHost(db, hostOf(run), scope => read(scope, run, work)),
    findReply: () => keptReply(db, run),
  };
}

async function earlierReply(db: Db, run: JobRun): Promise<Outcome<unknown> | undefined> {
  return run.isRerun || run.idempotencyKey !== undefined ? keptReply(db, run) : undefined;
}

async function keptReply(db: Db, run: JobRun): Promise<Outcome<unknown> | undefined> {
  const earlier = await storedReply(db, run);
  if (!earlier?.isKept) return undefined;
  const isOther = run.idempotencyKey !== undefined && earlier.bodyHash !== run.bodyMac;
  return isOther ? failure('key-reused') : (earlier.outcome as Outcome<unknown>);
}

async function cachedReply(db: Db, run: JobRun): Promise<Outcome<unknown> | undefined> {
  const cache = cacheOf(run);
  if (!cache) return undefined;
  const cached = await withHost(db, hostOf(run), ({ tx, hostId }) =>
    findReply({ tx, hostIds: [hostId] }, cache.key),
  );
  return cached?.outcome as Outcome<unknown> | undefined;
}

async function read<T>(
  scope: HostScope,
  run: JobRun,
  work: (scope: HostScope) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const cache = cacheOf(run);
  const isStill = cache && (await lockSubject(scope, cache.of, cache.about));
  const outcome = await work(scope);
  if (isStill && !isFailure(outcome)) await insertReply(allOf(scope), cachedReplyOf(run, cache, outcome));
  return outcome;
}

async function committed<T>(
  db: Db,
  run: JobRun,
  work: (scope: HostScope) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    return await withHost(db, hostOf(run), async scope => {
      const outcome = await work(scope);
      if (isFailure(outcome) || !(await insertReply(allOf(scope), replyOf(run, outcome))))
        throw new TurnedDown(outcome);
      const cache = cacheOf(run);
      // The work wrote to the object, so that until this commits nobody else can.
      if (cache) await insertReply(allOf(scope), cachedReplyOf(run, cache, outcome));
      return outcome;
    });
  } catch (error) {
    if (!(error instanceof TurnedDown)) throw error;
    if (isFailure(error.outcome)) return error.outcome;
    const first = await storedReply(db, run);
    return (first?.outcome as Outcome<T> | undefined) ?? failure('interrupted');
  }
}

function storedReply(db: Db, run: JobRun): Promise<Reply | undefined> {
  return withHosts(db, run.caller.hostIds, scope => findReply(scope, run.jobId));
}

function replyOf(run: JobRun, outcome: Outcome<unknown>): NewReply {
  const { jobId, operation, idempotencyKey, bodyMac } = run;
  return { jobId, operation, key: idempotencyKey, bodyHash: bodyMac, outcome, isKept: isKept(outcome.code) };
}

function allOf({ tx, hostId }: HostScope): HostsScope {
  return { tx, hostIds: [hostId] };
}

/** Of an operation on one host; what it says of any other host could be read by this one. */
function hostOf({ operation, caller: { hostIds } }: JobRun): string {
  const [hostId] = hostIds;
  if (!hostId || hostIds.length > 1)
    throw new Error(`${operation} works on one host, not on ${hostIds.length}`);
  return hostId;
}
