import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createHost, setHost } from '../../db/hosts/hosts.ts';
import {
  aggregateSpend,
  readSpend,
  recordSpend,
  reserveSpend,
  type SpentCall,
} from '../../db/hosts/spend.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { findNoonZone } from '../support/noon-zone.ts';
import { openEach } from '../support/opened.ts';
import { runIn } from '../support/statements.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const LONG_MS = 60_000;

describe('the spend of a host', () => {
  const { db } = openEach(makeDatabase);
  let hostId = '';
  let otherId = '';
  beforeEach(async () => {
    const timeZone = findNoonZone();
    hostId = (await createHost(db, { slug: 'one', name: 'One', monthlyBudget: '0.30', timeZone }))?.id ?? '';
    otherId = (await createHost(db, { slug: 'two', name: 'Two', dailyBudget: '1', timeZone }))?.id ?? '';
  });

  /** A spend of so many tokens, each of which costs a tenth. */
  const spent = (tokens: number) => ({ input: tokens, cached: 0, output: 0, cost: String(tokens / 10) });
  const exceededBy = (of: string, more: Partial<Parameters<typeof reserveSpend>[2]> = {}) =>
    reserveSpend(db, of, { callId: randomUUID(), amount: '0.1', lastsMs: LONG_MS, ...more });
  const reserve = async (...call: Parameters<typeof exceededBy>) => (await exceededBy(...call))?.retryAfter;
  const spentCall = (more: Partial<SpentCall> = {}): SpentCall => ({
    hostId,
    callId: randomUUID(),
    model: 'm',
    avatarId: '',
    purpose: 'turn',
    ...spent(1),
    isEstimated: false,
    isOwn: false,
    isBilled: true,
    ageMs: 0,
    ...more,
  });
  const today = async () => {
    const [row] = await rowsOf<{ day: string }>(
      db,
    )`select local_day(now(), time_zone)::text as day from hosts where id = ${hostId}`;
    return row?.day ?? '';
  };
  const totalOf = async (of = hostId) => {
    const day = await today();
    const groups = await withHost(db, of, scope => readSpend(scope, { first: day, last: day }));
    return groups.find(({ group }) => group === 'total');
  };

  it('is an event at 80 and at 100 % of its budget, once each, for the webhooks that want it', async () => {
    await rowsOf(db)`
      insert into webhooks (host_id, id, name, url, origin, events, secrets)
      select ${hostId}::uuid, gen_random_uuid(), wanted, 'https://a.example', 'https://a.example', array[wanted], '[]'
      from unnest(array['budget.reached', 'turn.answered']) as wanted`;
    const told = async () => {
      const rows = await rowsOf<{ data: unknown }>(db)`
        select data from deliveries join events using (host_id) where events.id = event_id order by data ->> 'percent' desc`;
      return rows.map(({ data }) => data);
    };
    const spend = async (times: number) => {
      for (let at = 0; at < times; at += 1) {
        const callId = randomUUID();
        const refused = await reserve(hostId, { callId });
        if (refused === undefined) await recordSpend(db, [spentCall({ callId })]);
      }
    };
    await spend(3);
    expect(await told()).to.deep.equal([]);
    await spend(2);
    expect(await told()).to.deep.equal([
      { percent: 80, period: 'month' },
      { percent: 100, period: 'month' },
    ]);
    await setHost(db, 'one', { monthlyBudget: '0.40' });
    await spend(2);
    expect(await told()).to.have.length(4);
  });

  it('fits the budget to the last digit: three tenths are 0.3, and a millionth more is refused', async () => {
    expect(await Promise.all([reserve(hostId), reserve(hostId), reserve(hostId)])).to.deep.equal(
      Array(3).fill(undefined),
    );
    expect(await reserve(hostId, { amount: '0.0000001' })).to.be.above(0);
    expect(await reserve(hostId, { amount: '0' })).to.equal(undefined);
  });

  it('names the budget that is used up, and tells processes of the version before the seconds alone', async () => {
    await setHost(db, 'two', { monthlyBudget: '2' });
    expect((await exceededBy(otherId, { amount: '1.5' }))?.budget).to.equal('day');
    expect((await exceededBy(otherId, { amount: '2.5' }))?.budget, 'both, and the month is longer').to.equal(
      'month',
    );
    const asBefore = async (amount: string) => {
      const [told] = await rowsOf<{ seconds: number | null }>(db)`
        select reserve_spend(${otherId}, ${randomUUID()}, null, null::integer, ${amount}::numeric, interval '1 minute') as seconds`;
      return told?.seconds;
    };
    expect(await asBefore('1.5')).to.be.within(1, 25 * 3_600);
    expect(await asBefore('1')).to.equal(null);
    expect((await exceededBy(otherId, { amount: '0.1' }))?.budget).to.equal('day');
  });

  it('is what was reserved until it is recorded, once, however often and in whatever batch', async () => {
    const callId = randomUUID();
    await reserve(hostId, { callId, amount: '0.3' });
    expect(await reserve(hostId)).to.be.above(0);
    const call = spentCall({ callId });
    await recordSpend(db, [call, call]);
    await recordSpend(db, [call, spentCall({ hostId: randomUUID() })]);
    expect(await totalOf()).to.deep.include({ calls: 1, tokens: 1, cost: '0.1', estimatedCost: '0' });
    expect([await reserve(hostId), await reserve(hostId)]).to.deep.equal([undefined, undefined]);
    expect(await reserve(hostId)).to.be.above(0);
  });

  it('counts a call once, also where it is recorded again long after it was added to its day', async () => {
    const call = spentCall();
    await recordSpend(db, [call]);
    await rowsOf(db)`update spend_deltas set recorded_at = now() - interval '50 minutes'`;
    await aggregateSpend(db);
    await aggregateSpend(db);
    expect(await rowsOf(db)`select from spend_days`).to.have.length(1);
    await recordSpend(db, [call]);
    expect(await totalOf()).to.deep.include({ calls: 1, cost: '0.1' });
    await rowsOf(db)`update spend_deltas set recorded_at = now() - interval '61 minutes'`;
    await aggregateSpend(db);
    expect(await rowsOf(db)`select from spend_deltas`).to.have.length(0);
    expect(await totalOf()).to.deep.include({ calls: 1, cost: '0.1' });
  });

  it('gets back what a dead process had reserved: with the next attempt of its turn, or after its time', async () => {
    await reserve(hostId, { amount: '0.2', turn: { turnId: 't', attempt: 1 } });
    expect(await reserve(hostId, { amount: '0.2', turn: { turnId: 'u', attempt: 2 } })).to.be.above(0);
    expect(await reserve(hostId, { amount: '0.2', turn: { turnId: 't', attempt: 2 } })).to.equal(undefined);
    await reserve(otherId, { amount: '1', lastsMs: 0 });
    expect(await reserve(otherId, { amount: '1' })).to.equal(undefined);
    await rowsOf(db)`update spend_reservations set expires_at = now()`;
    await aggregateSpend(db);
    expect(await rowsOf(db)`select from spend_reservations`).to.have.length(0);
  });

  it('is that of a call without tokens, too, but of none that was not billed', async () => {
    const callId = randomUUID();
    await reserve(hostId, { callId, amount: '0.3' });
    await recordSpend(db, [spentCall({ callId, ...spent(0), cost: '0.2' })]);
    expect(await totalOf()).to.deep.include({ calls: 1, tokens: 0, cost: '0.2' });
    const other = randomUUID();
    expect(await reserve(hostId, { callId: other })).to.equal(undefined);
    await recordSpend(db, [spentCall({ callId: other, ...spent(0), isBilled: false })]);
    expect(await totalOf()).to.deep.include({ calls: 1, cost: '0.2' });
    expect(await reserve(hostId)).to.equal(undefined);
    expect(await reserve(hostId)).to.be.above(0);
  });

  it('counts a call on the local day on which it was reserved, whenever it is recorded', async () => {
    const callId = randomUUID();
    await reserve(otherId, { callId });
    await rowsOf(db)`update spend_reservations set reserved_at = now() - interval '1 day'`;
    await recordSpend(db, [spentCall({ hostId: otherId, callId, ...spent(5) })]);
    expect(await totalOf(otherId)).to.deep.include({ calls: 0, cost: '0' });
    expect(await reserve(otherId, { amount: '1' })).to.equal(undefined);
  });

  it('is the same before and after it is added to its days, concurrently, for reports and for the budget', async () => {
    await setHost(db, 'one', { monthlyBudget: '100' });
    const calls = Array.from({ length: 50 }, (_, at) => spentCall({ isEstimated: at < 10 }));
    await recordSpend(db, calls);
    await recordSpend(db, [spentCall({ avatarId: 'a', purpose: 'agent', model: 'n', ...spent(7) })]);
    const expected = { calls: 51, tokens: 57, cost: '5.7', estimatedCost: '1' };
    expect(await totalOf()).to.deep.include(expected);
    await Promise.all([aggregateSpend(db), aggregateSpend(db)]);
    expect(await rowsOf(db)`select from spend_days`).to.have.length(2);
    expect(await totalOf()).to.deep.include(expected);
    expect(await reserve(hostId, { amount: '94.3' })).to.equal(undefined);
    expect(await reserve(hostId)).to.be.above(0);
  });

  it('is reserved by one call of a host after the other, which sees what that one reserved', async () => {
    const call = () => ({ callId: randomUUID(), amount: '0.2', lastsMs: LONG_MS });
    const { first, second } = await db.transaction(async tx => {
      const reserved = await reserveSpend(tx, hostId, call());
      const waiting = reserveSpend(db, hostId, call());
      await Promise.race([waitForLock(tx), waiting]);
      return { first: reserved, second: [waiting] };
    });
    expect(first).to.equal(undefined);
    expect((await second[0])?.retryAfter).to.be.above(0);
  });

  it('is reserved by one host while another holds its lock', async () => {
    await db.transaction(async tx => {
      await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended('parley spend ' || ${hostId}, 0))`;
      expect(await reserve(otherId)).to.equal(undefined);
    });
  });

  it('is of that host only, which reads it and cannot change it', async () => {
    await recordSpend(db, [spentCall()]);
    await recordSpend(db, [spentCall({ hostId: otherId, ...spent(2) })]);
    expect(await totalOf()).to.deep.include({ cost: '0.1' });
    for (const statement of [
      'delete from spend_deltas',
      'update spend_deltas set cost = 0',
      'delete from spend_reservations',
      'insert into spend_reservations select * from spend_reservations',
      'update spend_days set cost = 0',
    ]) {
      const tried = withHost(db, hostId, ({ tx }) => runIn(tx, statement));
      expect(await tried.catch((error: { code: string }) => error.code), statement).to.equal('42501');
    }
  });
});
