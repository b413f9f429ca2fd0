import type { HostScope } from '../../db/with-hosts.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf, OperationName } from '../../queues/contract/operations/index.ts';
import type { JobRun } from '../../queues/transport/consumer.ts';

/** One request, as its handler sees it. */
export interface HandlerJob<N extends OperationName>
  extends Omit<JobRun, 'body' | 'operation' | 'isRerun' | 'bodyMac'> {
  readonly operation: N;
  readonly body: BodyOf<N>;
  /** The host of a host-bound operation; the first of the token's elsewhere. */
  readonly hostId: string;
  /**
   * The only way to write: `work` and the reply are committed together, so that a job that is run again (after
   * a crash, or by a client's retry) gives the first run's reply instead of a second effect. When `work` refuses,
   * or another run was first, nothing of it stays. Where the operation has a cache, `work` writes to its object.
   */
  commit<T>(work: (scope: HostScope) => Promise<Outcome<T>>): Promise<Outcome<T>>;
  /** Reads as the host, in one transaction. Where the operation has a cache, this or `commit` is what fills it. */
  read<T>(work: (scope: HostScope) => Promise<Outcome<T>>): Promise<Outcome<T>>;
  /** What an earlier run of this job committed, also after this one began; undefined once that is no longer kept. */
  findReply(): Promise<Outcome<unknown> | undefined>;
}

export type Handler<N extends OperationName> = (job: HandlerJob<N>) => Promise<Outcome<DataOf<N>>>;

/** Every operation has a handler: one that is missing does not compile. */
export type Handlers = { readonly [N in OperationName]: Handler<N> };
