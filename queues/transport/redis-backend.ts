import { createRedisBackend, type RedisQueueBackend } from 'bullmq';
import { gatherAdds } from './gathered-adds.ts';
import { gatherTakes } from './gathered-takes.ts';
import { LOCK_MS, type OpenStore, type ParleyQueue, type ParleyWorker } from './parts.ts';
import { keepConnected, reconnect } from './redis-parts.ts';
import { channelPrefixOf, makeRedisReplies } from './redis-replies.ts';
import { makeRedisConnections, makeRedisStore } from './redis-store.ts';
import { tellAskers } from './tell-askers.ts';

/** A hash tag: Redis Cluster keeps all keys in one slot, which BullMQ's scripts require. */
const REDIS_PREFIX = '{parley}';

export interface RedisOptions {
  onError(error: Error): void;
  /**
   * Whether the adds, takes and completions of this queue go through scripts of ours; default: all queues. They know no
   * priorities: a queue that has some is better left to BullMQ's own calls, although both work on the same keys.
   */
  readonly isGathered?: (queue: string) => boolean;
}

export async function openRedis(
  url: string,
  { onError, isGathered = () => true }: RedisOptions,
): Promise<OpenStore> {
  const store = await makeRedisStore(url, onError);
  const { producer, consumer } = makeRedisConnections(url);
  const backendOf = (part: ParleyQueue | ParleyWorker) => part.getBackend() as RedisQueueBackend;
  const callOptions = (queue: string, now: () => number) => ({
    lockMs: LOCK_MS,
    channelPrefix: channelPrefixOf(queue),
    now,
  });
  return {
    store,
    // Those of one turn of the event loop are one command.
    maxConcurrentAdds: 512,
    polling: { firstMs: 250, maxMs: 2_000 },
    factory: createRedisBackend,
    producer: { prefix: REDIS_PREFIX, connection: producer },
    consumer: { prefix: REDIS_PREFIX, connection: consumer },
    prepareQueue(queue, now) {
      if (isGathered(queue.name)) gatherAdds(backendOf(queue), callOptions(queue.name, now));
    },
    prepareWorker(worker, now) {
      tellAskers(backendOf(worker), channelPrefixOf(worker.name));
      if (isGathered(worker.name)) gatherTakes(backendOf(worker), worker, callOptions(worker.name, now));
    },
    makeEnds: () => makeRedisReplies(url, { find: store.findEnds, onError }),
    keepConnected(parts, ends, signal) {
      keepConnected(parts.all, signal, onError);
      store.onOtherServer(() => {
        parts.all.forEach(reconnect);
        ends.reconnect();
      });
    },
  };
}
