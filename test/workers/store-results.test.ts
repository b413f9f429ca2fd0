import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { claimDeliveries } from '../../db/events/deliveries.ts';
import { insertDirectEvent } from '../../db/events/events.ts';
import { upsertWebhook } from '../../db/events/webhooks.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeResultStore } from '../../workers/events/start-deliveries.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

describe('results of deliveries', () => {
  let database: TestDatabase;
  before(async () => {
    database = await makeDatabase();
  });
  after(() => database.drop());

  async function addDelivery(slug: string): Promise<void> {
    const hostId = (await createHost(database.db, { slug, name: slug }))?.id ?? '';
    await withHost(database.db, hostId, async scope => {
      const id = randomUUID();
      const url = { url: 'https://a.example/', origin: 'https://a.example' };
      await upsertWebhook(scope, { id, name: 'w', ...url, events: [], enabled: true, secrets: [] });
      await insertDirectEvent(scope, { id: randomUUID(), type: 'webhook.test', data: {} }, { webhookId: id });
    });
  }

  it('are stored for each host, though the database refuses that of another', async () => {
    const { db } = database;
    for (const slug of ['one', 'two', 'three']) await addDelivery(slug);
    const claimed = (await claimDeliveries(db, { perLane: 1, perHost: 1, inAll: 3, leaseMs: 60_000 })) ?? [];
    const tooLarge = 2 ** 40;
    const results = claimed.map((one, at) => ({
      ...one,
      status: at === 1 ? tooLarge : 200,
      error: null,
      nextInMs: null,
    }));
    const stored = await Promise.allSettled(results.map(makeResultStore(db)));
    expect(stored.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    const states = await db('deliveries').select('id', 'state');
    const stateOf = new Map(states.map(({ id, state }) => [id, state]));
    expect(claimed.map(({ id }) => stateOf.get(id))).to.deep.equal(['delivered', 'pending', 'delivered']);
  });
});
