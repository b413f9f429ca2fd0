import { operation } from '../operation.ts';
import { field, integer, list, object } from '../shape.ts';
import { evaluationCase, exampleCase, MAX_CASES } from './evaluation-shape.ts';
import { AVATAR_ID, HOST_ID } from './example-ids.ts';
import { avatarId, hostFields } from './fields.ts';
import { SVC } from './paths.ts';

const common = {
  queue: 'catalog',
  tag: 'evaluation',
  method: 'POST',
  status: 200,
  refusals: ['avatar-not-found'],
  scope: 'manage',
  hosts: 'one',
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
