import { operation } from '../operation.ts';
import { dateTime, field, object, optional, type Shape, text, uuid } from '../shape.ts';
import { CONTACT_ID, HOST_ID, LEAD_ID, TICKET_ID } from './example-ids.ts';
import { hostFields } from './fields.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';
import { exampleLead, exampleTicket, lead, ticket } from './record-shape.ts';

const MAX_EXTERNAL_ID_LENGTH = 1_000;

/** The fields of a list; the id has the name that its items have. */
const bodyFields = {
  ...hostFields,
  ...pageFields,
  externalId: field(
    'Only records with this id in the CRM, as text; a ticket and an object may have the same one. When absent: all.',
    optional(text({ max: MAX_EXTERNAL_ID_LENGTH })),
  ),
  contactId: field('Only records of this contact. When absent: of all contacts.', optional(uuid())),
  createdSince: field(
    'Only records that were stored first at or after this time; a date without a time means midnight in the time zone of the host. When absent: all.',
    optional(dateTime()),
  ),
};

const onlyId = (what: string) => field(`Only the ${what} with this id. When absent: all.`, optional(uuid()));
const exampleBody = {
  hostId: HOST_ID,
  limit: 20,
  contactId: CONTACT_ID,
  createdSince: '2026-01-01T03:00:00.000Z',
};

/** Both lists differ only in their records. */
function declareList<B, T>(
  { summary, path }: { readonly summary: string; readonly path: string },
  { body, exampleBody: asked }: { readonly body: Shape<B>; readonly exampleBody: B },
  record: Shape<T>,
  example: T,
) {
  return operation({
    effect: 'reads',
    summary,
    description:
      'Newest first, by `createdAt`. A page also ends when it has 1 MiB, so it may have fewer items than `limit`.',
    queue: 'catalog',
    weight: { kind: 'list', connections: 1 },
    tag: 'intake',
    method: 'POST',
    path: `${SVC}/${path}`,
    body,
    data: pageOf(record),
    example: {
      body: asked,
      data: { items: [example], nextCursor: null },
    },
    status: 200,
    refusals: [],
    scope: 'manage',
    hosts: 'one',
  });
}

export const listTickets = declareList(
  { summary: 'List the tickets of a host', path: 'ticketsListHelper' },
  {
    body: object({ ...bodyFields, ticketId: onlyId('ticket') }),
    exampleBody: { ...exampleBody, ticketId: TICKET_ID },
  },
  ticket,
  exampleTicket,
);

export const listLeads = declareList(
  { summary: 'List the leads of a host', path: 'leadsListHelper' },
  {
    body: object({ ...bodyFields, leadId: onlyId('lead') }),
    exampleBody: { ...exampleBody, leadId: LEAD_ID },
  },
  lead,
  exampleLead,
);
