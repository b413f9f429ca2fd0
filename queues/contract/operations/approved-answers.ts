import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  idAlsoNamed,
  list,
  nullable,
  object,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { contradictedBy } from './contradictions.ts';
import { APPROVED_ID, AVATAR_ID, CHUNK_ID, CONTRADICTION_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import { createdAt, hostFields, hostOfObject, updatedAt } from './fields.ts';
import { SVC } from './paths.ts';

const ofAnswers = { tag: 'approved answers', scope: 'manage' } as const;

/** A longer question asks more than one thing. */
const MAX_QUESTION = 300;
const MAX_QUESTIONS = 20;
const MAX_ANSWER = 10_000;
const MAX_AVATARS = 100;

const avatarIds = field('Ids of the avatars that give it.', list(uuid(), { min: 1, max: MAX_AVATARS }));
const question = text({ max: MAX_QUESTION });
const questions = field(
  'Questions that it answers. Who asks one of them in other words is told it, too.',
  list(question, { min: 1, max: MAX_QUESTIONS }),
);
const answer = field('What is answered, as it is.', text({ max: MAX_ANSWER }));
const dataset = field('Id of the dataset that it belongs to; null: of none.', nullable(uuid()));
const expires = field(
  'Time from which it is not given any more: an instant in UTC, ISO 8601; null: it has no end.',
  nullable(dateTime()),
);
const enabled = field('Whether it is given.', flag());

const approvedAnswer = object({
  id: field('Id of the approved answer.', uuid()),
  hostId: hostOfObject,
  avatarIds,
  questions,
  answer,
  dataset_id: dataset,
  expires,
  expired: field('Whether it is not given any more because its time is over.', flag()),
  contradicted: contradictedBy,
  enabled,
  unmatched: field(
    'Those of `questions` that cannot be read by themselves, as "E no EAD?": no question is taken for them.',
    list(question, { max: MAX_QUESTIONS }),
  ),
  createdAt,
  updatedAt,
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const example = {
  id: APPROVED_ID,
  hostId: HOST_ID,
  avatarIds: [AVATAR_ID],
  questions: ['Posso trancar a matrícula?'],
  answer: 'Sim, a partir do segundo semestre, pelo portal do aluno.',
  dataset_id: DATASET_ID,
  expires: '2100-01-01T00:00:00.000Z',
  expired: false,
  contradicted: [],
  enabled: true,
  unmatched: [],
  createdAt: '2026-03-02T14:05:09.120Z',
  updatedAt: '2026-03-02T14:05:09.120Z',
};

export const listApprovedAnswers = operation({
  ...ofAnswers,
  effect: 'reads',
  summary: 'List the approved answers of a host',
  description: 'The newest first, also those that are switched off, expired or contradicted.',
  path: `${SVC}/approvedAnswersListHelper`,
  body: object(hostFields),
  data: responseList(approvedAnswer),
  example: {
    body: { hostId: HOST_ID },
    data: [
      {
        ...example,
        contradicted: [
          {
            contradictionId: CONTRADICTION_ID,
            kind: 'number',
            chunkId: CHUNK_ID,
            datasetId: DATASET_ID,
            documentName: 'Regimento 2026.pdf',
            sentence: 'A matrícula pode ser trancada a partir do terceiro semestre.',
          },
        ],
      },
    ],
  },
});

export const saveApprovedAnswer = operation({
  ...ofAnswers,
  effect: 'changes',
  summary: 'Create, change or delete an approved answer',
  description:
    'With `id` it is changed: omitted fields stay unchanged. A question is taken for one of its questions if both ask the same in other forms of ' +
    'their words or in words of one meaning, with the same figures and names: then its text is the answer, and no model is called. In doubt, or where a flow waits ' +
    'for an answer, something is attached or a person attends, it is not. At most 1,000 a host.',
  path: `${SVC}/saveApprovedAnswerHelper`,
  body: object({
    id: field(
      'Id of the approved answer to change. When absent: a new one is created.',
      optional(idAlsoNamed('approvedAnswerId')),
    ),
    ...hostFields,
    avatarIds: field('Ids of the avatars that give it; required for a new one.', optional(avatarIds)),
    questions: field('Questions that it answers; required for a new one.', optional(questions)),
    answer: field('What is answered, as it is; required for a new one.', optional(answer)),
    dataset_id: field(
      'Id of the dataset that it belongs to. When absent: of none for a new one.',
      optional(dataset),
    ),
    expires: field('Time from which it is not given. When absent: a new one has no end.', optional(expires)),
    enabled: field('Whether it is given. When absent: true for a new one.', optional(enabled)),
    deleted: field('True deletes it. When absent: false.', optional(flag())),
  }),
  data: approvedAnswer,
  example: {
    body: {
      id: APPROVED_ID,
      hostId: HOST_ID,
      avatarIds: example.avatarIds,
      questions: example.questions,
      answer: example.answer,
      dataset_id: DATASET_ID,
      expires: example.expires,
      enabled: true,
      deleted: false,
    },
    data: example,
  },
  refusals: ['approved-answer-not-found', 'avatar-not-found', 'dataset-not-found', 'host-full'],
});
