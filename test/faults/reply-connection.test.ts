import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openRedisPair, type RedisPair } from '../queues/redis-pair.ts';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis, makeOwnRedis, usesCluster } from '../support/own-redis.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';

/** Longer than any time after which a silent connection counts as dead. */
const STANDSTILL_MS = 7_000;

describeWithRedis('the connection on which replies are received', () => {
  type Open = (url?: string, requesterUrl?: string) => Promise<RedisPair>;
  /** With a Redis, and a function that connects both sides to it, or to another address. */
  const onRedis = (test: (redis: OwnRedis, open: Open) => Promise<void>) => async () => {
    const redis = await makeOwnRedis();
    let pair: RedisPair | undefined;
    try {
      await test(redis, async (url = redis.url, requesterUrl = url) => {
        const opened = await openRedisPair(url, { requesterUrl });
        pair = opened;
        await eventually(opened.receivesEnds, true);
        const close = () => {
          pair = undefined;
          return opened.close();
        };
        return { ...opened, close };
      });
    } finally {
      redis.goOn();
      await pair?.close();
      await redis.kill();
    }
  };
  const closeAfter = (leave: (redis: OwnRedis) => Promise<void>) =>
    onRedis(async (redis, open) => {
      const { close } = await open();
      await leave(redis);
      await close();
    });

  it(
    'is back after this process was stopped',
    onRedis(async (_redis, open) => {
      const { receivesEnds } = await open();
      // Blocks the event loop: timers and sockets find everything late, as after SIGSTOP and SIGCONT.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS);
      await eventually(receivesEnds, true);
    }),
  );

  const withOneAddress = {
    'is replaced when it is open and silent': onRedis(async (redis, open) => {
      const address = await makeSwitchableProxy(redis.url);
      const { receivesEnds, close } = await open(redis.url, address.url);
      address.silence();
      await eventually(receivesEnds, true);
      await close();
      await address.close();
    }),
    'moves to the server that its address leads to, although the old one keeps it open': onRedis(
      async (redis, open) => {
        const next = await makeOwnRedis();
        const address = await makeSwitchableProxy(redis.url);
        const [old, other] = [new Redis(redis.url), new Redis(next.url)];
        const { receivesEnds, close } = await open(address.url);
        address.switchTo(next.url);
        // It is the replica of nobody: it refuses to write, and passes on no messages of the other server.
        await old.replicaof('127.0.0.1', '1');
        await eventually(receivesEnds, true);
        expect(await other.pubsub('CHANNELS', '{parley:turns}:ended:*')).to.have.length(2);
        await eventually(() => old.pubsub('CHANNELS'), { length: 0 });
        await close();
        for (const client of [old, other]) client.disconnect();
        await Promise.all([address.close(), next.kill()]);
      },
    ),
  };

  itAtOnce({
    'is back after its server was gone': onRedis(async (redis, open) => {
      const { receivesEnds } = await open();
      await redis.kill();
      await redis.start();
      await eventually(receivesEnds, true);
    }),
    // A cluster has several.
    ...(usesCluster ? {} : withOneAddress),
    'is closed although its server is gone': closeAfter(redis => redis.kill()),
    'is closed although its server is frozen': closeAfter(async redis => redis.freeze()),
  });
});
