import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { itAtOnce } from '../support/at-once.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { describeWithRedis, makeOwnRedis } from '../support/own-redis.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService, type Service, startService } from '../support/service.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';

const answered = (service: Service) => () => service.ask('Voltou?');
const isReady = async (service: Service) => (await service.call('/health/ready')).status === 200;
const lines = (service: Service, event: string) =>
  service.logged.flatMap(line => (line.includes(`"${event}"`) ? [JSON.parse(line)] : []));

describeWithRedis('a Redis that is there and does not do its work', () => {
  const redis = openOnce(makeOwnRedis);
  const service = openOwnService(() => ({
    redisUrl: redis.url,
    requestTimeoutMs: 20_000,
    opsPassword: 'ops',
  }));
  before(async () => {
    service.model.say('Certo.');
  });
  after(async () => {
    redis.goOn();
  });
  const settled = async () => {
    await eventually(answered(service), { status: 200 });
    // Of api and workers, who has said that it was lost; a short outage may be over before both have noticed.
    await eventually(
      () => ['lost', 'back'].map(what => lines(service, `queue_store.${what}`).length),
      ([lost, back]) => back === lost,
    );
    service.logged.splice(0);
  };

  it('is not ready while it is full, says so and what to do in one line, and is back by itself', async () => {
    const admin = new Redis(redis.url);
    await admin.config('SET', 'maxmemory', '1mb');
    await eventually(() => isReady(service), false);
    const { body } = await service.call('/health/ready');
    expect(body.checks.queue).to.equal('down');
    expect((await service.ask('Oi?', { conversationId: randomUUID() })).status).to.equal(503);
    // Each process says it once: here these are the api and the workers.
    const [line] = await eventually(() => lines(service, 'queue_store.lost'), { length: 2 });
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
    const authorization = `Basic ${btoa('ops:ops')}`;
    const board = service.call('/admin/queues/api/queues', undefined, { headers: { authorization } });
    const refused = await Promise.all(
      conversations.map(conversationId => service.ask('Congelado?', { conversationId })),
    );
    expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set([503]));
    const { status, headers } = await board;
    expect(status).to.equal(503);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    await eventually(() => isReady(service), false);
    redis.goOn();
    await settled();
    expect(await service.db('messages').whereLike('content', '%Congelado%')).to.be.empty;
    expect(JSON.stringify(service.model.requests.slice(calls))).not.to.include('Congelado');
  });

  it('answers with what the worker has stored when it is gone before it could say so, and refuses who waits for more', async () => {
    const [stored, open] = [hold(say('Guardado.')), hold(say('Tarde.'))];
    const isStored = (text = '') => text.startsWith('Guardado');
    service.model.script((request, response) =>
      (isStored(request.messages.at(-1)?.content) ? stored : open).script(request, response),
    );
    const [answer, refusal] = [service.ask('Guardado?'), service.ask('Em mãos?')];
    await Promise.all([stored.held, open.held]);
    await redis.kill();
    stored.release();
    const { status, body } = await answer;
    expect(status).to.equal(200);
    expect(JSON.stringify(body)).to.include('Guardado.');
    // Before its time is up.
    expect((await refusal).status).to.equal(503);
    await redis.start();
    open.release();
    service.model.say('Certo.');
    await settled();
  });

  it('is told of in one line when it goes and one when it is back, however much is asked meanwhile', async () => {
    service.logged.splice(0);
    await redis.kill();
    // A process that does not notice a short outage says nothing.
    await eventually(() => lines(service, 'queue_store.lost').length, 2);
    for (let asked = 0; asked < 20; asked++) await service.ask('Oi?', { conversationId: randomUUID() });
    await redis.start();
    await eventually(answered(service), { status: 200 });
    await eventually(() => lines(service, 'queue_store.back').length, 2);
    const reasons = lines(service, 'queue_store.lost').map(({ reason }) => String(reason));
    expect(reasons, reasons.join('; ')).to.have.length(2);
    expect(service.logged.filter(line => line.includes('"stack"'))).to.deep.equal([]);
  });
});

async function cancelLostTurn(): Promise<void> {
  const redis = await makeOwnRedis();
  const service = await startService({ redisUrl: redis.url, requestTimeoutMs: 20_000 });
  const held = hold(say('Tarde.'));
  service.model.script(held.script);
  const conversationId = await service.newConversation();
  const asked = service.ask('Em mãos?', { conversationId });
  await held.held;
  await redis.kill();
  await redis.start();
  expect((await asked).status).to.equal(503);
  held.release();
  service.model.say('Certo.');
  await eventually(answered(service), { status: 200 });
  expect((await service.ask('E agora?', { conversationId })).status).to.equal(200);
  const { said } = await recordsOf(service.db, conversationId);
  expect(said.map(({ content }) => content)).to.not.include('Tarde.');
  await service.close();
  await redis.kill();
}

async function closeWithoutRedis(): Promise<void> {
  const redis = await makeOwnRedis();
  const service = await startService({ redisUrl: redis.url });
  await redis.kill();
  await service.close();
}

async function moveToNewServer(): Promise<void> {
  const [first, second] = await Promise.all([makeOwnRedis(), makeOwnRedis()]);
  const address = await makeSwitchableProxy(first.url);
  const service = await startService({ redisUrl: address.url, requestTimeoutMs: 8_000 });
  service.model.say('Certo.');
  expect((await service.ask('Oi?')).status).to.equal(200);
  const old = new Redis(first.url);
  await old.replicaof('127.0.0.1', new URL(second.url).port);
  await eventually(() => isReady(service), false);
  address.switchTo(second.url);
  await eventually(answered(service), { status: 200 });
  await eventually(() => isReady(service), true);
  // Only replicas and monitoring are still connected to the old server; listeners have moved, too.
  const others = async () =>
    String(await old.client('LIST'))
      .split('\n')
      .filter(line => line.includes('cmd=') && !/flags=M|cmd=client/.test(line));
  await eventually(others, seen => seen.length === 0);
  old.disconnect();
  await service.close();
  await address.close();
  await Promise.all([first.kill(), second.kill()]);
}

describeWithRedis('a Redis', () => {
  itAtOnce({
    'that lost its data and is back at once has the turn cancelled whose job it lost and whose requester was refused':
      cancelLostTurn,
    'that is gone while the service shuts down does not keep the processes until they are killed':
      closeWithoutRedis,
    'behind an address that moves works on when the old server stays, read-only, with all connections to it':
      moveToNewServer,
  });
});
