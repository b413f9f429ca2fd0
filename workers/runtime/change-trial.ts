import type { HostScope } from '../../db/with-hosts.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { HandlerJob } from './job.ts';

/** A job in which evaluation cases are rehearsed. */
export type RehearsingJob = Omit<HandlerJob<OperationName>, 'operation' | 'body'>;

export interface TriedChange<T> {
  /** Makes the change. It is called in many transactions, of which only the last one commits. */
  change(scope: HostScope): Promise<Outcome<T>>;
  /** The avatars that it affects, read before it is made. */
  listAvatars(scope: HostScope): Promise<readonly string[]>;
}

/** Commits the change if it breaks no case, and if what the cases were rehearsed with is still the same. */
export type ChangeTrial = <T>(job: RehearsingJob, tried: TriedChange<T>) => Promise<Outcome<T>>;
