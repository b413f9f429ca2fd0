import { hasAvatar } from '../../db/assistants/avatars.ts';
import { readEvaluationCases, setEvaluationCases } from '../../db/assistants/evaluation-cases.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import type { Handler } from '../runtime/job.ts';

export const saveEvaluationCases: Handler<'saveEvaluationCases'> = ({ body: { avatarId, cases }, commit }) =>
  commit(async scope => {
    if (!(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    await setEvaluationCases(scope, avatarId, cases);
    return { code: 200, data: { avatarId, count: cases.length } };
  });

export const listEvaluationCases: Handler<'listEvaluationCases'> = ({ body: { avatarId }, read }) =>
  read(async scope => {
    if (!(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    const cases = await readEvaluationCases<EvaluationCase>(scope, avatarId);
    return { code: 200, data: { avatarId, cases: [...cases] } };
  });
