import { expect } from 'chai';
import { COMMIT_LIMITS } from '../../workers/runtime/pools.ts';
import { eventually } from '../support/eventually.ts';
import { withBlockedCommits } from '../support/held-commit.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type ApiResponse, type Service, startService } from '../support/service.ts';

/** More than the connections of a worker. */
const turnsAtOnce = 40;
/** One host may hold two thirds of them. */
const slots = 60;
const leaseRenewalMs = 2_000;
/** Longer than the connection timeout of other work, shorter than the statement timeout. */
const heldMs = 3_000;

describe('a worker all of whose connections are taken', () => {
  let service: Service;
  before(async () => {
    service = await startService({ workerConcurrency: slots, requestTimeoutMs: 30_000 });
  });
  after(() => service.close());

  const leases = async (ids: readonly string[]) => {
    const turns = await service.db('turns').whereIn('conversation_id', ids);
    return turns.map(turn => (turn.lease_until as Date).getTime());
  };

  it('keeps the answers that it has until it can store them, and the leases of those turns meanwhile', async () => {
    const held = hold(say('Guardada.'));
    service.model.script(held.script);
    const ids = await Promise.all(Array.from({ length: turnsAtOnce }, () => service.newConversation()));
    const asked: Promise<ApiResponse>[] = ids.map(conversationId => service.ask('Oi?', { conversationId }));
    await eventually(
      () => service.model.requests.length,
      seen => seen === turnsAtOnce,
      20_000,
    );
    await withBlockedCommits(service.db, async commits => {
      held.release();
      await commits.waitForBlocked(COMMIT_LIMITS.maxPerKey);
      const before = Math.max(...(await leases(ids)));
      const since = performance.now();
      await eventually(
        async () => Math.max(...(await leases(ids))),
        latest => latest > before + leaseRenewalMs / 2 && performance.now() - since > heldMs,
        heldMs + 1_500,
      );
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });
});
