import {
  eitherOneOrList,
  field,
  flag,
  instant,
  integer,
  list,
  object,
  oneOf,
  optional,
  type TypeOf,
  text,
} from '../shape.ts';
import { CHUNK_ID } from './example-ids.ts';

export const MAX_CASES = 200;
const MAX_TEXT = 2_000;
const MAX_TEXTS = 20;
const MAX_DIALOGUE = 20;

const texts = eitherOneOrList(text({ max: MAX_TEXT }), { max: MAX_TEXTS });

/** Requirements for an answer; an absent field is not checked. */
export const expectation = object({
  contains: field('Texts that the answer must have; case and accents do not matter.', optional(texts)),
  notContains: field('Texts that the answer must not have.', optional(texts)),
  sources: field(
    'Ids of chunks that must carry sentences of the answer.',
    optional(list(text(), { max: MAX_TEXTS })),
  ),
  unsupported: field(
    'Number of figures that stand nowhere, at most: usually 0.',
    optional(integer({ min: 0 })),
  ),
  askHumanHelp: field('Whether the turn asks for a staff member.', optional(flag())),
  agent: field('Name of an agent that must run.', optional(text())),
  item: field(
    'Type of a WhatsApp message that the answer must have.',
    optional(oneOf('text', 'image', 'audio', 'site', 'boleto', 'pix')),
  ),
});

/** A question with the requirements for its answer. */
export const evaluationCase = object({
  name: field('Name of the case. When absent: its question.', optional(text())),
  question: field('The question of the end user.', text({ max: MAX_TEXT })),
  dialogue: field(
    'The dialogue before the question. When absent: none.',
    optional(
      list(
        object({
          role: field(
            'Author: the end user, the assistant or a staff member.',
            oneOf('user', 'assistant', 'human'),
          ),
          content: field('Text of the message.', text({ max: MAX_TEXT })),
        }),
        { max: MAX_DIALOGUE },
      ),
    ),
  ),
  now: field(
    'The time that it is for the assistant; ISO 8601 with an offset. When absent: the present.',
    optional(instant()),
  ),
  expect: field('What the answer must have.', expectation),
});

export type EvaluationCase = TypeOf<typeof evaluationCase>;

export const exampleCase = {
  name: 'taxa do vestibular',
  question: 'Quanto custa a inscrição no vestibular?',
  dialogue: [{ role: 'user' as const, content: 'Quero fazer o vestibular.' }],
  expect: { contains: 'R$ 85,00', sources: [CHUNK_ID], unsupported: 0 },
};

export const evaluate = field(
  'True: the stored cases of the avatars that the change affects are rehearsed with it first; it is refused with 409, and nothing changes, if one fails that passes without it or if the configuration is changed meanwhile, and with 503 or 429 if one gets no answer. When absent or false: it is saved at once.',
  optional(flag()),
);
export const evaluateRefusals = [
  'cases-failing',
  'change-overtaken',
  'budget-exceeded',
  'model-unavailable',
  'model-without-price',
] as const;
