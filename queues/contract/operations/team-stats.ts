import { operation } from '../operation.ts';
import { field, integer, list, nullable, number, object, text, uuid } from '../shape.ts';
import { PERSON_ID } from './example-ids.ts';
import { SVC } from './paths.ts';
import { exampleBody, reportFields } from './report-shape.ts';

/** A limit is needed, because names of callers are free text. */
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
    'For the period `[startDate, endDate)`, at most 5 years, from messages of staff members in it, by person of the host, or by the name of the message where none is stored: ' +
    `from the newest ${MAX_STAFF_MESSAGES} where there are more. Who attended most conversations is the first. Rehearsals do not count. ` +
    '`hostId` defaults to the host of the token.',
  path: `${SVC}/getTeamStatsHelper`,
  body: object(reportFields),
  data: list(
    object({
      personId: field(
        'Id of the person of the host; null for messages that callers wrote, or an earlier release stored under a name that several have.',
        nullable(uuid()),
      ),
      name: field(
        'Present name of the person, or the name under which the messages were written; empty where none was given.',
        text({ min: 0 }),
      ),
      email: field('E-mail address of the person; empty where `personId` is null.', text({ min: 0 })),
      conversations: field('Number of conversations in which they wrote.', integer({ min: 0 })),
      messages: field('Number of their messages.', integer({ min: 0 })),
      secondsUntilFirstAnswer: seconds(
        'Median of the seconds from a request for help to the first message of a staff member after it, where that was theirs and in the period',
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
        personId: PERSON_ID,
        name: 'Bia Souza',
        email: 'bia@horizonte.example',
        conversations: 12,
        messages: 40,
        secondsUntilFirstAnswer: 312.5,
        secondsUntilAnswer: 48,
      },
    ],
  },
});
