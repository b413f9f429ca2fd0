import { findAvatarById } from '../../db/avatars.ts';
import { readEvaluationCases } from '../../db/evaluation-cases.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { type Failure, failure, isFailure } from '../../queues/contract/failure.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import { type Check, judgeAnswer } from '../domain/evaluation/judge-answer.ts';
import type { ChangeTrial, RehearsingJob, TriedChange } from '../runtime/change-trial.ts';
import { type OpenRehearsal, openRehearsal, type RehearsalParts, rehearse } from './rehearse-case.ts';

/*
 * A change of the configuration is tried before it is saved: the change is made in a transaction, what the turns of all cases
 * read is read in it, and it is rolled back. Only then the models are asked. Cases that fail are rehearsed again
 * without the change: one that fails in any case is no reason to refuse it. A case without an answer is no verdict: the
 * change is refused for that reason.
 */

interface Rehearsal extends OpenRehearsal {
  readonly asked: EvaluationCase;
  readonly avatarId: string;
}

const AT_ONCE = 16;
/** A save answers within the time of a job. One avatar may have as many. */
const MAX_TRIED = 200;

export function makeChangeTrial(parts: RehearsalParts): ChangeTrial {
  return async (job, tried) => {
    const changed = await openAll(parts, job, tried);
    if (isFailure(changed)) return changed;
    const failed = await findFailed(parts, changed);
    if (isFailure(failed)) return failed;
    if (failed.length === 0) return undefined;
    const standing = await openRolledBack(parts, job, scope => openEach(scope, parts, job, failed));
    const failedBefore = await findFailed(parts, standing);
    if (isFailure(failedBefore)) return failedBefore;
    const failsAnyway = new Set(failedBefore.map(({ asked }) => asked));
    const broken = failed.filter(({ asked }) => !failsAnyway.has(asked));
    if (broken.length === 0) return undefined;
    const cases = broken.map(({ asked, checks }) => ({ case: asked.name ?? asked.question, failed: checks }));
    return failure('cases-failing', { cases });
  };
}

function openAll(parts: RehearsalParts, job: RehearsingJob, { change, listAvatars }: TriedChange) {
  return openRolledBack(parts, job, async (scope): Promise<Rehearsal[] | Failure> => {
    const before = await listAvatars(scope);
    const outcome = await change(scope);
    if (isFailure(outcome)) return outcome;
    const avatarIds = [...new Set([...before, ...(await listAvatars(scope))])];
    const cases: { asked: EvaluationCase; avatarId: string }[] = [];
    for (const avatarId of avatarIds)
      for (const asked of await readEvaluationCases<EvaluationCase>(scope, avatarId))
        cases.push({ asked, avatarId });
    if (cases.length > MAX_TRIED) return tooManyCases(cases.length);
    return openEach(scope, parts, job, cases);
  });
}

function tooManyCases(count: number): Failure {
  const message = `would rehearse ${count} cases, more than ${MAX_TRIED}: save without it, and use npm run evaluate`;
  return failure('body-invalid', { fields: [{ path: 'evaluate', message }] });
}

async function openEach(
  scope: HostScope,
  { findKnowledge }: RehearsalParts,
  job: RehearsingJob,
  cases: readonly Pick<Rehearsal, 'asked' | 'avatarId'>[],
): Promise<Rehearsal[]> {
  const opened: Rehearsal[] = [];
  for (const { asked, avatarId } of cases) {
    const avatar = await findAvatarById(scope, avatarId);
    if (avatar)
      opened.push({ ...(await openRehearsal(scope, findKnowledge, job, avatar, asked)), asked, avatarId });
  }
  return opened;
}

/** Rolls the transaction back, whatever was read. */
class RolledBackError extends Error {}

async function openRolledBack<T>(
  { db }: RehearsalParts,
  { hostId }: RehearsingJob,
  work: (scope: HostScope) => Promise<T>,
): Promise<T> {
  const read: T[] = [];
  const rolledBack = withHost(db, hostId, async scope => {
    read.push(await work(scope));
    throw new RolledBackError();
  });
  await rolledBack.catch(error => {
    if (!(error instanceof RolledBackError)) throw error;
  });
  return read[0] as T;
}

type FailedRehearsal = Rehearsal & { readonly checks: readonly Check[] };

/** In the order of the cases; ends with the first one that gets no answer. */
async function findFailed(
  parts: RehearsalParts,
  rehearsals: readonly Rehearsal[],
): Promise<FailedRehearsal[] | Failure> {
  const checks: (readonly Check[])[] = [];
  const left = rehearsals.entries();
  const unanswered: Failure[] = [];
  const work = async () => {
    for (const [at, rehearsal] of left) {
      if (unanswered.length > 0) return;
      const observed = await rehearse(parts, rehearsal);
      if (isFailure(observed)) unanswered.push(observed);
      else checks[at] = judgeAnswer(rehearsal.asked.expect, observed);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [noAnswer] = unanswered;
  if (noAnswer) return noAnswer;
  const all = rehearsals.map((rehearsal, at) => ({ ...rehearsal, checks: checks[at] ?? [] }));
  return all.filter(each => each.checks.length > 0);
}
