import { listReceivedRecords, type ReceivedRecord } from '../../db/intake/intake-record-list.ts';
import {
  type ListedLead,
  type ListedTicket,
  listLeads as leadsOf,
  type RecordFilter,
  listTickets as ticketsOf,
} from '../../db/intake/record-lists.ts';
import type { PagedRow, PageOf, TimeKey } from '../../db/pages.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import type { Handler } from '../runtime/job.ts';
import { type Page, readTimePage } from '../runtime/page.ts';
import { readInstants } from '../runtime/read-instants.ts';

export const listTickets: Handler<'listTickets'> = ({ body, read }) =>
  read(scope => listRecords(scope, { ...body, id: body.ticketId }, ticketsOf, toTicketItem));

export const listLeads: Handler<'listLeads'> = ({ body, read }) =>
  read(scope => listRecords(scope, { ...body, id: body.leadId }, leadsOf, toLeadItem));

async function listRecords<Row extends TimeKey & PagedRow, Item>(
  scope: HostScope,
  body: BodyOf<'listTickets' | 'listLeads'> & { readonly id: string | undefined },
  recordsOf: (scope: HostScope, filter: RecordFilter, page: PageOf<TimeKey>) => Promise<Row[]>,
  toItem: (row: Row) => Item,
): Promise<Outcome<Page<Item>>> {
  const since = await readInstants(scope, { createdSince: body.createdSince });
  if (isFailure(since)) return since;
  const filter = { id: body.id, externalId: body.externalId, contactId: body.contactId, ...since };
  const page = await readTimePage(body, order => recordsOf(scope, filter, order), toItem);
  return isFailure(page) ? page : { code: 200, data: page };
}

function toTicketItem(ticket: ListedTicket): DataOf<'listTickets'>['items'][number] {
  const { id, at: _at, fits: _fits, createdAt, updatedAt, openedAt, solvedAt, ...rest } = ticket;
  return {
    ticketId: id,
    ...rest,
    openedAt: openedAt.toISOString(),
    solvedAt: solvedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function toLeadItem(lead: ListedLead): DataOf<'listLeads'>['items'][number] {
  const { id, at: _at, fits: _fits, createdAt, updatedAt, ...rest } = lead;
  return { leadId: id, ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export const listIntakeRecords: Handler<'listIntakeRecords'> = ({ body: { kind, fate, ...body }, read }) =>
  read(async scope => {
    const page = await readTimePage(
      body,
      order => listReceivedRecords(scope, { kind, state: fate }, order),
      toRecordItem,
    );
    return isFailure(page) ? page : { code: 200, data: page };
  });

function toRecordItem(record: ReceivedRecord): DataOf<'listIntakeRecords'>['items'][number] {
  return {
    recordId: record.id,
    kind: record.kind,
    fate: record.state,
    status: record.status,
    entityTable: record.recordTable,
    entityId: record.recordId,
    reasons: record.reasons,
    warnings: record.warnings,
    body: record.body,
    arrivedAt: record.arrivedAt.toISOString(),
    finishedAt: record.finishedAt?.toISOString() ?? null,
  };
}
