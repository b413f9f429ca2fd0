import { operation } from '../operation.ts';
import { dateTime, field, integer, nullable, object, optional, text, uuid } from '../shape.ts';
import { CONVERSATION_ID, HOST_ID, JOB_ID } from './example-ids.ts';
import { conversationId, hostFields, sentConversationId } from './fields.ts';
import { SVC } from './paths.ts';

const MAX_TEXT = 10_000;

const personId = field(
  'Id of the staff member who judged; null: the person of the conversation did.',
  nullable(uuid()),
);
const score = field('-1 for wrong and 1 for right; with `scale` from 1 to 5.', integer({ min: -1, max: 5 }));
const scale = field(
  '5 for a score from 1 to 5: up to 2 is wrong, from 4 on right.',
  integer({ min: 5, max: 5 }),
);
const said = field('What they say about it; of staff the right answer.', text({ min: 0, max: MAX_TEXT }));

/** A judgement beside an answer in the list of messages. */
export const listedFeedback = object({
  personId,
  score,
  scale: field('5, or null for -1 and 1.', nullable(integer())),
  text: said,
});

export const saveFeedback = operation({
  effect: 'changes',
  summary: 'Say whether an answer was right',
  description:
    'By the person of the conversation; by staff where one who is signed in calls. The newest of each of them counts. It is stored with the passages, the ' +
    'avatar and the version of the flow of the answer, stands in getOutcomes and getKnowledgeGaps, and is told as `feedback.given`.',
  tag: 'conversations',
  path: `${SVC}/saveFeedbackHelper`,
  body: object({
    ...hostFields,
    conversationId: sentConversationId,
    turnId: field('Id of the turn of the answer. When absent: the newest answer.', optional(text())),
    score,
    scale: field('5 where the score is from 1 to 5. When absent: it is -1 or 1.', optional(scale)),
    text: field('What they say about it; of staff the right answer. When absent: nothing.', optional(said)),
  }),
  data: object({
    conversationId,
    turnId: field('Id of the turn of the answer.', text()),
    personId,
    score,
    scale: field('5, or null for -1 and 1.', nullable(integer())),
    text: said,
    createdAt: field('When it was given: an instant in UTC, ISO 8601.', dateTime()),
  }),
  example: {
    body: { hostId: HOST_ID, conversationId: CONVERSATION_ID, score: -1, text: 'O prazo é até sexta.' },
    data: {
      conversationId: CONVERSATION_ID,
      turnId: JOB_ID,
      personId: null,
      score: -1,
      scale: null,
      text: 'O prazo é até sexta.',
      createdAt: '2026-03-02T14:05:09.120Z',
    },
  },
  refusals: ['conversation-not-found', 'answer-not-found'],
  scope: 'reason',
});
