import { expect } from 'chai';
import * as fc from 'fast-check';
import { SVC } from '../../queues/contract/operations/paths.ts';
import type { Fields } from '../support/operation-calls.ts';
import { borrowService, type Service } from '../support/service.ts';

const CONTACT = '11111111-1111-4111-8111-111111111111';
const FLOW = '22222222-2222-4222-8222-222222222222';

/** A list in pages, with bodies with which it has each row that `insert` writes. */
interface PagedList {
  readonly name: string;
  readonly helper: string;
  readonly table: string;
  /** The name of the id in an item, and in a row. */
  readonly idField: readonly [item: string, row: string];
  readonly filters: readonly Fields[];
  /** From `given (nth, size, micros)`: several rows have one microsecond, and some are long. */
  readonly insert: string;
}

const time = `timestamptz '2026-02-01Z' + micros * interval '1 microsecond'`;
const SINCE = { createdSince: '2026-01-01T00:00:00Z' };
const OF_CONTACT = { contactId: CONTACT };
const recordFilters = [{}, SINCE, OF_CONTACT, { ...SINCE, ...OF_CONTACT }];
const record = `'${CONTACT}', gen_random_uuid(), to_jsonb(array[repeat('x', size)]), ${time}`;
const received = `gen_random_uuid(), json_build_object('x', repeat('x', size)), ${time}`;
const ofIntake = {
  helper: 'intakeRecordsListHelper',
  table: 'intake_records',
  idField: ['recordId', 'id'],
} as const;

const lists: readonly PagedList[] = [
  {
    name: 'tickets',
    helper: 'ticketsListHelper',
    table: 'tickets',
    idField: ['ticketId', 'id'],
    filters: recordFilters,
    insert: `(host_id, kind, contact_id, external_id, inter_data, created_at)
      select :hostId, (array['tickets', 'objects'])[1 + nth % 2], ${record}`,
  },
  {
    name: 'leads',
    helper: 'leadsListHelper',
    table: 'leads',
    idField: ['leadId', 'id'],
    filters: recordFilters,
    insert: `(host_id, arrived_at, kind, contact_id, external_id, inter_data, created_at)
      select :hostId, now(), (array['deals', 'objects'])[1 + nth % 2], ${record}`,
  },
  {
    name: 'records of any kind and fate',
    ...ofIntake,
    filters: [{}],
    insert: `(host_id, kind, state, job_id, body, arrived_at)
      select :hostId, (array['tickets', 'deals', 'objects'])[1 + nth % 3],
        (array['done', 'refused', 'failed', 'received'])[1 + nth % 4], ${received}`,
  },
  {
    name: 'records of one kind and fate',
    ...ofIntake,
    filters: [{ kind: 'deals' }, { fate: 'refused' }, { kind: 'deals', fate: 'refused' }],
    insert: `(host_id, kind, state, job_id, body, arrived_at) select :hostId, 'deals', 'refused', ${received}`,
  },
  {
    name: 'versions of a flow',
    helper: 'flowVersionsListHelper',
    table: 'flow_versions',
    idField: ['version', 'version'],
    filters: [{ id: FLOW }],
    insert: `(host_id, flow_id, version, flow, saved_at)
      select :hostId, '${FLOW}', nth + (select coalesce(max(version), 0) from flow_versions where flow_id = '${FLOW}'),
        to_jsonb(flows) || jsonb_build_object('template_ref', repeat('x', size)), now()`,
  },
];

interface NewRow {
  readonly size: number;
  readonly micros: number;
}
const newRow: fc.Arbitrary<NewRow> = fc.record({
  size: fc.oneof({ arbitrary: fc.constant(1), weight: 9 }, fc.constant(400_000)),
  micros: fc.integer({ min: 0, max: 5 }),
});

describe('a list in pages', () => {
  let service: Service;
  let hostId: string;
  before(async () => {
    service = await borrowService();
    hostId = service.demo.hostId;
    await service.db('contacts').insert({ host_id: hostId, id: CONTACT });
    await service.db.raw(
      `insert into flows (host_id, id, avatar_id, name, steps, active)
       select host_id, ?, id, 'F', '[{"type": "message", "content": "x", "description": ""}]', false
       from avatars where host_id = ? limit 1`,
      [FLOW, hostId],
    );
  });
  after(() => service.close());

  const write = ({ table, insert }: PagedList, rows: readonly NewRow[]) =>
    service.db.raw(
      `insert into ${table} ${insert} from rows from (jsonb_to_recordset(:rows) as (size integer, micros integer))
         with ordinality given (size, micros, nth)
       ${table === 'flow_versions' ? `join flows on flows.id = '${FLOW}'` : ''}`,
      { hostId, rows: JSON.stringify(rows) },
    );
  const readPage = async ({ helper }: PagedList, body: Fields) => {
    const answer = await service.call(`${SVC}/${helper}`, { hostId, ...body });
    expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).to.equal(200);
    return answer.body.data as { readonly items: Fields[]; readonly nextCursor: string | null };
  };

  for (const list of lists) {
    it(`of ${list.name} neither skips nor repeats one while others are written`, async () => {
      const [ofItem, ofRow] = list.idField;
      const property = fc.asyncProperty(
        fc.constantFrom(...list.filters),
        fc.integer({ min: 1, max: 9 }),
        fc.array(newRow, { minLength: 1, maxLength: 20 }),
        fc.array(fc.array(newRow, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        async (filter, limit, rows, writes) => {
          await service.db(list.table).delete();
          await write(list, rows);
          const known: unknown[] = await service.db(list.table).pluck(ofRow);
          const seen: unknown[] = [];
          let cursor: string | null = null;
          for (let page = 0; page === 0 || cursor !== null; page += 1) {
            const { items, nextCursor }: Awaited<ReturnType<typeof readPage>> = await readPage(list, {
              ...filter,
              limit,
              ...(cursor === null ? {} : { cursor }),
            });
            expect(items.length).to.be.within(1, limit);
            seen.push(...items.map(item => item[ofItem]));
            cursor = nextCursor;
            // Some of them belong before the page, some after it, some between rows of one microsecond.
            if (page < 8) await write(list, writes[page % writes.length] ?? []);
          }
          expect(new Set(seen).size).to.equal(seen.length);
          expect(seen).to.include.members(known);
        },
      );
      await fc.assert(property, { numRuns: 15 });
    });
  }

  it('ends, and is in order, also where all rows are of one microsecond', async () => {
    const [tickets] = lists;
    if (!tickets) throw new Error('there is no list');
    await service.db('tickets').delete();
    await write(
      tickets,
      Array.from({ length: 230 }, () => ({ size: 1, micros: 0 })),
    );
    const seen: Fields[] = [];
    let cursor: string | null = null;
    do {
      const page = await readPage(tickets, { limit: 100, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const ids = seen.map(({ ticketId }) => String(ticketId));
    expect(ids).to.deep.equal(ids.toSorted().toReversed()).and.have.length(230);
  });
});
