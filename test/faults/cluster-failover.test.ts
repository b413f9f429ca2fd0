import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openBackend } from '../../queues/transport/backend.ts';
import type { JobData } from '../../queues/transport/store.ts';
import { sendDeal } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { makeOwnCluster } from '../support/own-cluster.ts';
import { describeWithRedis } from '../support/own-redis.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type ApiResponse, openOwnService, startService } from '../support/service.ts';

/** Longer than BullMQ waits for an answer of a worker's connection before it connects that again. */
const NOT_OK_MS = 10_000;
/** A few seconds until each client knows the cluster again, and as many until a worker whose wait never ends goes on. */
const BACK_WITHIN_MS = 25_000;
const queueKey = (queue: string) => `{parley:${queue}}:${queue}:wait`;

describeWithRedis('a cluster of Redis that loses a master', () => {
  const cluster = openOnce(() => makeOwnCluster({ nodeTimeoutMs: 2_000 }));
  const service = openOwnService(() => ({ redisUrl: cluster.url, requestTimeoutMs: 20_000 }));

  it('refuses with Retry-After until the replica has taken over, and works on without a restart', async () => {
    service.model.say('Certo.');
    expect((await service.ask('Oi?')).status).to.equal(200);
    const held = hold(say('Em mãos.'));
    service.model.script(held.script);
    const inFlight = service.ask('E esta?');
    await held.held;
    await cluster.killMasterOf(queueKey('turns'));
    const refused = await eventually(
      () => service.ask('Agora?', { conversationId: crypto.randomUUID() }),
      ({ status }) => status !== 200,
    );
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    held.release();
    service.model.say('Certo.');
    await cluster.waitForFailover();
    const mayRetry = ({ status, headers }: ApiResponse) =>
      status === 200 || (status === 503 && headers.has('retry-after'));
    expect(await inFlight).to.satisfy(mayRetry);
    const answer = await eventually(() => service.ask('E agora?'), { status: 200 });
    expect(answer.status).to.equal(200);
    expect((await service.call('/health/ready')).status).to.equal(200);
  });
});

describeWithRedis('a cluster of Redis', () => {
  const cluster = openEach(() => makeOwnCluster({ nodeTimeoutMs: 2_000 }));
  const service = openEach(() => startService({ redisUrl: cluster.url, requestTimeoutMs: 20_000 }));
  const range = { startDate: '2026-01-01', endDate: '2026-02-01' };
  /** A call of each queue that callers wait for; each is answered with a status of its own. */
  const calls: Readonly<Record<string, () => Promise<ApiResponse>>> = {
    turns: () => service.ask('Oi?', { conversationId: crypto.randomUUID() }),
    catalog: () => service.demo.call('createConversation'),
    intake: () => sendDeal(service, 7),
    search: () => service.demo.call('searchFulltext', { query: 'boleto' }),
    reports: () => service.demo.call('getSpend', range),
  };
  const statusesOf = async () => {
    const answers = await Promise.all(Object.values(calls).map(call => call()));
    return answers.map(({ status }) => status);
  };
  const expectAllServed = (before: number[]) => eventually(statusesOf, before, BACK_WITHIN_MS);

  it('that refuses all keys for a while leaves no queue unserved', async () => {
    const before = await statusesOf();
    const serve = await cluster.leaveOneSlot();
    await delay(NOT_OK_MS);
    await serve();
    await expectAllServed(before);
  });

  for (const queue of ['turns', 'intake', 'search'])
    it(`that loses the master of the queue ${queue} leaves no queue unserved`, async () => {
      const before = await statusesOf();
      await cluster.killMasterOf(queueKey(queue));
      await cluster.waitForFailover();
      await expectAllServed(before);
    });

  it('whose master of the turns stands still until its replica has taken over leaves no queue unserved, nor when it goes on', async () => {
    const before = await statusesOf();
    const goOn = await cluster.freezeMasterOf(queueKey('turns'));
    await cluster.waitForFailover();
    await expectAllServed(before);
    goOn();
    await expectAllServed(before);
  });
});

describeWithRedis('a cluster of Redis that is gone', () => {
  it('leaves no call without an end, and no job that its caller was refused', async () => {
    const cluster = await makeOwnCluster({ nodeTimeoutMs: 2_000 });
    const backend = await openBackend({ redisUrl: cluster.url, databaseUrl: '', onError: () => {} });
    const [queue, producer] = [backend.makeQueue('turns'), backend.makeEventsProducer('control')];
    await Promise.all([queue.waitUntilReady(), producer.waitUntilReady()]);
    await cluster.kill();
    await eventually(() => backend.isReady(), false);
    const data = { requestId: '', arrivedAt: 0, hostId: '', deadline: 0, sealed: '' } as unknown as JobData;
    const calls = [
      backend.backlog(queue),
      backend.findPending(queue, ['k1']),
      backend.findFinished(queue, ['k1']),
      backend.ends.find(queue, 0),
      backend.addJob(queue, { jobId: 'k1', name: 'reason', data }),
      producer.publishEvent({ eventName: 'cancel', jobId: 'k1' }, 10),
    ];
    const ends = await Promise.allSettled(calls);
    expect(ends.map(({ status }) => status)).to.deep.equal(calls.map(() => 'rejected'));
    await cluster.start();
    await eventually(() => backend.isReady(), true);
    expect((await backend.backlog(queue)).depth).to.equal(0);
    await Promise.all([queue.close(), producer.close()]);
    await backend.close();
    await cluster.kill();
  }).timeout(60_000);
});
