import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis, makeOwnRedis, type OwnRedis, usesCluster } from '../support/own-redis.ts';
import { openRedisPair, type RedisPair } from '../support/redis-pair.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';

/** Longer than any time after which a silent connection counts as dead. */
const STANDSTILL_MS = 7_000;

const isTrue = (seen: boolean): boolean => seen;

describeWithRedis('the connection on which replies are received', () => {
  let redis: OwnRedis;
  let pair: RedisPair | undefined;
  beforeEach(async () => {
    redis = await makeOwnRedis();
  });
  afterEach(async () => {
    redis.goOn();
    await pair?.close();
    await redis.kill();
    pair = undefined;
  });
  const open = async (url = redis.url, requesterUrl = url) => {
    pair = await openRedisPair(url, { requesterUrl });
    await eventually(pair.receivesEnds, isTrue);
    return pair;
  };

  it('is back after its server was gone', async () => {
    const { receivesEnds } = await open();
    await redis.kill();
    await redis.start();
    await eventually(receivesEnds, isTrue);
  });

  // A cluster has several.
  const itWithOneAddress = usesCluster ? it.skip : it;

  itWithOneAddress('is replaced when it is open and silent', async () => {
    const address = await makeSwitchableProxy(redis.url);
    const { receivesEnds } = await open(redis.url, address.url);
    address.silence();
    await eventually(receivesEnds, isTrue, 30_000);
    await pair?.close();
    pair = undefined;
    await address.close();
  });

  it('is back after this process was stopped', async () => {
    const { receivesEnds } = await open();
    // Blocks the event loop: timers and sockets find everything late, as after SIGSTOP and SIGCONT.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS);
    await eventually(receivesEnds, isTrue);
  });

  itWithOneAddress(
    'moves to the server that its address leads to, although the old one keeps it open',
    async () => {
      const next = await makeOwnRedis();
      const address = await makeSwitchableProxy(redis.url);
      const [old, other] = [new Redis(redis.url), new Redis(next.url)];
      const { receivesEnds } = await open(address.url);
      address.switchTo(next.url);
      // It is the replica of nobody: it refuses to write, and passes on no messages of the other server.
      await old.replicaof('127.0.0.1', '1');
      await eventually(receivesEnds, isTrue);
      expect(await other.pubsub('CHANNELS', '{parley:turns}:ended:*')).to.have.length(2);
      await eventually(
        () => old.pubsub('CHANNELS'),
        seen => seen.length === 0,
      );
      await pair?.close();
      pair = undefined;
      for (const client of [old, other]) client.disconnect();
      await Promise.all([address.close(), next.kill()]);
    },
  );

  for (const [state, leave] of [
    ['gone', (server: OwnRedis) => server.kill()],
    ['frozen', async (server: OwnRedis) => server.freeze()],
  ] as const) {
    it(`is closed although its server is ${state}`, async () => {
      const { close } = await open();
      await leave(redis);
      pair = undefined;
      await close();
    });
  }
});
