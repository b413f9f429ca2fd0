import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { Actor } from '../../db/hosts/actor.ts';
import type { NewReply } from '../../db/replies.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { Extras } from '../../queues/contract/operation.ts';
import type { BodyOf, DataOf, ExtrasOf, OperationName } from '../../queues/contract/operations/index.ts';
import type { Job } from '../../queues/transport/consumer.ts';

export type JobOf<N extends OperationName> = Omit<Job, 'body' | 'operation' | keyof Extras> &
  ExtrasOf<N> & {
    readonly operation: N;
    readonly body: BodyOf<N>;
    /** The host of a host-bound operation; otherwise the first host of the token. */
    readonly hostId: string;
    /**
     * Commits `work` and the reply together, so that a job that is run again (after a crash, or by a client's retry)
     * returns the first run's reply instead of a second effect. When `work` refuses, or another run was first, the
     * transaction is rolled back. Where the operation has a cache, `work` must update the cached subject. A handler writes
     * outside of it only what is safe to repeat: the claim of a turn, received and refused records, search events, the order
     * of a reindex.
     */
    commit<T>(work: (scope: HostScope) => Promise<Outcome<T> | UnstoredReply<T>>): Promise<Outcome<T>>;
    /**
     * Commits these jobs together, as `commit` does: all of this host, and of operations without a cache. `work` returns their
     * outcomes in order; for one that refuses, or is undefined, it must have written nothing. Rejects, and writes nothing, if
     * one of them has a reply already.
     */
    commitAll<T>(
      jobs: readonly Job[],
      work: (scope: HostScope) => Promise<readonly (Outcome<T> | undefined)[]>,
    ): Promise<readonly (Outcome<T> | undefined)[]>;
    /**
     * Does the same for what operators change and no host may, such as tokens: as the owner of the tables, on any host. Refuses
     * if the caller is no operator any more.
     */
    commitAsOperator<T>(work: (tx: Knex.Transaction) => Promise<Outcome<T>>): Promise<Outcome<T>>;
    /** Reads as the host, in one transaction. Where the operation has a cache, this and `commit` fill it. */
    read<T>(work: (scope: HostScope) => Promise<Outcome<T>>): Promise<Outcome<T>>;
    /** The row of this reply, for work that stores it in a transaction of its own. */
    replyOf(outcome: Outcome<unknown>): NewReply;
    /**
     * Returns the final reply that an earlier run of this job committed, even after this run began; undefined once it has
     * expired. Returns a failure if that reply was to another request under the same key.
     */
    findCheckedReply(): Promise<Outcome<unknown> | undefined>;
  };

/** Work that stores the reply in its last statement returns this, and saves a round trip. */
export interface UnstoredReply<T> {
  readonly outcome: Outcome<T>;
  /** Returns a failure if nothing is to be committed. `isLast`: nothing else is stored after it. */
  store(reply: NewReply, isLast: boolean): Promise<Outcome<T>>;
}

/** Who acts, for the audit. */
export function actorOf({ operation, caller }: Pick<Job, 'operation' | 'caller'>): Actor {
  const { tokenId, tokenName: name, isCommand } = caller;
  return isCommand ? { kind: 'command', name, operation } : { kind: 'token', tokenId, name, operation };
}

/** Stands in a reply for a secret; a caller that sends it back keeps the stored one. */
export const MASK = '***';

/**
 * Puts the secret into the reply if this run stored it. A reply that another run of this job stored is about that run's secret, and
 * keeps its mask. After an unanswered commit, the stored reply is a copy of this run's: `own` must differ in each run, so have a
 * new id or time.
 */
export function showOnce<T extends object>(
  outcome: Outcome<T>,
  own: Outcome<T> | undefined,
  secret: Partial<T>,
): Outcome<T> {
  if (isFailure(outcome) || !isDeepStrictEqual(outcome, own)) return outcome;
  return { ...outcome, data: { ...outcome.data, ...secret } };
}

export type Handler<N extends OperationName> = (job: JobOf<N>) => Promise<Outcome<DataOf<N>>>;

export type Handlers = { readonly [N in OperationName]: Handler<N> };

export interface TriedChange<T> {
  /** Makes the change. It is called in many transactions, of which only the last one commits. */
  change(scope: HostScope): Promise<Outcome<T>>;
  /** The avatars that it affects, read before it is made. */
  listAvatars(scope: HostScope): Promise<readonly string[]>;
}

/** Commits the change if it breaks no case, and if the inputs of its rehearsals are still the same. */
export type ChangeTrial = <T>(job: JobOf<OperationName>, tried: TriedChange<T>) => Promise<Outcome<T>>;
