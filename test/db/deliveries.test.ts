import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type ClaimLimits,
  claimDeliveries,
  disableWebhook,
  endOldDeliveries,
  findDispatches,
  noteResults,
  releaseDeliveries,
} from '../../db/events/deliveries.ts';
import { insertDirectEvent } from '../../db/events/events.ts';
import { deleteWebhook, upsertWebhook } from '../../db/events/webhooks.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeResultStore, purgeDeliveries } from '../../workers/events/start-deliveries.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';

const limits: ClaimLimits = { perLane: 3, perHost: 100, inAll: 1_000, leaseMs: 60_000 };
const ok = { status: 200, error: null, nextInMs: null };
const bad = { status: 500, error: 'answered 500', nextInMs: 3_600_000 };

describe('the claims of deliveries', () => {
  const { db } = openEach(makeDatabase);

  const makeHost = async (slug = 'flood') => (await createHost(db, { slug, name: slug }))?.id ?? '';
  const makeWebhook = (hostId: string, enabled = true) =>
    withHost(db, hostId, async scope => {
      const address = { url: 'https://a.example/', origin: 'https://a.example' };
      const webhook = { id: randomUUID(), name: 'w', events: [], enabled, secrets: [], ...address };
      return (await upsertWebhook(scope, webhook)).webhookId;
    });
  const makeDeliveries = (hostId: string, webhookId: string, count: number) =>
    withHost(db, hostId, async scope => {
      const ids: string[] = [];
      for (let at = 0; at < count; at += 1) {
        const event = { id: randomUUID(), type: 'webhook.test', data: { at } };
        ids.push((await insertDirectEvent(scope, event, { webhookId })) ?? '');
      }
      return ids;
    });
  /** A host with a webhook that has deliveries. */
  const makeFlood = async (count: number, { slug = 'flood', enabled = true } = {}) => {
    const hostId = await makeHost(slug);
    const webhookId = await makeWebhook(hostId, enabled);
    await makeDeliveries(hostId, webhookId, count);
    return { hostId, webhookId };
  };
  const claim = async (changes: Partial<ClaimLimits> = {}) =>
    (await claimDeliveries(db, { ...limits, ...changes })) ?? [];
  const pausedMs = async () => (await db('webhook_lanes').first()).paused_until - Date.now();
  const lanesOf = async (claimed: readonly { id: string }[]) => {
    const ids = claimed.map(({ id }) => id);
    const rows = await db('deliveries').whereIn('id', ids).groupBy('webhook_id').count('* as claims');
    return rows.map(({ claims }) => Number(claims)).toSorted((a, b) => a - b);
  };

  it('take at most so many of each webhook, and the next when one ends', async () => {
    const hostId = await makeHost();
    const [first, second] = [await makeWebhook(hostId), await makeWebhook(hostId)];
    await makeDeliveries(hostId, first, 10);
    await makeDeliveries(hostId, second, 2);
    const claimed = await claim();
    expect(await lanesOf(claimed)).to.deep.equal([2, 3]);
    expect(await claim()).to.deep.equal([]);
    const one = claimed.find(({ id }) => id);
    if (one) await noteResults(db, [{ ...one, ...ok }]);
    expect((await claim()).length).to.be.at.most(1);
  });

  it('take of each host in turn, so that a flood of one delays no other', async () => {
    const [flood, calm] = [await makeHost(), await makeHost('calm')];
    for (let at = 0; at < 5; at += 1) await makeDeliveries(flood, await makeWebhook(flood), 10);
    const [wanted] = await makeDeliveries(calm, await makeWebhook(calm), 1);
    const claimed = await claim({ inAll: 2 });
    expect(claimed).to.have.length(2);
    expect(claimed.map(({ id }) => id)).to.include(wanted);
  });

  it('leave room for other hosts, and take no more than there may be in all', async () => {
    const [flood, calm] = [await makeHost(), await makeHost('calm')];
    for (let at = 0; at < 5; at += 1) await makeDeliveries(flood, await makeWebhook(flood), 10);
    expect(await claim({ perHost: 4 })).to.have.length(4);
    expect(await claim({ perHost: 4 })).to.have.length(0);
    await makeDeliveries(calm, await makeWebhook(calm), 3);
    expect(await claim({ perHost: 4, inAll: 6 })).to.have.length(2);
    expect(await claim({ perHost: 4, inAll: 6 })).to.have.length(0);
  });

  it('expire, and an attempt with an expired one stores nothing', async () => {
    await makeFlood(1);
    const [stale] = await claim({ leaseMs: 0 });
    const [valid] = await claim();
    if (!stale || !valid) throw new Error('nothing was claimed');
    expect(valid).to.deep.equal({ ...stale, claim: stale.claim + 1 });
    expect(await findDispatches(db, [stale])).to.deep.equal([undefined]);
    expect(await findDispatches(db, [stale, valid])).to.have.nested.property('[1].type', 'webhook.test');
    await noteResults(db, [{ ...stale, ...bad, nextInMs: null }]);
    await noteResults(db, [{ ...stale, ...ok }]);
    await releaseDeliveries(db, [stale]);
    const row = await db('deliveries').first();
    expect(row).to.deep.include({ state: 'pending', attempts: 0, is_claimed: true });
    await noteResults(db, [{ ...valid, ...ok }]);
    expect(await db('deliveries').first()).to.deep.include({ state: 'delivered', attempts: 1 });
  });

  it('take nothing of a disabled webhook, and its deliveries end when their schedule is over', async () => {
    await makeFlood(1, { enabled: false });
    expect(await claim()).to.deep.equal([]);
    expect(await endOldDeliveries(db, 60_000, 10)).to.equal(0);
    expect(await endOldDeliveries(db, -60_000, 10)).to.equal(1);
    expect(await db('deliveries').first()).to.deep.include({ state: 'dead' });
  });

  it('take what waited for a disabled webhook once it is enabled', async () => {
    await makeFlood(1, { enabled: false });
    await db('webhooks').update({ enabled: true });
    expect(await claim()).to.have.length(1);
  });

  it('that were lost with their worker, of a webhook that was disabled meanwhile, end as well', async () => {
    await makeFlood(2);
    const [lost] = await claim({ leaseMs: 0, perLane: 1 });
    const [running] = await claim({ perLane: 1 });
    await db('webhooks').update({ enabled: false });
    expect(lost?.id).not.to.equal(running?.id);
    expect(await endOldDeliveries(db, -60_000, 10)).to.equal(1);
    await db('deliveries').update({ due_at: new Date(0) });
    expect(await endOldDeliveries(db, -60_000, 10)).to.equal(1);
    expect(await db('deliveries').where({ state: 'dead' })).to.have.length(2);
  });

  it('keep an old event until it is sent, which may be again', async () => {
    await makeFlood(1);
    await rowsOf(db)`update events set created_at = now() - interval '31 days'`;
    const purge = () => purgeDeliveries(db, new AbortController().signal);
    await purge();
    const [claimed] = await claim();
    if (!claimed) throw new Error('nothing was claimed');
    await purge();
    await noteResults(db, [{ ...claimed, ...ok }]);
    expect(await db('events')).to.have.length(1);
    await purge();
    expect([await db('events'), await db('deliveries')]).to.deep.equal([[], []]);
  });

  it('leave nothing behind for a webhook that was deleted while an event was being added', async () => {
    const hostId = await makeHost();
    const [gone, kept] = [await makeWebhook(hostId), await makeWebhook(hostId)];
    await makeDeliveries(hostId, gone, 2);
    await withHost(db, hostId, async scope => {
      for (const webhookId of [gone, kept])
        await insertDirectEvent(scope, { id: randomUUID(), type: 'webhook.test', data: {} }, { webhookId });
      await withHost(db, hostId, deleting => deleteWebhook(deleting, gone));
    });
    await purgeDeliveries(db, new AbortController().signal);
    expect(await db('deliveries').pluck('webhook_id')).to.deep.equal([kept]);
  });

  it('disable a webhook whose receiver is gone, and not one that has another receiver by now', async () => {
    const { hostId, webhookId } = await makeFlood(0);
    await db('webhooks').update({ url: 'https://b.example/' });
    await disableWebhook(db, hostId, webhookId, 'https://a.example/');
    expect(await db('webhooks').first()).to.deep.include({ enabled: true });
    await disableWebhook(db, hostId, webhookId, 'https://b.example/');
    expect(await db('webhooks').first()).to.deep.include({ enabled: false });
  });

  it('pause a webhook that keeps failing, then try one at a time until it succeeds', async () => {
    await makeFlood(20);
    for (const claimed of [...(await claim()), ...(await claim({ perLane: 5 }))])
      await noteResults(db, [{ ...claimed, ...bad }]);
    expect((await db('webhook_lanes').first()).failures).to.equal(5);
    expect(await pausedMs()).to.be.within(5_000, 10_500);
    expect(await claim()).to.deep.equal([]);
    await db('webhook_lanes').update({ paused_until: new Date(0) });
    const [probe, ...more] = await claim();
    expect(more).to.deep.equal([]);
    if (probe) await noteResults(db, [{ ...probe, ...bad }]);
    expect(await pausedMs()).to.be.within(15_000, 20_500);
    await db('webhook_lanes').update({ paused_until: new Date(0) });
    const [good] = await claim();
    if (good) await noteResults(db, [{ ...good, ...ok }]);
    expect(await db('webhook_lanes')).to.deep.equal([]);
    expect(await claim()).to.have.length(3);
  });

  it('pause a webhook no longer for many failures at once than for five', async () => {
    await makeFlood(20);
    const claimed = await claim({ perLane: 20 });
    const failed = claimed.map(each => ({ ...each, ...bad }));
    await noteResults(db, failed.slice(0, 12));
    for (const each of failed.slice(12)) await noteResults(db, [each]);
    expect(await pausedMs()).to.be.within(5_000, 10_500);
  });

  it('have their results stored for each host, though the database refuses that of another', async () => {
    for (const slug of ['one', 'two', 'three']) await makeFlood(1, { slug });
    const claimed = await claim({ perLane: 1, perHost: 1, inAll: 3 });
    const results = claimed.map((one, at) => ({ ...one, ...ok, status: at === 1 ? 2 ** 40 : 200 }));
    const stored = await Promise.allSettled(results.map(makeResultStore(db)));
    expect(stored.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    const states = new Map((await db('deliveries')).map(({ id, state }) => [id, state]));
    expect(claimed.map(({ id }) => states.get(id))).to.deep.equal(['delivered', 'pending', 'delivered']);
  });
});
