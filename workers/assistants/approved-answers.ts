import { randomUUID } from 'node:crypto';
import {
  type ApprovedAnswer,
  deleteApproved,
  findApprovedForUpdate,
  findMissing,
  listApprovedAnswers as listAll,
  upsertApproved,
} from '../../db/assistants/approved-answers.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import { missingErrorsOf } from '../../platform/field-error.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { readInstants } from '../bodies/read-instants.ts';
import { askedKeyOf, READER } from '../domain/approved/match-approved.ts';
import type { Handler } from '../runtime/job.ts';

export const listApprovedAnswers: Handler<'listApprovedAnswers'> = ({ read }) =>
  read(async scope => ({ code: 200, data: (await listAll(scope)).map(shownOf) }));

export const saveApprovedAnswer: Handler<'saveApprovedAnswer'> = ({ body, commit }) =>
  commit(async scope => {
    const earlier = body.id === undefined ? undefined : await findApprovedForUpdate(scope, body.id);
    if (body.id !== undefined && !earlier) return failure('approved-answer-not-found');
    if (body.deleted && earlier) {
      await deleteApproved(scope, earlier.id);
      return { code: 200, data: { ...shownOf(earlier), deleted: true } };
    }
    const { questions = earlier?.questions, answer = earlier?.answer } = body;
    const avatarIds = body.avatarIds?.map(id => id.toLowerCase()) ?? earlier?.avatarIds;
    if (avatarIds === undefined || questions === undefined || answer === undefined)
      return failure('body-invalid', { fields: missingErrorsOf({ avatarIds, questions, answer }) });
    const { dataset_id = earlier?.dataset_id ?? null, enabled = earlier?.enabled ?? true } = body;
    const missing = await findMissing(scope, body.avatarIds ? avatarIds : [], body.dataset_id ?? null);
    if (missing) return failure(missing);
    const times = await readInstants(scope, { expires: body.expires ?? undefined });
    if (isFailure(times)) return times;
    const kept = earlier?.expires ? new Date(earlier.expires) : null;
    const expires = times.expires ?? (body.expires === null ? null : kept);
    const id = earlier?.id ?? randomUUID();
    const keys = questions.flatMap(question => askedKeyOf(question) ?? []);
    const saved = await upsertApproved(
      scope,
      { id, avatarIds: [...new Set(avatarIds)], questions, answer, dataset_id, expires, enabled },
      { keys: [...new Set(keys)], reader: READER },
    );
    if (!(await isWithinLimits(scope, 'approved_answers'))) return failure('host-full');
    return { code: 200, data: shownOf(saved) };
  });

function shownOf(approved: ApprovedAnswer): DataOf<'saveApprovedAnswer'> {
  return {
    ...approved,
    unmatched: approved.questions.filter(question => askedKeyOf(question) === undefined),
  };
}
