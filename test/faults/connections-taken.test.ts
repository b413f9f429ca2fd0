import { expect } from 'chai';
import makeKnex from 'knex';
import { COMMIT_LIMITS } from '../../workers/runtime/pools.ts';
import { sendDeal, ticket } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { withBlockedCommits } from '../support/held-commit.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

/** More than the connections of a worker. */
const turnsAtOnce = 40;
/** One host may hold two thirds of them. */
const slots = 60;
const leaseRenewalMs = 2_000;
/** Longer than the connection timeout of other work, shorter than the statement timeout. */
const heldMs = 3_000;

describe('a worker all of whose connections are taken', () => {
  const service = openOwnService({ workerConcurrency: slots, requestTimeoutMs: 30_000 });

  const leases = async (ids: readonly string[]) => {
    const turns = await service.db('turns').whereIn('conversation_id', ids);
    return turns.map(turn => (turn.lease_until as Date).getTime());
  };

  it('keeps the answers that it has until it can store them, and the leases of those turns meanwhile', async () => {
    const held = hold(say('Guardada.'));
    service.model.script(held.script);
    const ids = await Promise.all(Array.from({ length: turnsAtOnce }, () => service.newConversation()));
    const asked = ids.map(conversationId => service.ask('Oi?', { conversationId }));
    await eventually(() => service.model.requests.length, turnsAtOnce);
    await withBlockedCommits(service.db, async commits => {
      held.release();
      await commits.waitForBlocked(COMMIT_LIMITS.maxPerKey);
      const before = Math.max(...(await leases(ids)));
      const since = performance.now();
      await eventually(
        async () => Math.max(...(await leases(ids))),
        latest => latest > before + leaseRenewalMs / 2 && performance.now() - since > heldMs,
      );
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });
});

describe('a service each of whose pools has one connection', () => {
  const { prototype } = makeKnex.Client;
  const settingsOf = prototype.getPoolSettings;
  const sizes: unknown[] = [];
  // Declared before the service is, whose pools it makes.
  before(() => {
    prototype.getPoolSettings = function takeOne(config: object) {
      const settings = settingsOf.call(this, { ...config, max: 1 });
      sizes.push(settings.max);
      return settings;
    };
  });
  const service = openOwnService({ indexer: true, requestTimeoutMs: 30_000 });
  before(async () => {
    service.model.say('Certo.');
  });
  after(() => {
    prototype.getPoolSettings = settingsOf;
  });

  it('answers all that is asked at once: nothing waits for a second one while it holds one', async () => {
    expect(new Set(sizes)).to.deep.equal(new Set([1]));
    // Two of each kind: more wait longer for their turn than a request may, where the machine has other work.
    const asked = Array.from({ length: 2 }, (_, at) => [
      service.ask('Oi?'),
      sendDeal(service, at + 1),
      service.demo.call('receiveTicket', ticket(at + 1)),
      service.demo.call('searchUnified', { query: 'boleto' }),
    ]);
    const statuses = (await Promise.all(asked.flat())).map(({ status }) => status);
    expect(statuses.filter(status => status >= 400)).to.deep.equal([]);
    await eventually(() => service.db('search_outbox'), { length: 0 });
  });
});
