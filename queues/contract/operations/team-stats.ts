import { operation } from '../operation.ts';
import { field, integer, list, nullable, number, object, text } from '../shape.ts';
import { SVC } from './paths.ts';
import { exampleBody, reportFields } from './report-shape.ts';

/** A limit is needed, because names are free text. */
export const MAX_MEMBERS = 1_000;
/** The report reads at most this many messages of staff members. */
export const MAX_STAFF_MESSAGES = 10_000;

const seconds = (meaning: string) =>
  field(`${meaning}; null where there is none.`, nullable(number({ min: 0, max: Number.MAX_VALUE })));

export const getTeamStats = operation({
  queue: 'reports',
  weight: { kind: 'report', connections: 1 },
  tag: 'reports',
  method: 'POST',
  status: 200,
  refusals: [],
  scope: 'report',
  hosts: 'one',
  mayRespondAsync: true,
  effect: 'reads',
  summary: 'Get what each staff member attended',
  description:
    'For the period `[startDate, endDate)`, at most 5 years, from messages of staff members in it, by the name under which they were written: ' +
    `from the newest ${MAX_STAFF_MESSAGES} where there are more. Who attended most conversations is the first. Rehearsals do not count. ` +
    '`hostId` defaults to the host of the token.',
  path: `${SVC}/getTeamStatsHelper`,
  body: object(reportFields),
  data: list(
    object({
      name: field('Name under which the staff member wrote; empty where none was given.', text({ min: 0 })),
      conversations: field('Number of conversations in which they wrote.', integer({ min: 0 })),
      messages: field('Number of their messages.', integer({ min: 0 })),
      secondsUntilFirstAnswer: seconds(
        'Median of the seconds from the last request for help of a conversation to the first message of a staff member after it, where that was theirs',
      ),
      secondsUntilAnswer: seconds(
        'Median of the seconds from the first message of the end user that nobody had answered to their answer',
      ),
    }),
    { max: MAX_MEMBERS },
  ),
  example: {
    body: exampleBody,
    data: [
      {
        name: 'Bia Souza',
        conversations: 12,
        messages: 40,
        secondsUntilFirstAnswer: 312.5,
        secondsUntilAnswer: 48,
      },
    ],
  },
});
