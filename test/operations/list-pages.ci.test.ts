import { expect } from 'chai';
import * as fc from 'fast-check';
import { MAX_IDS } from '../../queues/contract/operations/gap-shape.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { bodySchemaOf, type Fields, send, type Tenant } from '../support/operation-calls.ts';
import { type ApiResponse, type CallOptions, openService } from '../support/service.ts';
import { type Figure, type PagedList, pagedLists } from './paged-lists.ts';

/** A few walks for each list; `npm run test:long` makes a hundred, and fewer where a report has to fold first. */
const RUNS = Number(process.env['RUNS'] ?? 3);
const RUNS_OF_FIGURE = Math.ceil(RUNS / 4);

interface NewRow {
  readonly size: number;
  readonly micros: number;
}
const newRow: fc.Arbitrary<NewRow> = fc.record({
  size: fc.oneof({ arbitrary: fc.constant(1), weight: 9 }, fc.constant(400_000)),
  micros: fc.integer({ min: 0, max: 5 }),
});
const rowsAlike = (count: number): NewRow[] => Array.from({ length: count }, () => ({ size: 1, micros: 0 }));

interface Page {
  readonly ids: string[];
  readonly nextCursor: string | null;
  /** Returns how many the report says that there are. */
  readonly count: number | undefined;
}

describe('a list in pages', () => {
  const service = openService();
  after(() => service.db('hosts').whereLike('slug', 'paged-%').delete());

  const ofAllHosts = (list: PagedList) => operationOf(list.operation).hosts === 'all';
  const storedRows = (list: PagedList, { hostId }: Tenant) =>
    ofAllHosts(list) ? service.db(list.table) : service.db(list.table).where({ host_id: hostId });
  const storedIds = async (list: PagedList, host: Tenant): Promise<string[]> =>
    (await storedRows(list, host).pluck(list.column)).map(String);
  const write = async ({ insert }: PagedList, { hostId }: Tenant, rows: readonly NewRow[]) => {
    await service.db.raw(insert, { hostId, rows: JSON.stringify(rows) });
  };
  const prepare = async ({ prepare: statement }: PagedList, { hostId }: Tenant) => {
    if (statement) await service.db.raw(statement, { hostId });
  };
  /** The host then has these rows only. */
  const begin = async (list: PagedList, host: Tenant, rows: readonly NewRow[]) => {
    const old = storedRows(list, host);
    await (ofAllHosts(list) ? old.whereLike('slug', 'paged-%') : old).delete();
    await write(list, host, rows);
  };
  const callAs = (list: PagedList, { hostId, token }: Tenant, body: Fields) => {
    const options: CallOptions = ofAllHosts(list) ? {} : { token };
    return send(service, list.operation, ofAllHosts(list) ? body : { hostId, ...body }, options);
  };
  const read = async (list: PagedList, host: Tenant, body: Fields): Promise<Page> => {
    const { status, body: answer } = await callAs(list, host, body);
    expect(status, JSON.stringify(answer).slice(0, 500)).to.equal(200);
    const { field, figureOf } = list;
    if (field) {
      const { items, nextCursor } = answer.data as { items: Fields[]; nextCursor: string | null };
      return { ids: items.map(item => String(item[field])), nextCursor, count: undefined };
    }
    const { conversations = [], nextCursor = null, count = 0 } = figureOf?.(answer.data) ?? {};
    return { ids: [...conversations], nextCursor, count };
  };
  const firstPage = async (list: PagedList, host: Tenant, body: Fields) => {
    if (!list.figureOf) return read(list, host, body);
    // A report need not wait until all is folded.
    const stored = (await storedIds(list, host)).length;
    return eventually(() => read(list, host, body), { count: stored });
  };
  const isFigure = (list: PagedList) => list.figureOf !== undefined;
  const maxOf = (list: PagedList, limit: number) => (isFigure(list) ? MAX_IDS : limit);
  const bodyOf = (list: PagedList, filter: Fields, limit: number) =>
    isFigure(list) ? filter : { ...filter, limit };

  it('is each operation that takes a cursor', () => {
    const taking = operationNames.filter(name => bodySchemaOf(name).properties?.['cursor']);
    expect(new Set(pagedLists.map(({ operation }) => operation))).to.deep.equal(new Set(taking));
  });

  for (const list of pagedLists) {
    it(`of ${list.name} has each row once that was there, and none of another host, while others are written`, async () => {
      const { demo, acme } = service;
      for (const host of [demo, acme]) await prepare(list, host);
      // More than the host itself ever has, because versions of flows have the same numbers in each.
      if (!ofAllHosts(list)) await begin(list, acme, rowsAlike(60));
      const length = isFigure(list)
        ? { minLength: MAX_IDS, maxLength: 2 * MAX_IDS + 30 }
        : { minLength: RUNS < 100 ? 6 : 1, maxLength: 20 };
      const property = fc.asyncProperty(
        fc.constantFrom(...list.filters),
        fc.integer({ min: 1, max: 9 }),
        fc.array(newRow, length),
        fc.array(fc.array(newRow, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (filter, limit, rows, writes, changes) => {
          await begin(list, demo, rows);
          const known = await storedIds(list, demo);
          const body = bodyOf(list, filter, limit);
          const seen: string[] = [];
          for (let page = await firstPage(list, demo, body), nth = 0; ; nth += 1) {
            expect(page.ids.length).to.be.within(1, maxOf(list, limit));
            seen.push(...page.ids);
            if (page.nextCursor === null) break;
            // Some of them belong before the page, some after it, some between rows of one microsecond.
            if (nth < 8) await write(list, demo, writes[nth % writes.length] ?? []);
            const id = known[(changes[nth] ?? 0) % known.length] ?? '';
            if (list.change && nth < changes.length) await service.db.raw(list.change, { id });
            page = await read(list, demo, { ...body, cursor: page.nextCursor });
          }
          expect(new Set(seen).size).to.equal(seen.length);
          expect(seen).to.include.members(known);
          expect(await storedIds(list, demo)).to.include.members(seen);
        },
      );
      await fc.assert(property, { numRuns: isFigure(list) ? RUNS_OF_FIGURE : RUNS });
    });
  }

  it('behind a figure of a report is as long as it says, in every answer, while all of it changes', async () => {
    const { demo } = service;
    const figures = pagedLists.filter(isFigure);
    const [gaps, outcomes] = figures as [PagedList, PagedList];
    const writeAll = async () => {
      for (const list of figures) await write(list, demo, rowsAlike(1));
      const [changed, closed, ...gone] = await storedRows(gaps, demo)
        .orderByRaw('random()')
        .limit(5)
        .pluck('id');
      for (const { change = '' } of figures) await service.db.raw(change, { id: changed });
      await service.db.raw('update conversations set closed = not closed where id = :id', { id: closed });
      await service.db('conversations').whereIn('id', gone).delete();
    };
    const figuresOf = (data: ApiResponse['body']): Figure[] =>
      Array.isArray(data)
        ? data.map((gap: Figure & { readonly times: number }) => ({ ...gap, count: gap.times }))
        : Object.values<Figure>(data).filter(value => Array.isArray(value?.conversations));
    // Few: of a longer figure, only the first ids are in one answer.
    await begin(gaps, demo, rowsAlike(40));
    for (let nth = 0; nth < RUNS_OF_FIGURE; nth += 1) {
      // Several at a time: one folds what another is about to read.
      const asked = [gaps, outcomes, gaps, outcomes, gaps, outcomes];
      const state = { isAsking: true };
      const asking = Promise.all(asked.map(list => callAs(list, demo, list.filters[0] ?? {})));
      const writing = (async () => {
        while (state.isAsking) await writeAll();
      })();
      const answers = await asking.finally(() => (state.isAsking = false));
      await writing;
      for (const answer of answers)
        for (const { count, conversations, nextCursor } of figuresOf(answer.body.data)) {
          expect(conversations.length).to.equal(Math.min(count, MAX_IDS));
          expect(nextCursor !== null).to.equal(count > MAX_IDS);
        }
      for (const { body } of answers) {
        if (Array.isArray(body.data)) continue;
        const counts = figuresOf(body.data).map(({ count }) => count);
        expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(body.data.total);
      }
    }
  });

  it('ends, and is in order, also where all rows are of one microsecond', async () => {
    const [tickets] = pagedLists as [PagedList];
    await begin(tickets, service.demo, rowsAlike(230));
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await read(tickets, service.demo, { limit: 100, ...(cursor ? { cursor } : {}) });
      ids.push(...page.ids);
      cursor = page.nextCursor;
    }
    expect(ids).to.deep.equal(ids.toSorted().toReversed()).and.have.length(230);
  });

  describe('refuses a cursor', () => {
    const lists = new Map(pagedLists.map(list => [list.operation, list]));
    const cursorOf = async (list: PagedList, host: Tenant) => {
      const [filter = {}] = list.filters;
      await prepare(list, host);
      await begin(list, host, rowsAlike(isFigure(list) ? MAX_IDS + 1 : 2));
      return (await firstPage(list, host, bodyOf(list, filter, 1))).nextCursor as string;
    };
    const answerTo = (list: PagedList, cursor: string, elsewhere: Fields = {}) =>
      callAs(list, service.demo, { ...list.filters[0], ...elsewhere, cursor });
    const expectRefused = async (list: PagedList, cursor: string, elsewhere: Fields = {}) =>
      expectWrong(await answerTo(list, cursor, elsewhere), 'cursor', /^is no cursor of this list$/);
    const decoded = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const own = new Map<PagedList, string>();
    before(async () => {
      for (const list of lists.values()) own.set(list, await cursorOf(list, service.demo));
    });

    it('that is of another list, of another host, or of the same list of another row', async () => {
      const { demo, acme } = service;
      for (const [list, cursor] of own) {
        // Another list may have deleted what the rows of this one belong to.
        await prepare(list, demo);
        const { operation, hostId, ofId, key } = decoded(cursor);
        expect(operation).to.equal(list.operation);
        expect(hostId).to.equal(ofAllHosts(list) ? undefined : demo.hostId);
        const other = list.operation === 'listTickets' ? 'listLeads' : 'listTickets';
        await expectRefused(list, encoded({ operation: other, hostId, ofId, key }));
        if (list.elsewhere) await expectRefused(list, cursor, list.elsewhere);
        if (!ofAllHosts(list))
          await expectRefused(list, encoded({ operation, hostId: acme.hostId, ofId, key }));
      }
      // As they were made, each is one of the next list.
      const cursors = [...own.values()];
      await Promise.all([...own.keys()].map((list, at) => expectRefused(list, cursors.at(at - 1) ?? '')));
    });

    it('that is broken, and takes one with other values or refuses it, too', async () => {
      const values = [-1, 0.5, Number.MAX_SAFE_INTEGER, '', '1; drop', '\u0000', '9'.repeat(18), null, []];
      for (const [list, cursor] of own) {
        await prepare(list, service.demo);
        const { key, ...of } = decoded(cursor);
        expect((await answerTo(list, encoded({ ...of, key }))).status).to.equal(200);
        const broken = [`${cursor}!`, encoded(key), encoded({ ...of, key: {} }), encoded({ ...of, key: [] })];
        await Promise.all(broken.map(each => expectRefused(list, each)));
        const changed = Object.keys(key).flatMap(field => values.map(value => [field, value] as const));
        const answers = changed.map(async ([field, value]) => {
          const { status, body } = await answerTo(list, encoded({ ...of, key: { ...key, [field]: value } }));
          expect(status, `${list.name} ${field} ${JSON.stringify(value)}`).to.be.oneOf([200, 400]);
          if (status === 400) expect(body.data.fields[0].path).to.equal('cursor');
        });
        await Promise.all(answers);
      }
    });
  });
});
