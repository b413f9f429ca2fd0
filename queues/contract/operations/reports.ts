import { operation } from '../operation.ts';
import { object, responseList } from '../shape.ts';
import { SVC } from './paths.ts';
import {
  activityReport,
  costReport,
  exampleActivityReport,
  exampleBody,
  exampleCostReport,
  reportFields,
} from './report-shape.ts';

const period =
  'For the period `[startDate, endDate)`, at most 5 years; a date without a time means midnight in the time zone of the host. `hostId` defaults to ' +
  'the host of the token. Every local day and month of the period is listed, identified by its start.';

const common = {
  queue: 'reports',
  weight: { kind: 'report', connections: 1 },
  tag: 'reports',
  refusals: ['statistics-not-found'],
  scope: 'report',
  mayRespondAsync: true,
} as const;

export const conversationalStats = operation({
  ...common,
  effect: 'reads',
  summary: 'Get statistics of services, messages and tickets',
  description:
    `${period} A service is a conversation, counted once, on the day of the first message of the end user after it was started or ` +
    'reopened. Messages count on the day they were written. `total_contracted_services` is the monthly number in force at `endDate`.',
  path: `${SVC}/getConversationalStats`,
  body: object(reportFields),
  data: responseList(activityReport),
  example: {
    body: exampleBody,
    data: [exampleActivityReport],
  },
});

export const financialStats = operation({
  ...common,
  effect: 'reads',
  summary: 'Get the cost of services by month and day',
  description:
    `${period} The cost of a day is its number of services times the price in force on that day, rounded to cents; the cost of a month is the sum of its days. ` +
    'Without a contract the cost is 0.00.',
  path: `${SVC}/getFinancialStats`,
  body: object(reportFields),
  data: responseList(costReport),
  example: {
    body: exampleBody,
    data: [exampleCostReport],
  },
});
