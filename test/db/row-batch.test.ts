import { expect } from 'chai';
import type { Knex } from 'knex';
import { replayDeliveries } from '../../db/events/delivery-list.ts';
import { deleteBatch, updateBatch } from '../../db/row-batch.ts';
import { rowsOf, sql } from '../../db/rows-of.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const ROWS = 20;
const LIMIT = 3;

describe('a batch of rows', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));

  /** As PostgreSQL plans where it takes a full table for an empty one: it runs a subquery again for each row. */
  const plannedBadly = (work: (tx: Knex.Transaction) => Promise<void>) =>
    db.transaction(async tx => {
      for (const way of ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort'])
        await tx.raw(`set local enable_${way} = off`);
      await work(tx);
    });

  it('has no more rows than its limit, however PostgreSQL plans the statement', () =>
    plannedBadly(async tx => {
      await tx.raw(
        `create temp table line on commit drop as select at as id, '' as text from generate_series(1, ${ROWS}) at`,
      );
      const batch = { table: sql`line`, where: sql`text = ''`, orderBy: sql`id`, limit: LIMIT };
      expect(await updateBatch(tx, batch, sql`text = 'x'`)).to.equal(LIMIT);
      expect(await deleteBatch(tx, batch)).to.equal(LIMIT);
      expect(
        (await rowsOf<{ id: number }>(tx)`select id from line where text = ''`).map(({ id }) => id),
      ).to.have.members(Array.from({ length: ROWS - 2 * LIMIT }, (_, at) => 2 * LIMIT + 1 + at));
    }));

  it('of counts and of spend is no larger either', () =>
    plannedBadly(async tx => {
      await rowsOf(tx)`
        insert into report_deltas (host_id, at, kind, platform, amount)
        select ${host.hostId}, now(), 'user', '', 1 from generate_series(1, ${ROWS}::integer)`;
      await rowsOf(tx)`
        insert into spend_deltas (host_id, id, at, model, avatar_id, purpose, tokens, input_tokens, cached_tokens,
          output_tokens, cost, estimated_cost)
        select ${host.hostId}, gen_random_uuid(), now(), 'm', '', 'turn', 1, 1, 0, 0, 1, 0 from generate_series(1, ${ROWS}::integer)`;
      const [counted] = await rowsOf<{ counts: string; spent: string }>(tx)`
        select aggregate_report_deltas(${LIMIT}) as counts, aggregate_spend_deltas(${LIMIT}, interval '1 hour') as spent`;
      expect(counted).to.deep.equal({ counts: String(LIMIT), spent: String(LIMIT) });
    }));

  it('of deliveries that are sent again is no larger either', () =>
    plannedBadly(async tx => {
      const [event] = await rowsOf<{ id: string }>(tx)`
        insert into events (host_id, id, type, data) values (${host.hostId}, gen_random_uuid(), 'webhook.test', '{}') returning id`;
      await rowsOf(tx)`
        insert into deliveries (host_id, id, event_id, webhook_id, state)
        select ${host.hostId}, gen_random_uuid(), ${event?.id ?? ''}, gen_random_uuid(), 'dead' from generate_series(1, ${ROWS}::integer)`;
      expect(await replayDeliveries({ tx, hostId: host.hostId }, { since: new Date(0) }, LIMIT)).to.equal(
        LIMIT,
      );
    }));
});
