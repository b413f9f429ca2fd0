import { createRedisBackend, type RedisQueueBackend } from 'bullmq';
import { LOCK_MS, type OpenStore } from '../parts.ts';
import { makeRedisCalls } from './calls.ts';
import { keyPrefixOf, makeRedisConnections } from './connections.ts';
import { keepConnected, reconnect } from './parts.ts';
import { channelPrefixOf, makeRedisReplies } from './replies.ts';
import { makeRedisStore } from './store.ts';

export async function openRedis(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  const connections = makeRedisConnections(url);
  const client = connections.openStore();
  const store = await makeRedisStore(client, onError);
  return {
    store: {
      ...store,
      async close() {
        connections.close();
        await store.close();
      },
    },
    maxConcurrentAdds: 512,
    polling: { firstMs: 250, maxMs: 2_000 },
    factory: createRedisBackend,
    producer: queue => ({ prefix: keyPrefixOf(queue), connection: connections.producer() }),
    consumer: queue => ({ prefix: keyPrefixOf(queue), connection: connections.consumer() }),
    makeCalls: (library, queue, now) =>
      makeRedisCalls(library as RedisQueueBackend, {
        lockMs: LOCK_MS,
        channelPrefix: channelPrefixOf(queue),
        now,
      }),
    makeEnds: () =>
      makeRedisReplies(() => connections.openSubscriber(client), { find: store.findEnds, onError }),
    keepConnected(parts, ends, signal) {
      keepConnected(parts.all, signal);
      store.onOtherServer(() => {
        parts.all.forEach(reconnect);
        ends.reconnect();
      });
    },
  };
}
