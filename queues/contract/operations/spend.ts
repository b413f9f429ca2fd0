import { operation } from '../operation.ts';
import {
  field,
  integer,
  list,
  nullable,
  object,
  oneOf,
  patternText,
  responseList,
  text,
  uuidOrEmpty,
} from '../shape.ts';
import { AVATAR_ID } from './example-ids.ts';
import { decimal } from './fields.ts';
import { SVC } from './paths.ts';
import { exampleBody, MAX_REPORT_DAYS, reportFields } from './report-shape.ts';

const sums = {
  calls: field('Number of calls of models that were answered, or may be billed.', integer({ min: 0 })),
  tokens: field('Tokens of these calls, prompt and answer.', integer({ min: 0 })),
  input_tokens: field(
    'Tokens of the prompts; with the answers: `tokens`. Days before this division have none.',
    integer({ min: 0 }),
  ),
  cached_tokens: field('The part of `input_tokens` that providers had in their caches.', integer({ min: 0 })),
  output_tokens: field('Tokens of the answers.', integer({ min: 0 })),
  cost: field('What they cost by the prices of the installation: a decimal.', decimal),
  estimatedCost: field(
    'The part of `cost` that no provider reported, because a call was aborted or broke off, or its report cannot be true: the tokens were counted.',
    decimal,
  ),
};
const exampleSums = {
  calls: 12,
  tokens: 8_200,
  input_tokens: 8_000,
  cached_tokens: 6_000,
  output_tokens: 200,
  cost: '0.00902',
  estimatedCost: '0',
};

export const getSpend = operation({
  effect: 'reads',
  summary: 'Get what the calls of models cost',
  description:
    'For each local day that the period `[startDate, endDate)` touches, at most 5 years; a date without a time means midnight in the time zone of the host. ' +
    '`hostId` defaults to the host of the token. Days without calls have zeros. A call counts on the day on which it began; ' +
    'one that runs is not counted yet. Models without a price and the offline model cost 0.',
  queue: 'reports',
  tag: 'reports',
  path: `${SVC}/getSpendHelper`,
  body: object(reportFields),
  data: object({
    ...sums,
    currency: field(
      'Currency of the prices, a code of ISO 4217; null where the operator has named none.',
      nullable(patternText(/^[A-Z]{3}$/, 'a currency code such as `BRL`')),
    ),
    days: field(
      'By local day, oldest first.',
      list(
        object({
          day: field(
            'Local day of the host.',
            patternText(/^\d{4}-\d\d-\d\d$/, 'a day such as `2026-03-02`'),
          ),
          ...sums,
        }),
        {
          max: MAX_REPORT_DAYS,
        },
      ),
    ),
    models: field(
      'By model, the most expensive first.',
      responseList(object({ model: field('Name of the model.', text()), ...sums })),
    ),
    avatars: field(
      'By avatar, the most expensive first.',
      responseList(
        object({
          avatarId: field('Id of the avatar; empty for calls that are not for a turn.', uuidOrEmpty()),
          ...sums,
        }),
      ),
    ),
    purposes: field(
      'By purpose, the most expensive first.',
      responseList(
        object({
          purpose: field(
            'What the model was called for: the answer of a turn, the insight of a conversation, the form of an agent, an embedding, the transcription of a recording, a question in other words, the words of people for a passage, or a scanned page.',
            oneOf('turn', 'insight', 'agent', 'embedding', 'transcription', 'rewrite', 'enrich', 'scan'),
          ),
          ...sums,
        }),
      ),
    ),
  }),
  example: {
    body: exampleBody,
    data: {
      ...exampleSums,
      currency: 'BRL',
      days: [{ day: '2026-03-02', ...exampleSums }],
      models: [{ model: 'gpt-x', ...exampleSums }],
      avatars: [{ avatarId: AVATAR_ID, ...exampleSums }],
      purposes: [{ purpose: 'turn', ...exampleSums }],
    },
  },
  scope: 'report',
  mayRespondAsync: true,
});
