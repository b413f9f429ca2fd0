import { createHash } from 'node:crypto';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import type { Actor } from '../../db/hosts/actor.ts';
import {
  findReplyOfJob,
  insertReplies,
  insertReply,
  lockSubject,
  type NewReply,
  type Subject,
} from '../../db/replies.ts';
import { type HostScope, toHostsScope, withHost, withHosts } from '../../db/with-hosts.ts';
import { Gate } from '../../platform/gate.ts';
import { withinMs } from '../../platform/link-signals.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { failure, isFailure, isFinal, type Outcome } from '../../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { queues } from '../../queues/contract/queues.ts';
import type { JobHandler, JobRun } from '../../queues/transport/consumer.ts';
import { isKeyReused } from '../../queues/transport/request.ts';
import { addCallbackEvent } from './add-event.ts';
import { HostGate, refuseBusyHost, weightOf } from './host-gate.ts';
import type { Handler, HandlerJob, Handlers, RepliedJob, UnstoredReply } from './job.ts';
import { COMMIT_LIMITS, HOSTS_LIMITS, type Pools } from './pools.ts';

/** How long the database may take to tell whether a commit succeeded that it did not answer. */
const FIND_WITHIN_MS = 2_000;

/** Rolls the transaction back; carries the outcome that is replied instead. */
class RollbackError extends Error {
  readonly outcome: Outcome<unknown>;

  constructor(outcome: Outcome<unknown>) {
    super('rolled back');
    this.outcome = outcome;
  }
}

/** Runs work that needs a connection when the host of the job may use one more. */
type ConnectionGate = <T>(run: JobRun, work: () => Promise<Outcome<T>>) => Promise<Outcome<T>>;

/**
 * Replies to each job once: a run first looks for the reply that an earlier run of the same job committed, and only then
 * calls the handler. Other replies are stored for an idempotency key and for `/jobs/{id}`.
 */
export function makeJobHandler(
  hosts: Db,
  handlers: Handlers,
  database: OutageLog,
  { turns = hosts, heavy = hosts }: Partial<Pools> = {},
): JobHandler {
  const dbFor = (run: JobRun) => {
    if (weightOf(run)) return heavy;
    return queues[run.queue].pool ? turns : hosts;
  };
  const withConnection = makeConnectionGate();
  return {
    async handle(run) {
      const db = dbFor(run);
      try {
        return (
          (await findCheckedReplyOfEarlierRun(db, run)) ??
          (await findCachedReply(db, run)) ??
          (await handleRun(
            db,
            run,
            handlers[run.operation as OperationName] as Handler<OperationName>,
            withConnection,
          ))
        );
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        database.noteFailure(error);
        return failure('unavailable');
      }
    },
    async storeOutcome(run, outcome) {
      // An outcome that frees its key is stored only for callers who did not wait for it.
      if (!run.isAsync && !(run.idempotencyKey !== undefined && isFinal(outcome.code))) return;
      try {
        await withHosts(dbFor(run), run.caller.hostIds, async scope => {
          const isStored = await insertReply(scope, replyOf(run, outcome));
          if (!run.callback) return;
          // A commit that outlasted the run, or a newer turn, may have stored the reply: the job has ended with that.
          const kept = isStored ? undefined : await findReplyOfJob(scope, run.jobId);
          const told = kept && !isKeyReused(kept, run) ? (kept.outcome as Outcome<unknown>) : outcome;
          await addCallbackEvent({ tx: scope.tx, hostId: hostOf(run) }, run, told);
        });
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        database.noteFailure(error);
      }
    },
  };
}

/** One host must not take all connections for itself; heavy jobs have limits of their own. */
function makeConnectionGate(): ConnectionGate {
  const calls = new HostGate(HOSTS_LIMITS);
  const commits = new Gate(COMMIT_LIMITS);
  return (run, work) => {
    if (weightOf(run)) return work();
    const { signal, lendSlot, queue } = run;
    const { isFair, pool } = queues[queue];
    const entry = { key: hostOf(run), signal };
    const gate = pool ? commits : calls;
    // A rush waits in a fair queue: its jobs are not refused.
    return gate.run(isFair ? entry : { ...entry, lendSlot }, work).catch(refuseBusyHost);
  };
}

/** An earlier run may commit after this one looked for its reply; its rows may then be the reason of this failure. */
async function handleRun(
  db: Db,
  run: JobRun,
  handler: Handler<OperationName>,
  withConnection: ConnectionGate,
): Promise<Outcome<unknown>> {
  const outcome = await handler(jobOf(db, run, withConnection));
  return isFailure(outcome) ? ((await findCheckedReplyOfEarlierRun(db, run)) ?? outcome) : outcome;
}

function jobOf(db: Db, run: JobRun, withConnection: ConnectionGate): HandlerJob<OperationName> {
  // The spread is last: see `makeRun` in the consumer.
  return {
    hostId: run.caller.hostIds[0] ?? '',
    commit: work => withConnection(run, () => commitWork(db, run, work)),
    async commitAll(jobs, work) {
      const committed = await withConnection(run, async () => ({
        code: 200,
        data: await commitWorks(db, jobs, work),
      }));
      return isFailure(committed) ? jobs.map(() => committed) : committed.data;
    },
    read: work => withConnection(run, () => withHost(db, hostOf(run), scope => readWork(scope, run, work))),
    findCheckedReply: () => findCheckedReply(db, run),
    ...(run as JobRun & { operation: OperationName; body: never }),
  };
}

async function findCheckedReplyOfEarlierRun(db: Db, run: JobRun): Promise<Outcome<unknown> | undefined> {
  return run.isRerun || run.idempotencyKey !== undefined ? findCheckedReply(db, run) : undefined;
}

/** The final outcome that is stored for the job of the run; a failure where the key was used with another body. */
async function findCheckedReply(db: Db, run: JobRun): Promise<Outcome<unknown> | undefined> {
  const earlier = await withHosts(db, run.caller.hostIds, scope => findReplyOfJob(scope, run.jobId));
  if (!earlier?.isFinal) return undefined;
  return isKeyReused(earlier, run) ? failure('key-reused') : (earlier.outcome as Outcome<unknown>);
}

async function findCachedReply(db: Db, run: JobRun): Promise<Outcome<unknown> | undefined> {
  const cache = cacheOf(run);
  if (!cache) return undefined;
  const cached = await withHost(db, hostOf(run), ({ tx, hostId }) =>
    findReplyOfJob({ tx, hostIds: [hostId] }, cache.key),
  );
  return cached?.outcome as Outcome<unknown> | undefined;
}

async function readWork<T>(
  scope: HostScope,
  run: JobRun,
  work: (scope: HostScope) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const cache = cacheOf(run);
  const isLocked = cache && (await lockSubject(scope, cache.table, cache.subjectId));
  const outcome = await work(scope);
  if (isLocked && !isFailure(outcome))
    await insertReply(toHostsScope(scope), toCachedReply(run, cache, outcome));
  return outcome;
}

async function commitWork<T>(
  db: Db,
  run: JobRun,
  work: (scope: HostScope) => Promise<Outcome<T> | UnstoredReply<T>>,
): Promise<Outcome<T>> {
  try {
    const store = async (scope: HostScope) => {
      const worked = await work(scope);
      const outcome = 'store' in worked ? await worked.store(replyOf(run, worked.outcome)) : worked;
      const isStored =
        'store' in worked ||
        isFailure(outcome) ||
        (await insertReply(toHostsScope(scope), replyOf(run, outcome)));
      if (isFailure(outcome) || !isStored) throw new RollbackError(outcome);
      await addCallbackEvent(scope, run, outcome);
      const cache = cacheOf(run);
      // The work wrote to the subject and so holds its row lock until this commits: the cached reply is current.
      if (cache) await insertReply(toHostsScope(scope), toCachedReply(run, cache, outcome));
      return outcome;
    };
    return await withHost(db, hostOf(run), store, actorOf(run));
  } catch (error) {
    if (error instanceof RollbackError) {
      if (isFailure(error.outcome)) return error.outcome;
      return ((await findCheckedReply(db, run)) as Outcome<T> | undefined) ?? failure('interrupted');
    }
    if (!isDatabaseUnavailable(error)) throw error;
    // A commit that was not answered may have succeeded.
    const committed = await withinMs(findCheckedReply(db, run), FIND_WITHIN_MS).catch(() => undefined);
    if (!committed) throw error;
    return committed as Outcome<T>;
  }
}

async function commitWorks<T>(
  db: Db,
  jobs: readonly RepliedJob[],
  work: (scope: HostScope) => Promise<readonly (Outcome<T> | undefined)[]>,
): Promise<readonly (Outcome<T> | undefined)[]> {
  const [hostId = '', ...others] = new Set(jobs.map(hostOf));
  if (others.length > 0) throw new Error('jobs of several hosts cannot be committed together');
  return withHost(db, hostId, async scope => {
    const outcomes = await work(scope);
    const done = jobs.flatMap((job, at) => {
      const outcome = outcomes[at];
      return outcome && !isFailure(outcome) ? [{ job, outcome }] : [];
    });
    if (done.length === 0) return outcomes;
    const replies = done.map(({ job, outcome }) => replyOf(job, outcome));
    // Another run of one of them was first: its effect must not be committed again.
    if ((await insertReplies(scope, replies)) < done.length) throw new Error('a job has a reply already');
    for (const { job, outcome } of done) await addCallbackEvent(scope, job, outcome);
    return outcomes;
  });
}

/** Undefined for turns and records, which change no configuration: they pay nothing for the audit. */
function actorOf({ operation, caller: { tokenId, tokenName } }: JobRun): Actor | undefined {
  const { scope } = operationOf(operation as OperationName);
  if (scope !== 'manage' && scope !== 'admin') return undefined;
  return { kind: 'token', tokenId, name: tokenName, operation };
}

function replyOf(run: RepliedJob, outcome: Outcome<unknown>): NewReply {
  const { jobId, operation, idempotencyKey, bodyMac } = run;
  return { jobId, operation, key: idempotencyKey, bodyMac: bodyMac, outcome, isFinal: isFinal(outcome.code) };
}

/** The host of a host-bound operation. More than one would let one host read the reply of another. */
function hostOf({ operation, caller: { hostIds } }: RepliedJob): string {
  const [hostId] = hostIds;
  if (!hostId || hostIds.length > 1)
    throw new Error(`${operation} works on one host, not on ${hostIds.length}`);
  return hostId;
}

interface Cache {
  /** Equal for the same operation with the same body; never equal to the id of a job. */
  readonly key: string;
  readonly table: Subject;
  /** The row of the table that the reply depends on. */
  readonly subjectId: string;
  readonly ttlMs: number;
}

/** The cache entry of this request, if its operation has a cache. */
export function cacheOf({ operation, body }: Pick<JobRun, 'operation' | 'body'>): Cache | undefined {
  const { cache } = operationOf(operation as OperationName);
  if (!cache) return undefined;
  const digest = createHash('sha256').update(JSON.stringify([operation, body]));
  const subjectId = (body as Readonly<Record<string, string>>)[cache.idField] ?? '';
  return {
    key: `c${digest.digest('hex').slice(0, 40)}`,
    table: cache.table,
    subjectId,
    ttlMs: cache.seconds * 1_000,
  };
}

function toCachedReply({ operation }: JobRun, cache: Cache, outcome: Outcome<unknown>): NewReply {
  const { key, subjectId, ttlMs } = cache;
  return { jobId: key, operation, outcome, isFinal: true, about: subjectId, ttlMs };
}
