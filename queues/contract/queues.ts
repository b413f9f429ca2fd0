/*
 * Queues differ only in these facts: nothing else asks for the name of a queue. Long or sudden work has queues of its own, so
 * that it cannot starve other work; `catalog` is for all other operations.
 */

export interface QueueFacts {
  /**
   * Fair: its jobs are taken in a fair order over their hosts, and slots are kept for hosts that hold none. Records of `intake`
   * wait for the lock of their contact, so otherwise a rush for one contact would delay the records of all hosts. Other queues
   * are first come, first served: their jobs lend their slots while they wait.
   */
  readonly isFair: boolean;
  /** How many of its jobs a worker runs at a time. Default: WORKER_CONCURRENCY. */
  readonly slots?: number;
  /** The connections of its light jobs. Default: the general ones of the worker. */
  readonly pool?: 'turns';
  /** The time limit of its jobs. Default: as long as the request. */
  readonly timeLimitMs?: number;
  /** How error responses name the id of a job. Default: `job_id`. */
  readonly jobIdField?: 'turnId';
  /** Its jobs count tokens, so their worker begins when it has the tokenizer. */
  readonly countsTokens?: true;
}

const queuesOfOperations = {
  turns: { isFair: true, pool: 'turns', jobIdField: 'turnId' },
  catalog: { isFair: false, countsTokens: true },
  intake: { isFair: true },
  search: { isFair: false },
  reports: { isFair: false },
} as const satisfies Record<string, QueueFacts>;

/** Workers add the jobs of these queues themselves, not operations: `job` stands in place of the operation's name. */
export const ownQueues = {
  /**
   * One attempt to deliver an event. The jobs only wait for their receivers, so there are as many slots as are claimed in all: no
   * attempt waits behind a slow receiver.
   */
  deliveries: { job: 'attemptDelivery', isFair: false, slots: 400, timeLimitMs: 40_000, connections: 4 },
  /**
   * Each job is one reading of a document, for each import that has not ended. It runs in a process of its own, which takes a
   * core and minutes; only a document that is fetched lends its slot. The time limit is far above the sum of the limits of its
   * steps.
   */
  documents: { job: 'readDocument', isFair: true, slots: 2, timeLimitMs: 900_000, connections: 4 },
} as const satisfies Record<string, QueueFacts & { job: string; timeLimitMs: number; connections: number }>;

export type OwnQueueName = keyof typeof ownQueues;
export type QueueName = keyof typeof queuesOfOperations | OwnQueueName;

export const queues: { readonly [name in QueueName]: QueueFacts & { readonly job?: string } } = {
  ...queuesOfOperations,
  ...ownQueues,
};
export const queueNames = Object.keys(queues) as QueueName[];
