import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { addEvent } from '../../workers/runtime/add-event.ts';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver, verify } from '../support/receiver.ts';
import type { Service } from '../support/service.ts';
import { type Processes, startProcesses } from './processes.ts';

const EVENTS = 100;

/** Each event arrives, under one id however often, while `disturb` runs in between. */
async function deliverAll(
  { service, receiver, secret }: { service: Service; receiver: Receiver; secret: string },
  disturb: () => Promise<unknown>,
): Promise<void> {
  receiver.received.length = 0;
  receiver.script((_received, response) => void setTimeout(() => response.writeHead(204).end(), 50));
  const turns: string[] = [];
  const tell = async () => {
    for (let at = 0; at < EVENTS / 2; at += 1) {
      const turnId = `k${randomUUID()}`;
      turns.push(turnId);
      const data = { turnId, conversationId: randomUUID(), askHumanHelp: false };
      await service.demo.inHost(scope => addEvent(scope, { type: 'turn.answered', data }));
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
  await eventually(() => service.db('deliveries').whereNot({ state: 'delivered' }), { length: 0 }, 60_000);
}

/** Two workers, and a receiver of the events of one host. */
async function withWorkers(
  isOnRedis: boolean,
  test: (deliver: (disturb: () => Promise<unknown>) => Promise<void>, processes: Processes) => Promise<void>,
): Promise<void> {
  const env = { EGRESS_ALLOW_PRIVATE: 'true' };
  const processes = await startProcesses({ workers: 2, env, isOnRedis });
  const { service } = processes;
  const receiver = await startReceiver();
  try {
    const webhook = { name: 'CRM', url: receiver.url, events: ['turn.answered'] };
    const { secret } = (await service.demo.call('saveWebhook', webhook)).body.data;
    await test(disturb => deliverAll({ service, receiver, secret }, disturb), processes);
  } finally {
    await processes.close();
    await receiver.close();
  }
}

describe('deliveries', () => {
  itAtOnce({
    'with the queues on PostgreSQL lose nothing and send under one id while worker processes are killed':
      () => withWorkers(false, (deliver, { killAndRestart }) => deliver(() => killAndRestart().restarted)),
    'with the queues on Redis lose nothing and send under one id while worker processes, or the store with all its jobs, are killed':
      () =>
        withWorkers(true, async (deliver, { killAndRestart, redis }) => {
          await deliver(() => killAndRestart().restarted);
          await deliver(() => redis.kill().then(() => redis.start()));
        }),
  });
});
