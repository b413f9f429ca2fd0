import { operation } from '../operation.ts';
import { answerList, dateTime, integer, list, matching, object, optional, text, uuid } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const asked = {
  hostId: optional(uuid()),
  choosenHostId: optional(uuid()),
  startDate: dateTime(),
  endDate: dateTime(),
};

const period =
  'Of `[startDate, endDate)`, at most 5 years; a date without a time is local midnight in the host’s time zone. `hostId` is the token’s own ' +
  'where it is left out. Every local day and month of the period is listed, by the moment at which it begins.';

const count = () => integer({ min: 0 });
const countText = () => matching(/^\d+$/);
const money = () => matching(/^\d+\.\d\d$/);
const series = { min: 1, max: 2_000 };

const activity = {
  total_conversations: countText(),
  total_messages: countText(),
  total_tickets: countText(),
};
const cost = { total_conversations: countText(), total_cost: money() };

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
  body: object(asked),
  data: answerList(
    object({
      total_contracted_services: count(),
      total_services: count(),
      total_messages: count(),
      total_tickets: count(),
      total_messages_sent_by_avatar: count(),
      total_messages_received_by_user: count(),
      total_solved_tickets: count(),
      total_opened_tickets: count(),
      total_services_after_hours: count(),
      total_messages_after_hours: count(),
      total_messages_responder_manager: count(),
      services_by_channels: answerList(object({ platform: text({ min: 0 }), total_services: countText() })),
      history_months: list(object({ mês: dateTime(), ...activity }), series),
      history_days: list(object({ dia: dateTime(), ...activity }), series),
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
  body: object(asked),
  data: answerList(
    object({
      history_months: list(object({ mês: dateTime(), ...cost }), series),
      history_days: list(object({ dia: dateTime(), ...cost }), series),
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
