import { createRedisBackend, type RedisQueueBackend } from 'bullmq';
import { LOCK_MS, type OpenStore } from '../parts.ts';
import { makeRedisCalls } from './calls.ts';
import { keepConnected, reconnect } from './parts.ts';
import { channelPrefixOf, makeRedisReplies } from './replies.ts';
import { keyPrefixOf, makeRedisConnections, makeRedisStore } from './store.ts';

export async function openRedis(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  const store = await makeRedisStore(url, onError);
  const { producer, consumer } = makeRedisConnections(url);
  return {
    store,
    maxConcurrentAdds: 512,
    polling: { firstMs: 250, maxMs: 2_000 },
    factory: createRedisBackend,
    producer: queue => ({ prefix: keyPrefixOf(queue), connection: producer }),
    consumer: queue => ({ prefix: keyPrefixOf(queue), connection: consumer }),
    makeCalls: (library, queue, now) =>
      makeRedisCalls(library as RedisQueueBackend, {
        lockMs: LOCK_MS,
        channelPrefix: channelPrefixOf(queue),
        now,
      }),
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
