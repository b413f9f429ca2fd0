import { operation } from '../operation.ts';
import { field, flag, integer, list, object, text, uuid } from '../shape.ts';
import { evaluationCase, exampleCase, MAX_CASES } from './evaluation-shape.ts';
import { AVATAR_ID, CHUNK_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import { avatarId, datasetId, hostFields } from './fields.ts';
import { SVC } from './paths.ts';

const common = {
  tag: 'evaluation',
  refusals: ['avatar-not-found'],
  scope: 'manage',
} as const;

const cases = field('The cases, in their order.', list(evaluationCase, { max: MAX_CASES }));

export const saveEvaluationCases = operation({
  ...common,
  effect: 'changes',
  summary: 'Store the evaluation cases of an avatar',
  description:
    'Replaces all of them; an empty list deletes them. They are rehearsed when a flow, avatar or chunk is saved with `evaluate: true`.',
  path: `${SVC}/saveEvaluationCasesHelper`,
  body: object({ ...hostFields, avatarId, cases }),
  data: object({ avatarId, count: field('Number of cases that are stored now.', integer({ min: 0 })) }),
  example: {
    body: { hostId: HOST_ID, avatarId: AVATAR_ID, cases: [exampleCase] },
    data: { avatarId: AVATAR_ID, count: 1 },
  },
});

export const listEvaluationCases = operation({
  ...common,
  effect: 'reads',
  summary: 'List the evaluation cases of an avatar',
  path: `${SVC}/evaluationCasesListHelper`,
  body: object({ ...hostFields, avatarId }),
  data: object({ avatarId, cases }),
  example: {
    body: { hostId: HOST_ID, avatarId: AVATAR_ID },
    data: { avatarId: AVATAR_ID, cases: [exampleCase] },
  },
});

/** A report of more questions would not be read. */
export const MAX_PROPOSED = 30;
/** Passages of one question that are named. */
export const MAX_PROPOSED_FROM = 100;
const count = (meaning: string) => field(meaning, integer({ min: 0 }));

export const proposeCases = operation({
  ...common,
  refusals: ['avatar-not-found', 'dataset-not-found'],
  effect: 'reads',
  summary: 'Propose evaluation cases from the passages of a dataset',
  description:
    'Without a model: questions that stand in the passages, then their headings as questions, in Portuguese. With the cases that are stored there are at most 30. ' +
    'Nothing is stored: saveEvaluationCasesHelper does that.',
  weight: { kind: 'search', connections: 1 },
  path: `${SVC}/proposeCasesHelper`,
  body: object({ ...hostFields, avatarId, datasetId }),
  data: object({
    avatarId,
    passages: count('Number of passages that the avatar reads in the dataset, of at most 10,000 or 8 MiB.'),
    pages: count('Number of pages and documents that they are of.'),
    proposed: field(
      'The questions, the clearest first.',
      list(
        object({
          question: field('The question; of a stored case as it is stored.', text()),
          chunkIds: field(
            'Ids of the chunks that it was read from.',
            list(uuid(), { max: MAX_PROPOSED_FROM }),
          ),
          stored: field('Whether a stored case asks it.', flag()),
        }),
        { max: MAX_PROPOSED },
      ),
    ),
  }),
  example: {
    body: { hostId: HOST_ID, avatarId: AVATAR_ID, datasetId: DATASET_ID },
    data: {
      avatarId: AVATAR_ID,
      passages: 214,
      pages: 38,
      proposed: [{ question: 'Qual é a taxa de inscrição?', chunkIds: [CHUNK_ID], stored: false }],
    },
  },
});
