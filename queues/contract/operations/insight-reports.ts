import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  patternText,
  uuid,
} from '../shape.ts';
import { CONVERSATION_ID } from './example-ids.ts';
import { longText } from './fields.ts';
import { cursor, exampleIds, gapList, gapsBody, idFields, MAX_IDS } from './gap-shape.ts';
import { SVC } from './paths.ts';
import { exampleBody, reportFields } from './report-shape.ts';

const period =
  'For the period `[startDate, endDate)`, at most 5 years; a date without a time means midnight in the time zone of the host. `hostId` defaults to ' +
  'the host of the token. Rehearsals do not count.';

const common = {
  queue: 'reports',
  weight: { kind: 'report', connections: 1 },
  tag: 'reports',
  scope: 'report',
  mayRespondAsync: true,
} as const;

export const getKnowledgeGaps = operation({
  ...common,
  effect: 'reads',
  summary: 'List what the knowledge of a host lacks',
  description:
    `${period} A question counts if the answer said that it was not found, the assistant handed over because of missing knowledge, a sentence ` +
    'was withheld, a staff member had to answer it, or its answer was judged wrong. Questions that are alike are one gap; the one that was asked most is the first.',
  path: `${SVC}/getKnowledgeGaps`,
  body: gapsBody,
  data: gapList,
  example: {
    body: { ...exampleBody, limit: 20 },
    data: [
      {
        gapId: '5f0d8a3c-7b16-4e29-8c4d-1a9e6b2f7d30',
        question: 'Posso trancar a matrícula no primeiro semestre?',
        times: 1,
        ...exampleIds,
        lastAskedAt: '2026-03-02T14:05:09.120Z',
        judgedWrong: 0,
        suggestion: {
          content: 'O trancamento é possível a partir do segundo semestre.',
          fromMessageId: '4711',
        },
      },
    ],
  },
});

/** A report reads the waits of at most this many services. */
export const MAX_WAITS = 500;
/** A report reads answers and questions among at most this many messages. */
export const MAX_ANSWER_MESSAGES = 50_000;
export const MAX_QUESTION_MESSAGES = 5_000;
const MAX_QUESTIONS = 50;

const decimal = patternText(/^\d+\.\d\d$/, 'a number with two decimals');

const outcome = (meaning: string) =>
  field(
    meaning,
    object({ count: field('Number of services with this outcome.', integer({ min: 0 })), ...idFields }),
  );

const answers = field(
  `Answers of the assistant that still have their text, among the newest ${MAX_ANSWER_MESSAGES} messages of the period, by whether each of their figures has a source.`,
  object({
    supported: field(
      'Number of answers in which each figure has one, or that have no figure.',
      integer({ min: 0 }),
    ),
    approved: field(
      'Number of all these answers that were approved ones, given without a model.',
      integer({ min: 0 }),
    ),
    unsupported: field(
      'Those with a figure that has none.',
      object({ count: field('Number of answers.', integer({ min: 0 })), ...idFields }),
    ),
  }),
);

const feedback = field(
  'Answers by what was said of them in the period: one that anybody judges wrong is wrong.',
  object({
    right: field('Number of answers that were judged right.', integer({ min: 0 })),
    between: field('Number of answers with a 3 of 5.', integer({ min: 0 })),
    wrong: field(
      'Those that were judged wrong.',
      object({ count: field('Number of answers.', integer({ min: 0 })), ...idFields }),
    ),
  }),
);

const question = object({
  question: field('The newest of these questions, with its identifiers masked.', longText),
  count: field(
    `Number of conversations with a question like this, among the newest ${MAX_QUESTION_MESSAGES} messages of the period: at least two.`,
    integer({ min: 2 }),
  ),
  conversations: field(
    `Their ids, the one that asked last first, at most ${MAX_IDS}.`,
    list(uuid(), { max: MAX_IDS }),
  ),
  lastAskedAt: field('When it was last asked in the period: an instant in UTC, ISO 8601.', dateTime()),
});

export const getOutcomes = operation({
  ...common,
  effect: 'reads',
  summary: 'Get how conversations ended',
  description:
    `${period} A service is a conversation from its first message, or from the one that reopened it; it counts on the day of that message, as in getConversationalStats, ` +
    'and has one outcome. What nobody closed has an outcome after a day without a message.',
  path: `${SVC}/getOutcomes`,
  body: object({
    ...reportFields,
    cursor: cursor('a figure; the others then have no ids'),
    questions: field(
      'Maximum number of `questions`. When absent, they are not read.',
      optional(integer({ min: 1, max: MAX_QUESTIONS })),
    ),
  }),
  data: object({
    total: field('Number of services: the sum of all outcomes.', integer({ min: 0 })),
    resolvedByAssistant: outcome('Answered by the assistant alone, and nobody was asked for help.'),
    resolvedWithPerson: outcome('A staff member wrote in it.'),
    abandoned: outcome('The end user had the last word, or help was asked for and no staff member wrote.'),
    reopened: outcome(
      'It ended, and the end user wrote again within 7 days of its last message: it resolved nothing.',
    ),
    open: outcome('Not closed, and written in during the last day.'),
    secondsUntilPerson: field(
      `Median of the seconds from the first request for help that was answered to the first message of a staff member after it, in the newest ${MAX_WAITS} services in which help was asked for and a staff member wrote; null where there are none.`,
      nullable(number({ min: 0, max: Number.MAX_VALUE })),
    ),
    waited: field(
      'The services of `secondsUntilPerson`.',
      object({ count: field('Number of services.', integer({ min: 0 })), ...idFields }),
    ),
    missedWindows: field(
      `Where the window of the channel ended in the period while the person waited: neither the assistant nor staff had written since their last message, among the newest ${MAX_ANSWER_MESSAGES} messages of people.`,
      object({
        count: field('Number of conversations.', integer({ min: 0 })),
        ...idFields,
      }),
    ),
    answers,
    feedback,
    questions: field(
      'What most conversations asked, if the request has `questions`.',
      optional(list(question, { max: MAX_QUESTIONS })),
    ),
    cost: field(
      'Cost of all services by the contract, as getFinancialStats has it: a decimal number with two places.',
      decimal,
    ),
    costPerResolved: field(
      '`cost` divided by the services that were resolved, by the assistant alone or with a person; null where none was.',
      nullable(decimal),
    ),
  }),
  example: {
    body: { ...exampleBody, questions: 10 },
    data: {
      total: 3,
      resolvedByAssistant: { count: 1, ...exampleIds },
      resolvedWithPerson: { count: 1, ...exampleIds },
      abandoned: { count: 1, ...exampleIds },
      reopened: { count: 0, conversations: [], nextCursor: null },
      open: { count: 0, conversations: [], nextCursor: null },
      secondsUntilPerson: 312.5,
      waited: { count: 1, ...exampleIds },
      missedWindows: { count: 1, ...exampleIds },
      feedback: { right: 5, between: 0, wrong: { count: 1, ...exampleIds } },
      answers: { supported: 27, approved: 4, unsupported: { count: 1, ...exampleIds } },
      questions: [
        {
          question: 'Posso trancar a matrícula no primeiro semestre?',
          count: 2,
          conversations: [CONVERSATION_ID],
          lastAskedAt: '2026-03-02T14:05:09.120Z',
        },
      ],
      cost: '5.40',
      costPerResolved: '2.70',
    },
  },
});
