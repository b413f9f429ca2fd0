import { operation } from '../operation.ts';
import { field, integer, list, nullable, number, object, text, uuid } from '../shape.ts';
import { PERSON_ID, TEAM_ID } from './example-ids.ts';
import { label, reason } from './host-shape.ts';
import { SVC } from './paths.ts';
import { exampleBody, reportFields } from './report-shape.ts';

/** A limit is needed, because names of callers are free text. */
export const MAX_MEMBERS = 1_000;
/** The report reads at most this many messages of staff members. */
export const MAX_STAFF_MESSAGES = 10_000;

const seconds = (meaning: string) =>
  field(`${meaning}; null where there is none.`, nullable(number({ min: 0, max: Number.MAX_VALUE })));

const ofReports = {
  queue: 'reports',
  weight: { kind: 'report', connections: 1 },
  tag: 'reports',
  scope: 'report',
  mayRespondAsync: true,
  effect: 'reads',
} as const;

export const getTeamStats = operation({
  ...ofReports,
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

const conversations = field('Number of conversations.', integer({ min: 0 }));
const counted = (meaning: string) => field(meaning, integer({ min: 0 }));

export const getAttendanceStats = operation({
  ...ofReports,
  summary: 'Get what each team attended, why conversations were closed, and their labels',
  description:
    'For the period `[startDate, endDate)`, at most 5 years, as the conversations are now: each counts once, for its newest request for help, ' +
    'its last closing and its last message. Rehearsals do not count. `hostId` defaults to the host of the token.',
  path: `${SVC}/getAttendanceStatsHelper`,
  body: object(reportFields),
  data: object({
    teams: field(
      'Conversations for which help was requested in the period, by the team that they were handed to last; the most first.',
      list(
        object({
          teamId: field('Id of the team; null for conversations of no team.', nullable(uuid())),
          name: field(
            'Name of the team, also of a deleted one; empty where `teamId` is null.',
            text({ min: 0 }),
          ),
          conversations,
          answered: counted('In how many a staff member has written since.'),
          waiting: counted('How many are open, and wait for a first word of a staff member.'),
          closed: counted('How many are closed.'),
          secondsUntilFirstAnswer: seconds(
            'Median of the seconds from the request to the first word of a staff member',
          ),
        }),
        { max: MAX_MEMBERS },
      ),
    ),
    closeReasons: field(
      'Conversations whose last closing was in the period and has a reason, by the reason; the most first.',
      list(
        object({
          reason: field('A reason from the list of the host, as it was when they were closed.', reason),
          conversations,
        }),
        { max: MAX_MEMBERS },
      ),
    ),
    labels: field(
      'Conversations whose last message was in the period, by label; one with several counts for each. The most first.',
      list(
        object({
          label: field('A label that conversations have, as the list of the host named it.', label),
          conversations,
        }),
        { max: MAX_MEMBERS },
      ),
    ),
  }),
  example: {
    body: exampleBody,
    data: {
      teams: [
        {
          teamId: TEAM_ID,
          name: 'Financeiro',
          conversations: 15,
          answered: 14,
          waiting: 1,
          closed: 12,
          secondsUntilFirstAnswer: 312.5,
        },
      ],
      closeReasons: [{ reason: 'Resolvido', conversations: 11 }],
      labels: [{ label: 'Boleto', conversations: 7 }],
    },
  },
});
