import type { QueueName } from '../../queues/contract/queues.ts';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import type { ParleyQueue } from '../../queues/transport/parts.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';

/** Observes a queue store from outside. */
export interface QueueWatch {
  /** Resolves when this many jobs were added since the watch began, whatever their state. */
  hasTaken(jobs: number): Promise<void>;
  /** Resolves when the oldest waiting job has waited longer than this. */
  hasOneWaiting(longerThanMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function watchQueue(service: Service, name: QueueName): Promise<QueueWatch> {
  const backend: Backend = await openBackend({ ...service.settings, onError: () => {} });
  const queue: ParleyQueue = backend.makeQueue(name);
  await queue.waitUntilReady();
  const idsOf = async () =>
    (await queue.getJobs(['waiting', 'prioritized', 'active', 'completed', 'failed'])).map(({ id }) => id);
  const before = new Set(await idsOf());
  return {
    async hasTaken(jobs) {
      // Jobs that ended before the watch began leave the queue meanwhile, so a count of all may fall.
      const added = async () => (await idsOf()).filter(id => !before.has(id));
      await eventually(added, ids => ids.length >= jobs);
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
