import { operation } from '../operation.ts';
import { field, idAlsoNamed, object, optionalFields } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { hostFields } from './fields.ts';
import { exampleHost, exampleSettings, hostItem, hostSettings } from './host-shape.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

/** A share decides over the other hosts, too. */
const forOperators = { scope: 'admin', isForOperators: true, tag: 'hosts', method: 'POST' } as const;

export const saveHost = operation({
  ...forOperators,
  effect: 'changes',
  summary: 'Change settings of a host',
  description:
    'Only for tokens of operators; `hostId` chooses the host. Updates only the given fields. Another time zone or other ' +
    'business hours recount the reports of the host.',
  // The recount may be long.
  queue: 'reports',
  weight: { kind: 'report', connections: 1 },
  path: `${SVC}/saveHostHelper`,
  body: object({
    ...hostFields,
    hostId: field('Id of the host, as returned by hostsListHelper.', idAlsoNamed('id')),
    ...optionalFields(hostSettings),
  }),
  data: hostItem,
  example: { body: { hostId: HOST_ID, ...exampleSettings }, data: exampleHost },
  status: 200,
  refusals: ['operators-only'],
  hosts: 'one',
});

export const listHosts = operation({
  ...forOperators,
  effect: 'reads',
  summary: 'List the hosts with their settings',
  description: 'Only for tokens of operators. Sorted by `slug`.',
  queue: 'catalog',
  path: `${SVC}/hostsListHelper`,
  body: object(pageFields),
  data: pageOf(hostItem),
  example: { body: { limit: 50 }, data: { items: [exampleHost], nextCursor: null } },
  status: 200,
  refusals: ['operators-only'],
  hosts: 'all',
});
