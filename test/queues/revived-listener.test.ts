import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { openBackend } from '../../queues/transport/backend.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis, makeOwnRedis, usesCluster } from '../support/own-redis.ts';

describeWithRedis('a listener whose connection to Redis has ended for good', () => {
  it('is connected again, also after an attempt that failed and is told of to nobody, gets the events that follow, and stays closed once it is closed', async () => {
    const redis = await makeOwnRedis();
    const errors: string[] = [];
    const onError = ({ message }: Error) => void errors.push(message);
    const backend = await openBackend({ redisUrl: redis.url, databaseUrl: '', onError });
    const events = backend.makeEvents('turns');
    const seen: string[] = [];
    events.on('completed', ({ jobId }) => seen.push(jobId));
    await events.waitUntilReady();
    const client = await (events as unknown as { backend: { client: Promise<Redis> } }).backend.client;
    const { connect } = client;
    let failed = 0;
    client.connect = () => {
      failed += 1;
      client.connect = connect;
      return Promise.reject(new Error('an attempt that came late'));
    };
    client.disconnect();
    const queue = backend.makeQueue('turns');
    const worker = backend.makeWorker('turns', async () => ({ code: 200, sealed: '' }), 1);
    await eventually(
      async () => {
        await queue.add('reason', { hostId: '', sealed: '', bodyMac: '', deadline: 0 } as never);
        return seen.length;
      },
      count => count > 0,
      // BullMQ waits up to 30 s for a client of a cluster that it connects again itself.
      usesCluster ? 45_000 : 15_000,
    );
    expect(errors).not.to.include('an attempt that came late');
    expect(failed).to.equal(1);
    await Promise.all([worker.close(), queue.close(), events.close()]);
    expect(client.status).to.be.oneOf(['end', 'close']);
    await backend.close();
    await redis.kill();
  });
});
