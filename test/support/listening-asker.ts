import { randomUUID } from 'node:crypto';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import type { EndSubscription, JobData, JobReply } from '../../queues/transport/store.ts';
import { eventually } from './eventually.ts';

export interface HeardEnd {
  readonly jobId: string;
  readonly reply: JobReply | undefined;
}

/** The asking side of a queue on PostgreSQL, as far as it hears of ends: it polls nothing. */
export interface ListeningAsker {
  readonly heard: readonly HeardEnd[];
  readonly backend: Backend;
  readonly errors: readonly string[];
  /** How often it was told that it may have missed something. */
  gaps(): number;
  /** Adds a job of this asker; returns its id. */
  add(data?: Partial<JobData>): Promise<string>;
  hearsEndOf(jobId: string): Promise<HeardEnd>;
  /** Whether the end of a new job is heard. */
  hears(): Promise<boolean>;
  close(): Promise<void>;
}

const HEARD_WITHIN_MS = 1_000;

export async function openListeningAsker(databaseUrl: string): Promise<ListeningAsker> {
  const errors: string[] = [];
  const backend = await openBackend({ databaseUrl, onError: error => errors.push(error.message) });
  const queue = backend.makeQueue('turns');
  const heard: HeardEnd[] = [];
  let gaps = 0;
  const listening: EndSubscription = backend.ends.listen('turns', {
    noteEnd: (jobId, reply) => heard.push({ jobId, reply }),
    noteGap: () => (gaps += 1),
  });
  await Promise.all([queue.waitUntilReady(), listening.waitUntilReady()]);
  const add = async (data: Partial<JobData> = {}) => {
    const jobId = `k${randomUUID().replaceAll('-', '')}`;
    const replyTo = backend.ends.asker;
    const whole = { requestId: 'r', hostId: null, deadline: 0, sealed: 'body', replyTo, ...data };
    await backend.addJob(queue, { jobId, name: 'reason', data: whole });
    return jobId;
  };
  const hearsEndOf = async (jobId: string, limitMs?: number) => {
    const find = () => heard.find(end => end.jobId === jobId);
    return (await eventually(find, end => end !== undefined, limitMs)) as HeardEnd;
  };
  return {
    heard,
    backend,
    errors,
    gaps: () => gaps,
    add,
    hearsEndOf,
    // The job may not even be added while the store is away.
    hears: async () => {
      const ended = add().then(jobId => hearsEndOf(jobId, HEARD_WITHIN_MS));
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
