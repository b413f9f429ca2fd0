import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis, makeOwnRedis } from '../support/own-redis.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';
import { makeSwitchableProxy, type SwitchableProxy } from '../support/switchable-proxy.ts';

const answered = (service: Service) => () => service.ask('Voltou?');
const readiness = async (service: Service) => {
  const { status, body } = await service.call('/health/ready');
  return { isReady: status === 200, body };
};
const isReady = async (service: Service) => (await readiness(service)).isReady;
const lines = (service: Service, event: string) =>
  service.logged.flatMap(line => (line.includes(`"${event}"`) ? [JSON.parse(line)] : []));

describeWithRedis('a Redis that is there and does not do its work', () => {
  let redis: OwnRedis;
  let service: Service;
  before(async () => {
    redis = await makeOwnRedis();
    service = await startService({ redisUrl: redis.url, requestTimeoutMs: 20_000 });
    service.model.script(say('Certo.'));
  });
  after(async () => {
    redis.goOn();
    await service.close();
    await redis.kill();
  });
  const settled = async () => {
    await eventually(answered(service), ({ status }) => status === 200, 15_000);
    // Of api and workers, who has said that it was lost; a short outage may be over before both have noticed.
    await eventually(
      () => ['lost', 'back'].map(what => lines(service, `queue_store.${what}`).length),
      ([lost, back]) => back === lost,
      15_000,
    );
    service.logged.splice(0);
  };

  it('is not ready while it is full, says so and what to do in one line, and is back by itself', async () => {
    const admin = new Redis(redis.url);
    await admin.config('SET', 'maxmemory', '1mb');
    await eventually(
      () => isReady(service),
      seen => !seen,
    );
    const { body } = await service.call('/health/ready');
    expect(body.checks.queue).to.equal('down');
    expect((await service.ask('Oi?', { conversationId: randomUUID() })).status).to.equal(503);
    // Each process says it once: here these are the api and the workers.
    const [line] = await eventually(
      () => lines(service, 'queue_store.lost'),
      seen => seen.length === 2,
    );
    expect(line.reason).to.include('OOM');
    expect(line.remedy).to.include('maxmemory');
    await admin.config('SET', 'maxmemory', '0');
    admin.disconnect();
    await settled();
  });

  it('begins no turn after it was frozen whose requester was refused meanwhile', async () => {
    const conversations = await Promise.all(Array.from({ length: 24 }, () => service.newConversation()));
    const calls = service.model.requests.length;
    redis.freeze();
    const refused = await Promise.all(
      conversations.map(conversationId => service.ask('Congelado?', { conversationId })),
    );
    expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set([503]));
    await eventually(
      () => isReady(service),
      seen => !seen,
      8_000,
    );
    redis.goOn();
    await settled();
    const { rows } = await service.db.raw(`select 1 from messages where content like '%Congelado%'`);
    expect(rows).to.have.length(0);
    const asked = service.model.requests
      .slice(calls)
      .filter(call => JSON.stringify(call).includes('Congelado'));
    expect(asked).to.have.length(0);
  });

  it('refuses who waits for a turn before its time is up when it is gone and stays away', async () => {
    const held = hold(say('Tarde.'));
    service.model.script(held.script);
    const asked = service.ask('Em mãos?');
    await held.held;
    await redis.kill();
    expect((await asked).status).to.equal(503);
    await redis.start();
    held.release();
    service.model.script(say('Certo.'));
    await settled();
  });

  it('answers with what the worker has stored when the store is gone before it could say so', async () => {
    const held = hold(say('Guardado.'));
    service.model.script(held.script);
    const asked = service.ask('Em mãos?');
    await held.held;
    await redis.kill();
    held.release();
    const { status, body } = await asked;
    expect(status).to.equal(200);
    expect(JSON.stringify(body)).to.include('Guardado.');
    await redis.start();
    service.model.script(say('Certo.'));
    await settled();
  });

  it('is told of in one line when it goes and one when it is back, however much is asked meanwhile', async () => {
    service.logged.splice(0);
    await redis.kill();
    // A process that does not notice a short outage says nothing.
    await eventually(
      () => lines(service, 'queue_store.lost').length,
      seen => seen === 2,
    );
    for (let asked = 0; asked < 20; asked++) await service.ask('Oi?', { conversationId: randomUUID() });
    await redis.start();
    await eventually(answered(service), ({ status }) => status === 200, 15_000);
    await eventually(
      () => lines(service, 'queue_store.back').length,
      seen => seen === 2,
      15_000,
    );
    const reasons = lines(service, 'queue_store.lost').map(({ reason }) => String(reason));
    expect(reasons, reasons.join('; ')).to.have.length(2);
    expect(service.logged.filter(line => line.includes('"stack"'))).to.deep.equal([]);
  });
});

describeWithRedis('a Redis that lost its data and is back at once', () => {
  let redis: OwnRedis;
  let service: Service;
  before(async () => {
    redis = await makeOwnRedis();
    service = await startService({ redisUrl: redis.url, requestTimeoutMs: 20_000 });
  });
  after(async () => {
    await service.close();
    await redis.kill();
  });

  it('cancels a turn whose job it lost and whose requester was refused', async () => {
    const held = hold(say('Tarde.'));
    service.model.script(held.script);
    const conversationId = await service.newConversation();
    const asked = service.ask('Em mãos?', { conversationId });
    await held.held;
    await redis.kill();
    await redis.start();
    expect((await asked).status).to.equal(503);
    held.release();
    service.model.script(say('Certo.'));
    await eventually(answered(service), ({ status }) => status === 200, 15_000);
    expect((await service.ask('E agora?', { conversationId })).status).to.equal(200);
    const { said } = await recordsOf(service.db, conversationId);
    expect(said.map(({ content }) => content)).to.not.include('Tarde.');
  });
});

describeWithRedis('a Redis that is gone while the service shuts down', () => {
  it('does not keep the processes until they are killed', async () => {
    const redis = await makeOwnRedis();
    const service = await startService({ redisUrl: redis.url });
    await redis.kill();
    await service.close();
  });
});

describeWithRedis('a Redis behind an address that moves', () => {
  let [first, second]: OwnRedis[] = [];
  let address: SwitchableProxy;
  let service: Service;
  before(async () => {
    [first, second] = await Promise.all([makeOwnRedis(), makeOwnRedis()]);
    address = await makeSwitchableProxy(first.url);
    service = await startService({ redisUrl: address.url, requestTimeoutMs: 8_000 });
    service.model.script(say('Certo.'));
  });
  after(async () => {
    await service.close();
    await address.close();
    await Promise.all([first?.kill(), second?.kill()]);
  });

  it('works on when the old server stays, read-only, with all connections to it', async () => {
    if (!first || !second) throw new Error('there are two servers');
    expect((await service.ask('Oi?')).status).to.equal(200);
    const [old, next] = [new Redis(first.url), new Redis(second.url)];
    await old.replicaof('127.0.0.1', new URL(second.url).port);
    await eventually(
      () => isReady(service),
      seen => !seen,
    );
    address.switchTo(second.url);
    await eventually(answered(service), ({ status }) => status === 200, 10_000);
    await eventually(
      () => isReady(service),
      seen => seen,
    );
    // Only replicas and monitoring are still connected to the old server; listeners have moved, too.
    const others = async () =>
      String(await old.client('LIST'))
        .split('\n')
        .filter(line => line.includes('cmd=') && !/flags=M|cmd=client/.test(line));
    await eventually(others, seen => seen.length === 0, 10_000);
    old.disconnect();
    next.disconnect();
  });
});
