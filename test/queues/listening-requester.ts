import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { startWithAttempts } from '../../platform/start-attempts.ts';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import type { EndSubscription, JobData, JobReply } from '../../queues/transport/store.ts';
import { eventually } from '../support/eventually.ts';

export interface ReceivedEnd {
  readonly jobId: string;
  readonly reply: JobReply | undefined;
}

/** The asking side of a queue on PostgreSQL, as far as it is notified of ends: it polls nothing. */
export interface ListeningRequester {
  readonly received: readonly ReceivedEnd[];
  readonly backend: Backend;
  readonly errors: readonly string[];
  /** How often it was notified that it may have missed something. */
  gaps(): number;
  /** Adds a job of this requester; returns its id. */
  add(data?: Partial<JobData>): Promise<string>;
  waitForEndOf(jobId: string): Promise<ReceivedEnd>;
  /** Whether the end of a new job is received. */
  receivesEnds(): Promise<boolean>;
  close(): Promise<void>;
}

const RECEIVED_WITHIN_MS = 1_000;

export async function openListeningRequester(databaseUrl: string): Promise<ListeningRequester> {
  const errors: string[] = [];
  const onError = (error: Error) => errors.push(error.message);
  // As a process starts: a queue whose first connection took too long is never ready.
  const { backend, queue } = await startWithAttempts(pino({ enabled: false }), async keep => {
    const backend = keep(await openBackend({ databaseUrl, onError }));
    const queue = backend.makeQueue('turns');
    await queue.waitUntilReady();
    return { backend, queue };
  });
  const received: ReceivedEnd[] = [];
  let gaps = 0;
  const listening: EndSubscription = backend.ends.listen('turns', {
    noteEnd: (jobId, reply) => received.push({ jobId, reply }),
    notePiece: () => {},
    noteGap: () => (gaps += 1),
  });
  await listening.waitUntilReady();
  const add = async (data: Partial<JobData> = {}) => {
    const jobId = `k${randomUUID().replaceAll('-', '')}`;
    const replyTo = backend.ends.requester;
    const whole = { requestId: 'r', hostId: null, deadline: 0, sealed: 'body', replyTo, ...data };
    await backend.addJob(queue, { jobId, name: 'reason', data: whole });
    return jobId;
  };
  const waitForEndOf = async (jobId: string, limitMs?: number) => {
    const find = () => received.find(end => end.jobId === jobId);
    return (await eventually(find, end => end !== undefined, limitMs)) as ReceivedEnd;
  };
  return {
    received,
    backend,
    errors,
    gaps: () => gaps,
    add,
    waitForEndOf,
    // The job may not even be added while the store is away.
    receivesEnds: async () => {
      const ended = add().then(jobId => waitForEndOf(jobId, RECEIVED_WITHIN_MS));
      return ended.then(
        () => true,
        () => false,
      );
    },
    async close() {
      await Promise.all([queue.close(), listening.close()]);
      await backend.close();
    },
  };
}
