import { intakeStates } from '../../db/intake/intake-records.ts';
import {
  listLeads as leadsOf,
  listReceivedRecords,
  type RecordFilter,
  listTickets as ticketsOf,
} from '../../db/intake/record-lists.ts';
import type { PageOf, TimedRow, TimeKey } from '../../db/pages.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { type Page, readTimePage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler, JobOf } from '../runtime/job.ts';

export const listTickets: Handler<'listTickets'> = job =>
  job.read(scope => listRecords(scope, job, job.body.ticketId, ticketsOf));

export const listLeads: Handler<'listLeads'> = job =>
  job.read(scope => listRecords(scope, job, job.body.leadId, leadsOf));

async function listRecords<Item>(
  scope: HostScope,
  job: JobOf<'listTickets'> | JobOf<'listLeads'>,
  id: string | undefined,
  recordsOf: (scope: HostScope, filter: RecordFilter, page: PageOf<TimeKey>) => Promise<(Item & TimedRow)[]>,
): Promise<Outcome<Page<Item>>> {
  const { externalId, contactId, createdSince } = job.body;
  const since = await readInstants(scope, { createdSince });
  if (isFailure(since)) return since;
  const filter = { id, externalId, contactId, ...since };
  return readTimePage(job, order => recordsOf(scope, filter, order));
}

export const listIntakeRecords: Handler<'listIntakeRecords'> = job =>
  job.read(async scope => {
    const { kind, fate } = job.body;
    const states = fate === undefined ? intakeStates : [fate].flat();
    return readTimePage(job, order => listReceivedRecords(scope, { kind, states }, order));
  });
