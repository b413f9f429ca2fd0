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
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Page, readTimePage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler, HandlerJob } from '../runtime/job.ts';

export const listTickets: Handler<'listTickets'> = job =>
  job.read(scope => listRecords(scope, job, job.body.ticketId, ticketsOf, toTicketItem));

export const listLeads: Handler<'listLeads'> = job =>
  job.read(scope => listRecords(scope, job, job.body.leadId, leadsOf, toLeadItem));

async function listRecords<Row extends TimeKey & PagedRow, Item>(
  scope: HostScope,
  job: HandlerJob<'listTickets'> | HandlerJob<'listLeads'>,
  id: string | undefined,
  recordsOf: (scope: HostScope, filter: RecordFilter, page: PageOf<TimeKey>) => Promise<Row[]>,
  toItem: (row: Row) => Item,
): Promise<Outcome<Page<Item>>> {
  const { externalId, contactId, createdSince } = job.body;
  const since = await readInstants(scope, { createdSince });
  if (isFailure(since)) return since;
  const filter = { id, externalId, contactId, ...since };
  const page = await readTimePage(job, order => recordsOf(scope, filter, order), toItem);
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

export const listIntakeRecords: Handler<'listIntakeRecords'> = job =>
  job.read(async scope => {
    const { kind, fate } = job.body;
    const page = await readTimePage(
      job,
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
