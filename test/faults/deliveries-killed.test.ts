import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { withHost } from '../../db/with-hosts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { addEvent } from '../../workers/runtime/add-event.ts';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { makeOwnRedis } from '../support/own-redis.ts';
import { makePostgresQueueStore } from '../support/queue-store.ts';
import { type Receiver, startReceiver, verify } from '../support/receiver.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

const EVENTS = 100;

/** Each event arrives, under one id however often, while `disturb` runs in between. */
async function deliverAll(
  { service, receiver, secret }: { service: Service; receiver: Receiver; secret: string },
  disturb: () => Promise<void>,
): Promise<void> {
  receiver.received.length = 0;
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

/** Two workers, and a receiver of the events of one host. */
async function withWorkers(
  redis: OwnRedis | undefined,
  test: (parts: {
    deliver: (disturb: () => Promise<void>) => Promise<void>;
    killWorkers: () => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const store = redis ? { redisUrl: redis.url } : { store: await makePostgresQueueStore('seeded') };
  const service = await startService({ workers: false, ...store });
  const receiver = await startReceiver();
  const workers: SpawnedProcess[] = [];
  const spawn = async () =>
    void workers.push(await spawnWorker(service, { env: { EGRESS_ALLOW_PRIVATE: 'true' } }));
  try {
    await Promise.all([spawn(), spawn()]);
    const { hostId } = service.demo;
    const webhook = { hostId, name: 'CRM', url: receiver.url, events: ['turn.answered'] };
    const { body } = await service.call(`${SVC}/saveWebhookHelper`, webhook);
    const { secret } = body.data;
    await test({
      deliver: disturb => deliverAll({ service, receiver, secret }, disturb),
      async killWorkers() {
        const restarted: Promise<void>[] = [];
        for (const worker of workers.splice(0)) {
          worker.kill('SIGKILL');
          await worker.ended;
          restarted.push(spawn());
        }
        await Promise.all(restarted);
      },
    });
  } finally {
    await endAll(workers);
    await service.close();
    await receiver.close();
  }
}

describe('deliveries', () => {
  itAtOnce({
    'with the queues on PostgreSQL lose nothing and send under one id while worker processes are killed':
      () => withWorkers(undefined, ({ deliver, killWorkers }) => deliver(killWorkers)),
    async 'with the queues on Redis lose nothing and send under one id while worker processes, or the store with all its jobs, are killed'() {
      const redis = await makeOwnRedis();
      await withWorkers(redis, async ({ deliver, killWorkers }) => {
        await deliver(killWorkers);
        await deliver(async () => {
          await redis.kill();
          await redis.start();
        });
      });
      await redis.kill();
    },
  });
});
