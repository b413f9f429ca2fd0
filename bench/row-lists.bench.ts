import type { Db } from '../db/connection.ts';
import { listDeliveries } from '../db/events/delivery-list.ts';
import { listAuditEntries } from '../db/hosts/audit.ts';
import { listLeads, listReceivedRecords, listTickets } from '../db/intake/record-lists.ts';
import { listDocuments } from '../db/knowledge/documents.ts';
import type { PageOf, TimedRow, TimeKey } from '../db/pages.ts';
import { type HostScope, withHost } from '../db/with-hosts.ts';
import { fillList, type ListedTable } from './row-list-data.bench.ts';

/*
 * For each list of a host's objects, this measures the first page and about the hundredth, or the last, for each filter; a filter
 * that matches only few and old rows makes a list without an index read all rows.
 */

export type TimesOf = (ask: (nth: number) => Promise<unknown>) => Promise<string>;
/** Returns the id of the oldest row. */
type IdOf = (table: string, column: string, where?: Readonly<Record<string, string>>) => Promise<string>;
type Read = (scope: HostScope, page: PageOf<TimeKey>) => Promise<readonly TimedRow[]>;

const PAGE = 51;
const PAGES = 100;
const aYearAgo = new Date(Date.now() - 365 * 86_400_000);

export async function measureRowList(
  db: Db,
  list: ListedTable,
  rows: number,
  timesOf: TimesOf,
): Promise<void> {
  const hostId = await fillList(db, list, rows);
  await db.raw('vacuum analyze');
  await db.raw('checkpoint');
  console.log(`${list}: ${rows} rows`);
  const measure = async (name: string, read: Read) => {
    const ask = (last?: TimedRow) => {
      const after = last && { at: last.at, id: last.rowId };
      return withHost(db, hostId, scope => read(scope, { limit: PAGE, after }));
    };
    const pages = await readPages(ask);
    const deep = pages.slice(-10).flat();
    const first = await timesOf(() => ask());
    const last = await timesOf(nth => ask(deep[(nth * 7) % deep.length]));
    console.log(`  ${name.padEnd(30)} page 1 ${first}, page ${pages.length} ${last}`);
  };
  const idOf: IdOf = async (table, column, where = {}) =>
    (
      await db(table)
        .where({ host_id: hostId, ...where })
        .orderBy('created_at')
        .first(column)
    )[column];
  for (const [name, read] of Object.entries(await reads[list](idOf))) await measure(name, read);
  if (list !== 'documents') return;
  // This dataset has the newest fifth, which is no longer listed.
  await db('datasets').where({ host_id: hostId, name: 'base 19' }).update({ deleted: true });
  await measure('none, a dataset deleted', (scope, page) => listDocuments(scope, {}, page));
}

async function readPages(ask: (last?: TimedRow) => Promise<readonly TimedRow[]>): Promise<TimedRow[][]> {
  const pages: TimedRow[][] = [];
  while (pages.length < PAGES) {
    const rows = await ask(pages.at(-1)?.at(-1));
    if (rows.length > 0) pages.push([...rows]);
    if (rows.length < PAGE) break;
  }
  return pages;
}

const reads: Readonly<Record<ListedTable, (idOf: IdOf) => Promise<Record<string, Read>>>> = {
  tickets: async idOf =>
    mapValues(
      await recordFilters('tickets', idOf),
      filter => (scope, page) => listTickets(scope, filter, page),
    ),
  leads: async idOf =>
    mapValues(await recordFilters('leads', idOf), filter => (scope, page) => listLeads(scope, filter, page)),
  records: async () => {
    const filters = {
      none: {},
      'a rare kind': { kind: 'objects' },
      'a rare state': { state: 'refused' },
      'a state without any': { state: 'failed' },
      'a rare state, a kind': { state: 'refused', kind: 'deals' },
    } as const;
    return mapValues(filters, filter => (scope, page) => listReceivedRecords(scope, filter, page));
  },
  documents: async idOf => {
    const filters = {
      none: {},
      'a dataset': { datasetId: await idOf('datasets', 'id', { name: 'base 0' }) },
      'a rare dataset': { datasetId: await idOf('datasets', 'id', { name: 'base 20' }) },
    };
    return mapValues(filters, filter => (scope, page) => listDocuments(scope, filter, page));
  },
  deliveries: async idOf => {
    const webhookId = await idOf('webhooks', 'id', { name: 'receiver 0' });
    const filters = {
      none: {},
      'a webhook': { webhookId },
      'a rare webhook': { webhookId: await idOf('webhooks', 'id', { name: 'receiver 20' }) },
      delivered: { state: 'delivered' },
      dead: { state: 'dead' },
      'pending, without any': { state: 'pending' },
      'dead, a webhook': { webhookId, state: 'dead' },
    } as const;
    return mapValues(filters, filter => (scope, page) => listDeliveries(scope, filter, page));
  },
  audit: async () => {
    const filters = {
      none: {},
      'a rare operation': { operation: 'saveFlow' },
      'until a year ago': { until: aYearAgo },
      'a rare operation, since a year': { operation: 'saveFlow', since: aYearAgo },
    };
    return mapValues(filters, filter => async (scope, { limit, after }) => {
      const entries = await listAuditEntries(scope, filter, { limit, after });
      return entries.map(({ auditId, createdAt }) => ({ rowId: auditId, at: Date.parse(createdAt) }));
    });
  },
};

async function recordFilters(table: 'tickets' | 'leads', idOf: IdOf) {
  const contactId = await idOf(table, 'contact_id');
  const createdSince = aYearAgo;
  return {
    none: {},
    'an external id': { externalId: table === 'tickets' ? 'T-1' : 'L-1' },
    'a contact': { contactId },
    'since a year': { createdSince },
    'a contact, since a year': { contactId, createdSince },
  };
}

function mapValues<V>(values: Readonly<Record<string, V>>, readOf: (value: V) => Read): Record<string, Read> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, readOf(value)]));
}
