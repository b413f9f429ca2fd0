import { operation } from '../operation.ts';
import { field, integer, object, patternText, responseList } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { hostFields, hostOfObject } from './fields.ts';
import { SVC } from './paths.ts';

const ofContracts = { tag: 'hosts', scope: 'admin', isForOperators: true } as const;

const MAX_SERVICES = 2_147_483_647;

const contract = {
  startsOn: field(
    'Its first day, in the time zone of the host: it is in force until the next one starts.',
    patternText(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a date such as `2026-03-01`'),
  ),
  price: field(
    'Price of one service.',
    patternText(/^\d{1,10}(\.\d{1,4})?$/, 'a decimal number with at most four places, such as `1.80`'),
  ),
  services: field('Services a month.', integer({ min: 0, max: MAX_SERVICES })),
};

export const saveContract = operation({
  ...ofContracts,
  effect: 'changes',
  summary: 'Set the price of a service of a host from a day on',
  description: 'Only for tokens of operators. A contract that starts on the same day is replaced.',
  path: `${SVC}/saveContractHelper`,
  body: object({ ...hostFields, ...contract }),
  data: object({ hostId: hostOfObject, ...contract }),
  example: {
    body: { hostId: HOST_ID, startsOn: '2026-03-01', price: '1.80', services: 1_000 },
    data: { hostId: HOST_ID, startsOn: '2026-03-01', price: '1.8000', services: 1_000 },
  },
  refusals: ['operators-only'],
});

export const listContracts = operation({
  ...ofContracts,
  effect: 'reads',
  summary: 'List what a host pays from which day on',
  description: 'Only for tokens of operators. Sorted by the first day.',
  path: `${SVC}/contractsListHelper`,
  body: object(hostFields),
  data: responseList(object(contract)),
  example: {
    body: { hostId: HOST_ID },
    data: [{ startsOn: '2026-03-01', price: '1.8000', services: 1_000 }],
  },
  refusals: ['operators-only'],
});
