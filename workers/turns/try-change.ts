import { setMaxListeners } from 'node:events';
import { findAvatarById } from '../../db/assistants/avatars.ts';
import {
  type ConfigurationMark,
  isConfigurationSame,
  markConfiguration,
  readEvaluationCases,
} from '../../db/assistants/evaluation-cases.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { Gate } from '../../platform/gate.ts';
import { type Failure, failure, fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import { type Check, judgeAnswer } from '../../text/judge-answer.ts';
import { HostGate, refuseBusyHost } from '../runtime/host-gate.ts';
import type { ChangeTrial, JobOf, TriedChange } from '../runtime/job.ts';
import { TRIAL_READ_LIMITS } from '../runtime/pools.ts';
import { openRehearsal, type RehearsalParts, rehearse } from './rehearse-case.ts';
import type { ReadTurn } from './turn.ts';

/*
 * A change of the configuration is tried before it is saved. For each case, a transaction makes the change, reads what the turn
 * of the case reads, and is rolled back; only then the models are asked. So no transaction is longer than the reading of one
 * turn. Cases that fail are rehearsed again without the change: one that fails in any case is no reason to refuse it. A case
 * without an answer has no verdict, so the change is refused. If another change of the host commits meanwhile, only some of
 * these transactions see it, so the verdict counts for nothing: the save is refused, and whoever saves sees the present state.
 * One save of a host is tried at a time, so that two do not overtake each other; it lends its slot.
 */

const TRIAL_LIMITS = { maxTotal: 8, maxPerKey: 1 };
/** Rehearsals that one save runs concurrently. */
const AT_ONCE = 16;
/** A save answers within the time of a job. One avatar may have this many cases. */
const MAX_TRIED = 200;

interface CaseOfAvatar {
  readonly asked: EvaluationCase;
  readonly avatarId: string;
}

type FailedCase = CaseOfAvatar & { readonly checks: readonly Check[] };

/** Undefined where the avatar is gone. */
type OpenCase = (each: CaseOfAvatar) => Promise<ReadTurn | Failure | undefined>;

/** Reads in a transaction that is rolled back. */
type Reader = <T>(read: (scope: HostScope) => Promise<T>) => Promise<T>;

export function makeChangeTrial(parts: RehearsalParts): ChangeTrial {
  const trials = new HostGate(TRIAL_LIMITS);
  const reads = new Gate(TRIAL_READ_LIMITS);
  return (job, tried) => {
    const { hostId, signal, lendSlot } = job;
    const entry = { key: hostId, signal };
    const read: Reader = work => reads.run(entry, () => readRolledBack(parts, hostId, work));
    const saveTried = async () => {
      // Each rehearsal adds listeners while it waits to read and for its model.
      setMaxListeners(0, signal);
      const reclaimSlot = lendSlot();
      const mark = await tryCases(parts, job, tried, read).finally(reclaimSlot);
      if (isFailure(mark)) return mark;
      return job.commit(async scope =>
        (await isConfigurationSame(scope, mark)) ? tried.change(scope) : failure('change-overtaken'),
      );
    };
    return trials.run({ ...entry, lendSlot }, saveTried).catch(refuseBusyHost);
  };
}

/** Returns the inputs that the cases were rehearsed with. */
async function tryCases(
  parts: RehearsalParts,
  job: JobOf<OperationName>,
  { change, listAvatars }: TriedChange<unknown>,
  read: Reader,
): Promise<ConfigurationMark | Failure> {
  const begun = await read(async scope => {
    const mark = await markConfiguration(scope, await listAvatars(scope));
    const cases = await readCases(scope, mark.avatarIds);
    const outcome = await change(scope);
    return isFailure(outcome) ? outcome : { mark, cases };
  });
  if (isFailure(begun)) return begun;
  const { mark, cases } = begun;
  if (cases.length > MAX_TRIED) return refuseCases(cases.length);
  const open = (scope: HostScope, each: CaseOfAvatar) => openCase(scope, parts, job, each);
  const failed = await findFailed(parts, cases, each =>
    read(async scope => {
      const outcome = await change(scope);
      return isFailure(outcome) ? outcome : open(scope, each);
    }),
  );
  if (isFailure(failed)) return failed;
  const failedBefore = await findFailed(parts, failed, each => read(scope => open(scope, each)));
  if (isFailure(failedBefore)) return failedBefore;
  const failsAnyway = new Set(failedBefore.map(({ asked }) => asked));
  const broken = failed.filter(({ asked }) => !failsAnyway.has(asked));
  if (broken.length === 0) return mark;
  const named = broken.map(({ asked, checks }) => ({ case: asked.name ?? asked.question, failed: checks }));
  return failure('cases-failing', { cases: named });
}

async function readCases(scope: HostScope, avatarIds: readonly string[]): Promise<CaseOfAvatar[]> {
  const cases: CaseOfAvatar[] = [];
  for (const avatarId of avatarIds)
    for (const asked of await readEvaluationCases<EvaluationCase>(scope, avatarId))
      cases.push({ asked, avatarId });
  return cases;
}

function refuseCases(count: number): Failure {
  const message = `would rehearse ${count} cases, more than ${MAX_TRIED}: save without it, and use npm run evaluate`;
  return fieldFailure('evaluate', 'too-large', { limit: MAX_TRIED, message });
}

async function openCase(
  scope: HostScope,
  { findKnowledge }: RehearsalParts,
  job: JobOf<OperationName>,
  { asked, avatarId }: CaseOfAvatar,
): Promise<ReadTurn | undefined> {
  const avatar = await findAvatarById(scope, avatarId);
  return avatar && openRehearsal(scope, findKnowledge, job, avatar, asked);
}

/** Thrown to roll the transaction back, whatever was read. */
class EndOfTrialRead extends Error {}

async function readRolledBack<T>(
  { db }: RehearsalParts,
  hostId: string,
  work: (scope: HostScope) => Promise<T>,
): Promise<T> {
  const read: T[] = [];
  const rolledBack = withHost(db, hostId, async scope => {
    read.push(await work(scope));
    throw new EndOfTrialRead();
  });
  await rolledBack.catch(error => {
    if (!(error instanceof EndOfTrialRead)) throw error;
  });
  return read[0] as T;
}

/** Rehearses in the order of the cases. Ends with the first one that cannot be opened or gets no answer. */
async function findFailed(
  parts: RehearsalParts,
  cases: readonly CaseOfAvatar[],
  open: OpenCase,
): Promise<FailedCase[] | Failure> {
  const checks: (readonly Check[])[] = [];
  const left = cases.entries();
  const ends: Failure[] = [];
  let isOver = false;
  const judge = async (at: number, each: CaseOfAvatar) => {
    const opened = await open(each);
    if (!opened || isOver) return;
    const observed = isFailure(opened) ? opened : await rehearse(parts, opened);
    if (!isFailure(observed)) checks[at] = judgeAnswer(each.asked.expect, observed);
    else ends.push(observed);
    isOver ||= isFailure(observed);
  };
  const work = async () => {
    for (const [at, each] of left) {
      if (isOver) return;
      await judge(at, each).catch(error => {
        isOver = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [end] = ends;
  if (end) return end;
  return cases
    .map((each, at) => ({ ...each, checks: checks[at] ?? [] }))
    .filter(each => each.checks.length > 0);
}
