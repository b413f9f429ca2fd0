import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { type Db, isDatabaseUnavailable, isDiskFull } from '../../db/connection.ts';
import { type Actor, setActor } from '../../db/hosts/actor.ts';
import { isOperator } from '../../db/hosts/tokens.ts';
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
import { DISK_FULL, failure, isFailure, isFinal, type Outcome } from '../../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { queues } from '../../queues/contract/queues.ts';
import type { Job, JobHandler } from '../../queues/transport/consumer.ts';
import { isKeyReused } from '../../queues/transport/request.ts';
import { addCallbackEvent } from './add-event.ts';
import { HostGate, refuseBusyHost, weightOf } from './host-gate.ts';
import { actorOf, type Handler, type Handlers, type JobOf, type UnstoredReply } from './job.ts';
import { COMMIT_LIMITS, HOSTS_LIMITS, type Pools } from './pools.ts';

/** The time within which the database must tell whether an unanswered commit succeeded. */
const FIND_WITHIN_MS = 2_000;

/** Thrown to roll the transaction back; carries the outcome that is replied instead. */
class RollbackError extends Error {
  readonly outcome: Outcome<unknown>;

  constructor(outcome: Outcome<unknown>) {
    super('rolled back');
    this.outcome = outcome;
  }
}

interface RunParts {
  readonly withConnection: ConnectionGate;
  readonly owner: Db;
}

/** Runs work that needs a connection once the job's host may use one more. */
type ConnectionGate = <T>(job: Job, work: () => Promise<Outcome<T>>) => Promise<Outcome<T>>;

/**
 * Replies to each job once: a run first looks for the reply that an earlier run of the same job committed, and only then
 * calls the handler. Other replies are stored for an idempotency key and for `/jobs/{id}`.
 */
export function makeJobHandler(
  hosts: Db,
  handlers: Handlers,
  database: OutageLog,
  { turns = hosts, heavy = hosts, owner = hosts }: Partial<Pools> = {},
): JobHandler {
  const dbFor = (job: Job) => {
    if (weightOf(job)) return heavy;
    return queues[job.queue].pool ? turns : hosts;
  };
  const withConnection = makeConnectionGate();
  return {
    async handle(job) {
      const db = dbFor(job);
      try {
        return (
          (await findCheckedReplyOfEarlierRun(db, job)) ??
          (await findCachedReply(db, job)) ??
          (await handleRun(db, job, handlers[job.operation as OperationName] as Handler<OperationName>, {
            withConnection,
            owner,
          }))
        );
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        database.noteFailure(error);
        return failure('unavailable', isDiskFull(error) ? { hint: DISK_FULL } : {});
      }
    },
    async storeOutcome(job, outcome) {
      // An outcome that frees its key is stored only for callers who did not wait for it.
      if (!job.isAsync && !(job.idempotencyKey !== undefined && isFinal(outcome.code))) return;
      try {
        await withHosts(dbFor(job), job.caller.hostIds, async scope => {
          const isStored = await insertReply(scope, replyOf(job, outcome));
          if (!job.callback) return;
          // A commit that outlasted the run, or a newer turn, may have stored the reply: the job has ended with that.
          const kept = isStored ? undefined : await findReplyOfJob(scope, job.jobId);
          const told = kept && !isKeyReused(kept, job) ? (kept.outcome as Outcome<unknown>) : outcome;
          await addCallbackEvent({ tx: scope.tx, hostId: hostOf(job) }, job, told);
        });
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        database.noteFailure(error);
      }
    },
  };
}

/** The gate keeps one host from taking all connections; heavy jobs have limits of their own. */
function makeConnectionGate(): ConnectionGate {
  const calls = new HostGate(HOSTS_LIMITS);
  const commits = new Gate(COMMIT_LIMITS);
  return (job, work) => {
    if (weightOf(job)) return work();
    const { signal, lendSlot, queue } = job;
    const { isFair, pool } = queues[queue];
    const entry = { key: hostOf(job), signal };
    const gate = pool ? commits : calls;
    // A rush waits in a fair queue: its jobs are not refused.
    return gate.run(isFair ? entry : { ...entry, lendSlot }, work).catch(refuseBusyHost);
  };
}

/** An earlier run may commit after this one looked for its reply, and its rows may cause this failure. */
async function handleRun(
  db: Db,
  job: Job,
  handler: Handler<OperationName>,
  parts: RunParts,
): Promise<Outcome<unknown>> {
  const outcome = await handler(bindJob(db, job, parts));
  return isFailure(outcome) ? ((await findCheckedReplyOfEarlierRun(db, job)) ?? outcome) : outcome;
}

function bindJob(db: Db, job: Job, { withConnection, owner }: RunParts): JobOf<OperationName> {
  // The spread is last: see `makeJob` in the consumer.
  return {
    hostId: job.caller.hostIds[0] ?? '',
    commit: work => withConnection(job, () => commitWork(db, job, work)),
    commitAsOperator: work => settleCommit(db, job, () => commitAsOperator(owner, job, work)),
    async commitAll(jobs, work) {
      const committed = await withConnection(job, async () => ({
        code: 200,
        data: await commitWorks(db, jobs, work),
      }));
      return isFailure(committed) ? jobs.map(() => committed) : committed.data;
    },
    read: work => withConnection(job, () => withHost(db, hostOf(job), scope => readWork(scope, job, work))),
    replyOf: outcome => replyOf(job, outcome),
    findCheckedReply: () => findCheckedReply(db, job),
    ...(job as Job & { operation: OperationName; body: never }),
  };
}

async function findCheckedReplyOfEarlierRun(db: Db, job: Job): Promise<Outcome<unknown> | undefined> {
  return job.isRerun || job.idempotencyKey !== undefined ? findCheckedReply(db, job) : undefined;
}

/** Returns the final outcome that is stored for the run's job; a failure where the key was used with another body. */
async function findCheckedReply(db: Db, job: Job): Promise<Outcome<unknown> | undefined> {
  const earlier = await withHosts(db, job.caller.hostIds, scope => findReplyOfJob(scope, job.jobId));
  if (!earlier?.isFinal) return undefined;
  return isKeyReused(earlier, job) ? failure('key-reused') : (earlier.outcome as Outcome<unknown>);
}

async function findCachedReply(db: Db, job: Job): Promise<Outcome<unknown> | undefined> {
  const cache = cacheOf(job);
  if (!cache) return undefined;
  const cached = await withHost(db, hostOf(job), ({ tx, hostId }) =>
    findReplyOfJob({ tx, hostIds: [hostId] }, cache.key),
  );
  return cached?.outcome as Outcome<unknown> | undefined;
}

async function readWork<T>(
  scope: HostScope,
  job: Job,
  work: (scope: HostScope) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const cache = cacheOf(job);
  const isLocked = cache && (await lockSubject(scope, cache.table, cache.subjectId));
  const outcome = await work(scope);
  if (isLocked && !isFailure(outcome))
    await insertReply(toHostsScope(scope), toCachedReply(job, cache, outcome));
  return outcome;
}

function commitWork<T>(
  db: Db,
  job: Job,
  work: (scope: HostScope) => Promise<Outcome<T> | UnstoredReply<T>>,
): Promise<Outcome<T>> {
  const store = async (scope: HostScope) => {
    const cache = cacheOf(job);
    const isLast = !job.callback && !cache;
    const outcome = await storeWorked(scope, job, await work(scope), isLast);
    if (isFailure(outcome)) throw new RollbackError(outcome);
    await addCallbackEvent(scope, job, outcome);
    // The work wrote to the subject, so it holds that row's lock until this commits: the cached reply is current.
    if (cache) await insertReply(toHostsScope(scope), toCachedReply(job, cache, outcome));
    return outcome;
  };
  return settleCommit(db, job, () => withHost(db, hostOf(job), store, auditedActorOf(job)));
}

/** Stores the reply of work that succeeded, unless its own statement does. */
async function storeWorked<T>(
  scope: HostScope,
  job: Job,
  worked: Outcome<T> | UnstoredReply<T>,
  isLast: boolean,
): Promise<Outcome<T>> {
  if ('store' in worked) return worked.store(replyOf(job, worked.outcome), isLast);
  if (isFailure(worked) || (await insertReply(toHostsScope(scope), replyOf(job, worked)))) return worked;
  throw new RollbackError(worked);
}

function commitAsOperator<T>(
  owner: Db,
  job: Job,
  work: (tx: Knex.Transaction) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  return owner.transaction(async tx => {
    const { hostIds } = job.caller;
    const mayWork = await isOperator(tx, job.caller);
    await setActor(tx, actorOf(job));
    const outcome = mayWork ? await work(tx) : failure('operators-only');
    if (isFailure(outcome)) throw new RollbackError(outcome);
    // Before there is a host, a command alone can ask, and nobody repeats that.
    const isStored = hostIds.length === 0 || (await insertReply({ tx, hostIds }, replyOf(job, outcome)));
    if (!isStored) throw new RollbackError(outcome);
    return outcome;
  });
}

/** Returns the reply that is committed, whether this run or another one stored it. */
async function settleCommit<T>(db: Db, job: Job, commit: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await commit();
  } catch (error) {
    if (error instanceof RollbackError) {
      if (isFailure(error.outcome)) return error.outcome;
      return ((await findCheckedReply(db, job)) as Outcome<T> | undefined) ?? failure('interrupted');
    }
    if (!isDatabaseUnavailable(error)) throw error;
    // A commit may have succeeded without an answer.
    const committed = await withinMs(findCheckedReply(db, job), FIND_WITHIN_MS).catch(() => undefined);
    if (!committed) throw error;
    return committed as Outcome<T>;
  }
}

async function commitWorks<T>(
  db: Db,
  jobs: readonly Job[],
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
    // Another run was first with one of them, whose effect must not be committed again.
    if ((await insertReplies(scope, replies)) < done.length) throw new Error('a job has a reply already');
    for (const { job, outcome } of done) await addCallbackEvent(scope, job, outcome);
    return outcomes;
  });
}

/** Undefined for turns and records, which change no configuration and so skip the audit. */
function auditedActorOf(job: Job): Actor | undefined {
  const { scope } = operationOf(job.operation as OperationName);
  return scope === 'manage' || scope === 'admin' ? actorOf(job) : undefined;
}

function replyOf(job: Job, outcome: Outcome<unknown>): NewReply {
  const { jobId, operation, idempotencyKey, bodyMac } = job;
  return { jobId, operation, key: idempotencyKey, bodyMac: bodyMac, outcome, isFinal: isFinal(outcome.code) };
}

/** Returns the host of a host-bound operation. With more than one, a host could read another's reply. */
function hostOf({ operation, caller: { hostIds } }: Job): string {
  const [hostId] = hostIds;
  if (!hostId || hostIds.length > 1)
    throw new Error(`${operation} works on one host, not on ${hostIds.length}`);
  return hostId;
}

interface Cache {
  /** Equal for the same operation with the same body; never equal to the id of a job. */
  readonly key: string;
  readonly table: Subject;
  /** The row that the reply depends on. */
  readonly subjectId: string;
  readonly ttlMs: number;
}

/** The cache entry of this request, if its operation has a cache. */
export function cacheOf({ operation, body }: Pick<Job, 'operation' | 'body'>): Cache | undefined {
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

function toCachedReply({ operation }: Job, cache: Cache, outcome: Outcome<unknown>): NewReply {
  const { key, subjectId, ttlMs } = cache;
  return { jobId: key, operation, outcome, isFinal: true, about: subjectId, ttlMs };
}
