import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Arrival, type IntakeRecord, storeArrivals } from '../../db/intake/intake-records.ts';
import type { InterField } from '../../workers/domain/crm/field-mapping.ts';
import { applyRecords } from '../../workers/intake/apply-records.ts';
import { mapArrival } from '../../workers/intake/map-arrival.ts';
import { buildHost } from '../support/build-host.ts';
import { deal } from '../support/crm.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

/** Orders that are tried; `npm run test:long` tries a hundred. */
const RUNS = Number(process.env['RUNS'] ?? 12);

describe('arrivals of one record', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));
  let drawn = 0;

  const START = Date.UTC(2026, 10, 20);
  const receive = async (arrival: Arrival) => {
    const [kept] = await host.inHost(scope => storeArrivals(scope, [arrival]));
    return kept as IntakeRecord;
  };
  const keep = (kind: string, arrivedAt: number, body: object) =>
    receive({ kind, jobId: `k${(drawn += 1)}`, arrivedAt, body });
  const apply = (record: IntakeRecord) =>
    host.inHost(async scope => (await applyRecords(scope, [mapArrival(record)], { waits: true }))[0]);
  const standing = (of: number) =>
    db('leads')
      .where({ external_id: String(of) })
      .first();
  type Order = fc.Stream<number>;
  const shuffle = (records: readonly IntakeRecord[], order: Order) =>
    records
      .map(record => ({ record, at: order.next().value as number }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ record }) => record);

  it('leave the latest standing, whatever the order in which they are worked on, all at once too', async () => {
    let external_id = 1_000;
    const contents = fc.array(fc.nat(2), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(contents, fc.boolean(), fc.infiniteStream(fc.nat()), async (stages, atOnce, order) => {
        external_id += 1;
        const bodies = stages.map(dealstage => ({ ...deal(external_id), dealstage }));
        const records = await Promise.all(bodies.map((body, at) => keep('deals', START + at / 1_000, body)));
        const shuffled = shuffle(records, order);
        if (atOnce) await Promise.all(shuffled.map(apply));
        else for (const record of shuffled) await apply(record);
        expect((await standing(external_id)).stage).to.equal(String(stages.at(-1)));
        expect(await db('leads').where({ external_id: String(external_id) })).to.have.length(1);
      }),
      { numRuns: RUNS },
    );
  });

  it('leave what they would leave in their order, whichever fields each of them names', async () => {
    const fields = ['firstname', 'lastname', 'cidade', 'dealstage', 'campo_x', 'campo_y'];
    const partial = fc.dictionary(fc.constantFrom(...fields), fc.constantFrom('1', '2', ''), { maxKeys: 4 });
    let external_id = 5_000;
    const contentOf = async (of: number) => {
      const { firstname, lastname, cidade, stage, inter_data } = await standing(of);
      const inter = new Map(inter_data.map(({ field, value }: InterField) => [field, value]));
      return { firstname, lastname, cidade, stage, inter };
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(partial, { minLength: 2, maxLength: 5 }),
        fc.infiniteStream(fc.nat()),
        async (bodies, order) => {
          const [inOrder, shuffled] = [(external_id += 1), (external_id += 1)];
          const keepAll = (of: number) =>
            Promise.all(
              bodies.map((body, at) => keep('deals', START + at / 1_000, { ...deal(of), ...body })),
            );
          for (const record of await keepAll(inOrder)) await apply(record);
          for (const record of shuffle(await keepAll(shuffled), order)) await apply(record);
          const [expected, stored] = [await contentOf(inOrder), await contentOf(shuffled)];
          expect(stored).to.deep.equal(expected);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('tell when a ticket was first solved, whatever the order in which they are worked on', async () => {
    let external_id = 9_000;
    const [open, solved] = [{ hs_pipeline_stage: 1 }, { hs_pipeline_stage: 4 }];
    const stage = fc.constantFrom<{ hs_pipeline_stage?: number }>({}, open, solved);
    const stages = fc.array(stage, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(stages, fc.infiniteStream(fc.nat()), async (bodies, order) => {
        external_id += 1;
        const person = { external_id, email: `pessoa${external_id}@example.com` };
        const arrivals = bodies.map((body, at) => keep('tickets', START + at, { ...person, ...body }));
        for (const record of shuffle(await Promise.all(arrivals), order)) await apply(record);
        const named = db('tickets').where({ external_id: String(external_id) });
        const [{ solved_at } = { solved_at: null }] = await named;
        const first = bodies.findIndex(({ hs_pipeline_stage }) => hs_pipeline_stage === 4);
        expect(solved_at?.getTime()).to.equal(first < 0 ? undefined : START + first);
      }),
      { numRuns: RUNS },
    );
  });

  it('are compared by the names of their fields, whatever these are', async () => {
    const odd = ['__proto__', 'a\u0000b', '\ud800', 'toString', '', "it's"];
    const bodyOf = (names: readonly string[], value: string) => ({
      ...deal(77),
      ...Object.fromEntries(names.map(name => [name, value])),
    });
    const [older, newer] = [bodyOf(odd, 'older'), bodyOf(odd.slice(0, 3), 'newer')];
    const early = await keep('deals', START, JSON.parse(JSON.stringify(older)));
    await apply(await keep('deals', START + 1, JSON.parse(JSON.stringify(newer))));
    await apply(early);
    const { inter_data } = await standing(77);
    const values = new Map(inter_data.map(({ field, value }: InterField) => [field, value]));
    const count = (value: string) => [...values.values()].filter(seen => seen === value).length;
    expect([count('newer'), count('older')]).to.deep.equal([3, 3]);
    expect(values.get('__proto__')).to.equal('newer');
  });

  it('change nothing that a later one named, and add what none did', async () => {
    const older = await keep('deals', START, { ...deal(9), firstname: 'Velha', mobilephone: '11987654321' });
    await apply(await keep('deals', START + 0.001, { ...deal(9), firstname: 'Nova' }));
    expect(await apply(older)).to.have.nested.property('data.entityData.status', 'updated');
    const contact = await db('contacts').where({ email: 'pessoa9@example.com' }).first();
    const { firstname, mobilephone } = await standing(9);
    expect([contact.name, contact.phone]).to.deep.equal(['Nova', '11987654321']);
    expect([firstname, mobilephone]).to.deep.equal(['Nova', '11987654321']);
    expect(await apply(older)).to.have.nested.property('data.entityData.status', 'unchanged');
  });

  it('are found by the job that is run again', async () => {
    const arrival = { kind: 'deals', jobId: 'kagain', arrivedAt: START + 0.25, body: deal(2) };
    const ids = await Promise.all([1, 2].map(async () => (await receive(arrival)).id));
    expect(new Set(ids)).to.have.property('size', 1);
    const later = await receive({ ...arrival, arrivedAt: START + 0.5 });
    expect(ids).to.not.include(later.id);
  });

  it('get their contact back where it is gone', async () => {
    const first = await keep('deals', START, deal(3));
    await apply(first);
    await db('contacts').where({ email: 'pessoa3@example.com' }).delete();
    await apply(await keep('deals', START + 1, deal(3)));
    expect((await standing(3)).contact_id).to.be.a('string');
    expect(await apply(first)).to.have.nested.property('data.entityData.status', 'unchanged');
  });
});
