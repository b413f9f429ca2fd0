import type { QueueName } from '../../queues/contract/operation.ts';
import { type Backend, openBackend, type ParleyQueue } from '../../queues/transport/backend.ts';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

/** Looks into a queue's store from outside. */
export interface QueueWatch {
  /** Resolves once so many jobs in all came into the queue since the watch began, whatever became of them. */
  hasTaken(jobs: number): Promise<void>;
  /** Resolves once the oldest job that nobody has taken up waits for longer than this. */
  hasOneWaiting(longerThanMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function watchQueue(service: Service, name: QueueName): Promise<QueueWatch> {
  const backend: Backend = await openBackend({ ...service.settings, onError: () => {} });
  const queue: ParleyQueue = backend.makeQueue(name);
  await queue.waitUntilReady();
  const count = () => queue.getJobCountByTypes('waiting', 'active', 'completed', 'failed');
  const before = await count();
  return {
    async hasTaken(jobs) {
      await eventually(count, seen => seen >= before + jobs);
    },
    async hasOneWaiting(longerThanMs) {
      const oldest = async () => (await backend.backlog(queue)).oldest ?? Number.POSITIVE_INFINITY;
      await eventually(oldest, since => backend.now() - since > longerThanMs);
    },
    async close() {
      await queue.close();
      await backend.close();
    },
  };
}
