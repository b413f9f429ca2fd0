import { operation } from '../operation.ts';
import { answerList, dateTime, field, integer, list, object, patternText, text } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { choosenHostId, ownHostId } from './fields.ts';
import { SVC } from './paths.ts';

const requestFields = {
  hostId: ownHostId,
  choosenHostId,
  startDate: field(
    'First instant of the period; a date without a time is local midnight of the host.',
    dateTime(),
  ),
  endDate: field(
    'First instant after the period, later than `startDate`; a date without a time is local midnight of the host.',
    dateTime(),
  ),
};

const period =
  'Of `[startDate, endDate)`, at most 5 years; a date without a time is local midnight in the host’s time zone. `hostId` is the token’s own ' +
  'where it is left out. Every local day and month of the period is listed, by the moment at which it begins.';

const count = (meaning: string) => field(meaning, integer({ min: 0 }));
const countText = (meaning: string) => field(meaning, patternText(/^\d+$/));
const series = { min: 1, max: 2_000 };

const month = {
  mês: field('When the month begins in the host’s time zone: an instant in UTC, ISO 8601.', dateTime()),
};
const day = {
  dia: field('When the day begins in the host’s time zone: an instant in UTC, ISO 8601.', dateTime()),
};
const services = countText('Services that began then, in decimal digits.');
const activity = {
  total_conversations: services,
  total_messages: countText('Messages written then, by anybody, in decimal digits.'),
  total_tickets: countText('Tickets opened then, in decimal digits.'),
};
const cost = {
  total_conversations: services,
  total_cost: field(
    'What these services cost, in the currency of the contract: a decimal number with two places.',
    patternText(/^\d+\.\d\d$/),
  ),
};
const BY_MONTH = 'The same by calendar month, oldest first; months without any have zeros.';
const BY_DAY = 'The same by calendar day, oldest first; days without any have zeros.';

const exampleBody = {
  hostId: HOST_ID,
  startDate: '2026-03-02T03:00:00.000Z',
  endDate: '2026-03-03T03:00:00.000Z',
};
const exampleMonth = '2026-03-01T03:00:00.000Z';
const exampleDay = '2026-03-02T03:00:00.000Z';
const exampleActivity = { total_conversations: '12', total_messages: '61', total_tickets: '2' };
const exampleCost = { total_conversations: '12', total_cost: '21.60' };

const common = {
  queue: 'reports',
  tag: 'reports',
  method: 'POST',
  status: 200,
  refusals: ['statistics-not-found'],
  scope: 'report',
  hosts: 'one',
  mayRespondAsync: true,
} as const;

export const conversationalStats = operation({
  ...common,
  summary: 'How much was talked: services, messages and tickets',
  description:
    `${period} A service is a conversation, counted once, on the day of its first message of the user after it was begun or opened ` +
    'again. Messages count on their own day. `total_contracted_services` is the monthly figure in force at `endDate`.',
  path: `${SVC}/getConversationalStats`,
  body: object(requestFields),
  data: answerList(
    object({
      total_contracted_services: count(
        'Services a month that the contract in force at `endDate` includes; 0 without one.',
      ),
      total_services: count('Services in the period.'),
      total_messages: count('Messages in the period: those of users, of avatars and of persons of the host.'),
      total_tickets: count('Tickets opened in the period.'),
      total_messages_sent_by_avatar: count('Messages that the assistant wrote.'),
      total_messages_received_by_user: count('Messages that users wrote to the host.'),
      total_solved_tickets: count('Tickets that were solved in the period, whenever they were opened.'),
      total_opened_tickets: count('Of `total_tickets` those that were still unsolved at `endDate`.'),
      total_services_after_hours: count(
        'Of `total_services` those that began outside the host’s business hours.',
      ),
      total_messages_after_hours: count(
        'Of `total_messages` those written outside the host’s business hours.',
      ),
      total_messages_responder_manager: count('Messages that persons of the host wrote.'),
      services_by_channels: field(
        'The services of the period by channel.',
        answerList(
          object({
            platform: field(
              'Channel, as `globalData.platform` names it; `api` where it was not given.',
              text({ min: 0 }),
            ),
            total_services: countText('Services over this channel, in decimal digits.'),
          }),
        ),
      ),
      history_months: field(BY_MONTH, list(object({ ...month, ...activity }), series)),
      history_days: field(BY_DAY, list(object({ ...day, ...activity }), series)),
    }),
  ),
  example: {
    body: exampleBody,
    data: [
      {
        total_contracted_services: 1_000,
        total_services: 12,
        total_messages: 61,
        total_tickets: 2,
        total_messages_sent_by_avatar: 28,
        total_messages_received_by_user: 30,
        total_solved_tickets: 1,
        total_opened_tickets: 2,
        total_services_after_hours: 3,
        total_messages_after_hours: 14,
        total_messages_responder_manager: 3,
        services_by_channels: [
          { platform: 'whatsapp', total_services: '9' },
          { platform: 'api', total_services: '3' },
        ],
        history_months: [{ mês: exampleMonth, ...exampleActivity }],
        history_days: [{ dia: exampleDay, ...exampleActivity }],
      },
    ],
  },
});

export const financialStats = operation({
  ...common,
  summary: 'What the services cost, by month and by day',
  description:
    `${period} The cost of a day is its services at the price in force on it, rounded to cents; that of a month is the sum of its days. ` +
    'Without a contract it is 0.00.',
  path: `${SVC}/getFinancialStats`,
  body: object(requestFields),
  data: answerList(
    object({
      history_months: field(BY_MONTH, list(object({ ...month, ...cost }), series)),
      history_days: field(BY_DAY, list(object({ ...day, ...cost }), series)),
    }),
  ),
  example: {
    body: exampleBody,
    data: [
      {
        history_months: [{ mês: exampleMonth, ...exampleCost }],
        history_days: [{ dia: exampleDay, ...exampleCost }],
      },
    ],
  },
});
