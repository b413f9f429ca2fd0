import type { HostScope } from '../../db/with-hosts.ts';
import type { Failure, Outcome } from '../../queues/contract/failure.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { HandlerJob } from './job.ts';

/** A job in which evaluation cases are rehearsed. */
export type RehearsingJob = Omit<HandlerJob<OperationName>, 'operation' | 'body'>;

export interface TriedChange {
  /** Makes the change, which is rolled back. */
  change(scope: HostScope): Promise<Outcome<unknown>>;
  /** The avatars that it affects, read before it and after it. */
  listAvatars(scope: HostScope): Promise<readonly string[]>;
}

/** Refuses a change that breaks cases; undefined where it may be saved. */
export type ChangeTrial = (job: RehearsingJob, tried: TriedChange) => Promise<Failure | undefined>;
