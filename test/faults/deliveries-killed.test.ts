import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { withHost } from '../../db/with-hosts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { addEvent } from '../../workers/runtime/add-event.ts';
import { eventually } from '../support/eventually.ts';
import { makeOwnRedis } from '../support/own-redis.ts';
import { makePostgresQueueStore } from '../support/queue-store.ts';
import { type Receiver, startReceiver, verify } from '../support/receiver.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

const EVENTS = 200;

/** Each event arrives, under one id however often, while `disturb` runs in between. */
async function deliverAll(
  { service, receiver, secret }: { service: Service; receiver: Receiver; secret: string },
  disturb: () => Promise<void>,
): Promise<void> {
  receiver.script((_received, response) => void setTimeout(() => response.writeHead(204).end(), 50));
  const turns: string[] = [];
  const tell = async () => {
    for (let at = 0; at < EVENTS / 2; at += 1) {
      const turnId = `k${randomUUID()}`;
      turns.push(turnId);
      const data = { turnId, conversationId: randomUUID(), askHumanHelp: false };
      await withHost(service.db, service.demo.hostId, scope =>
        addEvent(scope, { type: 'turn.answered', data }),
      );
    }
  };
  await tell();
  const disturbed = disturb();
  await tell();
  await disturbed;
  // Claims of what died on the way are shortened, so that the test need not wait for them.
  const expire = () => service.db('deliveries').where({ is_claimed: true }).update({ due_at: new Date() });
  await delay(1_000);
  await expire();
  const arrived = () => new Set(receiver.received.map(({ body }) => body.data['turnId']));
  await eventually(arrived, seen => seen.size === EVENTS, 60_000);
  expect([...arrived()]).to.have.members(turns);
  const idsOf = new Map<unknown, Set<unknown>>();
  for (const received of receiver.received) {
    verify(secret, received);
    const { turnId } = received.body.data;
    idsOf.set(turnId, (idsOf.get(turnId) ?? new Set()).add(received.headers['webhook-id']));
  }
  expect([...idsOf.values()].filter(({ size }) => size !== 1)).to.deep.equal([]);
  await eventually(
    () => service.db('deliveries').whereNot({ state: 'delivered' }),
    left => left.length === 0,
    60_000,
  );
}

function defineTests(isOnRedis: boolean): void {
  let service: Service;
  let redis: OwnRedis | undefined;
  let receiver: Receiver;
  let secret: string;
  const workers: SpawnedProcess[] = [];
  const spawn = async () =>
    void workers.push(await spawnWorker(service, { env: { EGRESS_ALLOW_PRIVATE: 'true' } }));
  before(async () => {
    redis = isOnRedis ? await makeOwnRedis() : undefined;
    const store = redis ? { redisUrl: redis.url } : { store: await makePostgresQueueStore('seeded') };
    service = await startService({ workers: false, ...store });
    await Promise.all([spawn(), spawn()]);
    receiver = await startReceiver();
    const webhook = {
      hostId: service.demo.hostId,
      name: 'CRM',
      url: receiver.url,
      events: ['turn.answered'],
    };
    ({ secret } = (await service.call(`${SVC}/saveWebhookHelper`, webhook)).body.data);
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });
  after(async () => {
    await endAll(workers);
    await service.close();
    await receiver.close();
    await redis?.kill();
  });

  it('lose nothing and send under one id while worker processes are killed', async () => {
    await deliverAll({ service, receiver, secret }, async () => {
      for (const worker of workers.splice(0)) {
        worker.kill('SIGKILL');
        await worker.ended;
        await spawn();
      }
    });
  });

  if (!isOnRedis) return;
  it('lose nothing when the queue store is killed with all its jobs', async () => {
    const store = redis;
    if (!store) throw new Error('there is no Redis');
    await deliverAll({ service, receiver, secret }, async () => {
      await store.kill();
      await store.start();
    });
  });
}

for (const store of ['PostgreSQL', 'Redis'])
  describe(`deliveries, with the queues on ${store},`, () => {
    defineTests(store === 'Redis');
  });
