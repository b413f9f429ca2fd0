import { dateTime, field, integer, list, object, patternText, responseList, text } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { ownHostFields } from './fields.ts';

const count = (meaning: string) => field(meaning, integer({ min: 0 }));
const countText = (meaning: string) => field(meaning, patternText(/^\d+$/, 'a whole number'));
export const MAX_REPORT_DAYS = 2_000;
const series = { min: 1, max: MAX_REPORT_DAYS };

const month = {
  mês: field('Start of the month in the time zone of the host: an instant in UTC, ISO 8601.', dateTime()),
};
const day = {
  dia: field('Start of the day in the time zone of the host: an instant in UTC, ISO 8601.', dateTime()),
};
const services = countText('Number of services that began, in decimal digits.');
const activity = {
  total_conversations: services,
  total_messages: countText('Number of messages of all authors, in decimal digits.'),
  total_tickets: countText('Number of tickets opened, in decimal digits.'),
};
const cost = {
  total_conversations: services,
  total_cost: field(
    'Cost of these services in the currency of the contract: a decimal number with two places.',
    patternText(/^\d+\.\d\d$/, 'a number with two decimals'),
  ),
};
const BY_MONTH = 'Figures by calendar month, oldest first; months without data have zeros.';
const BY_DAY = 'Figures by calendar day, oldest first; days without data have zeros.';

export const reportFields = {
  ...ownHostFields,
  startDate: field(
    'Start of the period, inclusive; a date without a time means midnight in the time zone of the host.',
    dateTime(),
  ),
  endDate: field(
    'End of the period, exclusive, later than `startDate`; a date without a time means midnight in the time zone of the host.',
    dateTime(),
  ),
};

export const exampleBody = {
  hostId: HOST_ID,
  startDate: '2026-03-02T03:00:00.000Z',
  endDate: '2026-03-03T03:00:00.000Z',
};
const exampleMonth = '2026-03-01T03:00:00.000Z';
const exampleDay = '2026-03-02T03:00:00.000Z';
const exampleActivity = { total_conversations: '12', total_messages: '61', total_tickets: '2' };
const exampleCost = { total_conversations: '12', total_cost: '21.60' };

export const activityReport = object({
  total_contracted_services: count(
    'Monthly services included in the contract in force at `endDate`; 0 without a contract.',
  ),
  total_services: count('Services in the period.'),
  total_messages: count('Messages in the period: of end users, avatars and staff members.'),
  total_tickets: count('Tickets opened in the period.'),
  total_messages_sent_by_avatar: count('Messages of the assistant.'),
  total_messages_received_by_user: count('Messages of end users.'),
  total_solved_tickets: count('Tickets solved in the period, regardless of when they were opened.'),
  total_opened_tickets: count('Tickets of `total_tickets` that were still unsolved at `endDate`.'),
  total_services_after_hours: count(
    'Services of `total_services` that began outside the business hours of the host.',
  ),
  total_messages_after_hours: count(
    'Messages of `total_messages` written outside the business hours of the host.',
  ),
  total_messages_responder_manager: count('Messages of staff members of the host.'),
  services_by_channels: field(
    'Services of the period by channel.',
    responseList(
      object({
        platform: field(
          'Channel: the value of `globalData.platform`, or `api` if none was given.',
          text({ min: 0 }),
        ),
        total_services: countText('Number of services over this channel, in decimal digits.'),
      }),
    ),
  ),
  history_months: field(BY_MONTH, list(object({ ...month, ...activity }), series)),
  history_days: field(BY_DAY, list(object({ ...day, ...activity }), series)),
});
export const exampleActivityReport = {
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
};

export const costReport = object({
  history_months: field(BY_MONTH, list(object({ ...month, ...cost }), series)),
  history_days: field(BY_DAY, list(object({ ...day, ...cost }), series)),
});
export const exampleCostReport = {
  history_months: [{ mês: exampleMonth, ...exampleCost }],
  history_days: [{ dia: exampleDay, ...exampleCost }],
};
