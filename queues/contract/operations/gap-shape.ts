import { dateTime, field, integer, list, nullable, object, optional, text, uuid } from '../shape.ts';
import { CONVERSATION_ID } from './example-ids.ts';
import { longText } from './fields.ts';
import { reportFields } from './report-shape.ts';

/** One entry of a report has this many ids; its `nextCursor` leads to the others. */
export const MAX_IDS = 100;
const MAX_CURSOR_LENGTH = 400;

export const cursor = (what: string) =>
  field(
    `\`nextCursor\` of ${what}: the answer then has its next ids. When absent: the first ids of all.`,
    optional(text({ max: MAX_CURSOR_LENGTH })),
  );

/** Fields with the ids behind a figure. */
export const idFields = {
  conversations: field(
    `Ids of the conversations behind the figure, newest first, at most ${MAX_IDS}; on all pages together there are as many as it says. One that counts several times is named as often.`,
    list(uuid(), { max: MAX_IDS }),
  ),
  nextCursor: field(
    'The `cursor` of the next ids; its form may change, so do not parse it. Null where there are none.',
    nullable(text({ max: MAX_CURSOR_LENGTH })),
  ),
};
export const exampleIds = { conversations: [CONVERSATION_ID], nextCursor: null };

const MAX_GAPS = 100;

export const gapsBody = object({
  ...reportFields,
  limit: field('Maximum number of gaps. When absent: 50.', optional(integer({ min: 1, max: MAX_GAPS }))),
  cursor: cursor('a gap'),
});

export const gapList = list(
  object({
    gapId: field('Id of the gap, the same in every period.', uuid()),
    question: field(
      'The newest of its questions, as it was asked; empty if all are older than `RETENTION_DAYS`.',
      longText,
    ),
    times: field('How often it was asked in the period.', integer({ min: 1 })),
    ...idFields,
    lastAskedAt: field('When it was last asked in the period: an instant in UTC, ISO 8601.', dateTime()),
    judgedWrong: field('How many of its answers in the period somebody judged wrong.', integer({ min: 0 })),
    rightAnswer: field(
      'What a staff member who judged one wrong says is right. Absent where none did.',
      optional(longText),
    ),
    suggestion: field(
      'What a staff member wrote to one who asked it: it can be saved as a chunk. Absent where none answered.',
      optional(
        object({
          content: field('Text of the message.', longText),
          fromMessageId: field('Id of the message, as messagesListHelper has it.', text()),
        }),
      ),
    ),
  }),
  { max: MAX_GAPS },
);
