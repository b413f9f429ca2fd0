import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { textOfStore } from '../support/queue-store.ts';
import { answer, startReceiver, verify } from '../support/receiver.ts';
import { openOwnService } from '../support/service.ts';

describe('deliveries', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const host = openEach(() => service.addHost());
  const receiver = openEach(startReceiver);

  const save = async (): Promise<{ webhookId: string; secret: string }> =>
    (await host.call('saveWebhook', { name: 'CRM', url: `${receiver.url}/events`, events: [] })).body.data;
  const test = async (webhookId: string): Promise<string> =>
    (await host.call('testWebhook', { webhookId })).body.data.deliveryId;
  const rowOf = (id: string) => service.db('deliveries').where({ id });
  const whenIs = (id: string, isSo: (seen: Fields) => boolean) => eventually(() => rowOf(id).first(), isSo);
  const list = async (filter: Fields) => (await host.call('listDeliveries', filter)).body.data.items;

  it('are listed by their webhook, by their state, and by both', async () => {
    const [one, other] = [await save(), await save()];
    const [ofOne, ofOther] = [await test(one.webhookId), await test(other.webhookId)];
    const dead = await test(other.webhookId);
    for (const id of [ofOne, ofOther, dead]) await whenIs(id, ({ state }) => state === 'delivered');
    await rowOf(dead).update({ state: 'dead' });
    const idsOf = async (filter: Fields) => (await list(filter)).map((each: Fields) => each['deliveryId']);
    expect(await idsOf({})).to.have.members([ofOne, ofOther, dead]);
    expect(await idsOf({ webhookId: one.webhookId })).to.have.members([ofOne]);
    expect(await idsOf({ state: 'delivered' })).to.have.members([ofOne, ofOther]);
    expect(await idsOf({ webhookId: other.webhookId, state: 'dead' })).to.have.members([dead]);
  });

  it('that fail are tried again with the same id and a fresh signature, and show nothing in the queue store', async () => {
    receiver.script(answer(500));
    const { webhookId, secret } = await save();
    const id = await test(webhookId);
    const failed = await whenIs(id, ({ attempts }) => attempts === 1);
    expect(failed).to.deep.include({ state: 'pending', last_status: 500, last_error: 'answered 500' });
    const [first] = receiver.received;
    // It failed after it was received, and before this was seen: 5 s later, and up to a tenth more.
    expect(Number(failed['due_at'])).to.be.within(Number(first?.at) + 5_000, Date.now() + 5_500);
    receiver.script(answer(204));
    await rowOf(id).update({ due_at: new Date(0) });
    const delivered = await whenIs(id, ({ state }) => state === 'delivered');
    expect(delivered).to.deep.include({ attempts: 2, last_status: 204, last_error: null, is_claimed: false });
    for (const received of receiver.received) {
      verify(secret, received);
      expect(() => verify(secret, { ...received, text: `${received.text} ` })).to.throw();
      expect(received.path).to.equal('/events');
      expect(received.headers).to.deep.include({ 'webhook-id': id, 'content-type': 'application/json' });
      expect(received.body).to.deep.include({ type: 'webhook.test', data: {} });
    }
    expect(receiver.received).to.have.length(2);
    expect(new Set(receiver.received.map(({ text }) => text)).size).to.equal(1);
    const stored = await textOfStore(service.settings);
    expect(stored).to.include('attemptDelivery').and.not.include(receiver.url);
  });

  it('are dead after the last attempt, and can be sent again', async () => {
    receiver.script(answer(404));
    const { webhookId } = await save();
    const id = await test(webhookId);
    await whenIs(id, ({ attempts }) => attempts === 1);
    await rowOf(id).update({ attempts: 10, due_at: new Date(0) });
    await whenIs(id, ({ state }) => state === 'dead');
    const items = await list({ state: 'dead' });
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({
      deliveryId: id,
      webhookId,
      type: 'webhook.test',
      state: 'dead',
      attempts: 11,
      nextAttemptAt: null,
      lastStatus: 404,
      lastError: 'answered 404',
      deliveredAt: null,
    });
    receiver.script(answer(204));
    const replayed = await host.call('replayDeliveries', { deliveryIds: [id] });
    expect(replayed.body.data).to.deep.equal({ replayed: 1 });
    await whenIs(id, ({ state }) => state === 'delivered');
    expect(receiver.received.at(-1)?.headers['webhook-id']).to.equal(id);
  });

  it('that were delivered are sent again where all since a time are asked for', async () => {
    const id = await test((await save()).webhookId);
    await whenIs(id, ({ state }) => state === 'delivered');
    const replay = async (more: Fields) =>
      (await host.call('replayDeliveries', { since: '2020-01-01T00:00:00Z', ...more })).body.data;
    for (const state of [undefined, 'dead']) expect(await replay({ state })).to.deep.equal({ replayed: 0 });
    expect(await replay({ state: 'all' })).to.deep.equal({ replayed: 1 });
    await eventually(() => receiver.received.length, 2);
    await whenIs(id, ({ state }) => state === 'delivered');
    // So a caller that repeats it until none is left comes to an end, and may begin anew later.
    expect(await replay({ state: 'all' })).to.deep.equal({ replayed: 0 });
    await rowOf(id).update({ replayed_at: service.db.raw(`now() - interval '61 minutes'`) });
    expect(await replay({ state: 'all' })).to.deep.equal({ replayed: 1 });
    expectWrong(await host.call('replayDeliveries', { deliveryIds: [id], state: 'all' }), 'state');
  });

  it('to a receiver that is gone disable its webhook', async () => {
    receiver.script(answer(410));
    const { webhookId } = await save();
    await whenIs(await test(webhookId), ({ state }) => state === 'dead');
    await eventually(() => service.db('webhooks').where({ id: webhookId }).first(), { enabled: false });
    expect(receiver.received).to.have.length(1);
  });
});
