import { setTimeout as delay } from 'node:timers/promises';
import { type Db, isDatabaseUnavailable, isTooLate } from '../../db/connection.ts';
import { isTurnRevoked, markActed } from '../../db/conversations/bursts.ts';
import { renewLeases } from '../../db/conversations/turn-leases.ts';
import { abandonTurn } from '../../db/conversations/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import {
  type Failure,
  failure,
  HOST_DISABLED,
  isFailure,
  type Outcome,
} from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isProviderFailure, type ModelCall, noAnswerFailureOf } from '../model/model-call.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import type { Handler } from '../runtime/job.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { makeThrottledWarning, type ThrottledWarning } from '../runtime/throttled-warning.ts';
import { type GenerationParts, generateAnswer, makeSilentAnswer } from './ask.ts';
import { reviewAnswer } from './check.ts';
import { LEASE_MS, REPLY_MARGIN_MS, type TurnClaims } from './claim.ts';
import { addSemanticMatches, turnInputOf } from './read.ts';
import { type Turn, turnOf } from './reply.ts';
import { storeTurn } from './store.ts';
import { type OpenTurn, type TurnInput, type TurnJob, toFirstTurn, toLaterTurn } from './turn.ts';
import { findChangesFailure } from './unsaved-changes.ts';

type Reply = Outcome<DataOf<'reason'>>;
type Parts = ReasonParts & {
  readonly recent: RecentTurns;
  readonly warnRarely: ThrottledWarning;
};

export interface ReasonParts extends GenerationParts {
  /** Called for each answer that was committed; not for rehearsals. */
  readonly onAnswer?: ((answer: { readonly isSupported: boolean }) => void) | undefined;
  readonly db: Db;
  readonly claims: TurnClaims;
  /** Knows the models that changes of a rehearsal may name. */
  readonly directory: ModelDirectory;
}

/**
 * One turn: claim the conversation and read the context, ask the model outside any transaction, and commit the answer
 * with its receipt and reply. A crash on any line leaves at most a stored question: the queue runs the job again, and
 * the attempt number keeps a stale run from writing.
 */
export function makeReason(wiring: ReasonParts): Handler<'reason'> {
  const parts = { ...wiring, recent: makeRecentTurns(), warnRarely: makeThrottledWarning(wiring.log) };
  return async whole => {
    const job = toFirstTurn(whole);
    const input = turnInputOf(job.body);
    if (isFailure(input)) return input;
    const refused = await findChangesFailure(parts.directory, job);
    if (refused) return refused;
    const first = await runTurn(parts, job, input);
    if (first !== 'has-reply') return first;
    // An earlier run, or a newer turn that supersedes this one, may have committed its reply before the claim of this run.
    const reply = (await job.findReply()) ?? (await runTurn(parts, toLaterTurn(job), input));
    const last = reply === 'has-reply' ? await job.findReply() : reply;
    return (last ?? failure('interrupted', { turnId: job.turnId })) as Reply;
  };
}

/** A turn that a burst revokes was superseded, and has its reply, or runs again with more questions. */
async function runTurn(parts: Parts, job: TurnJob, input: TurnInput): Promise<Reply | 'has-reply'> {
  for (;;) {
    const result = await claimAndAnswer(parts, job, input);
    if (result !== 'revoked') return result;
    const reply = await job.findReply();
    if (reply) return reply as Reply;
  }
}

type Ending = Reply | 'has-reply' | 'revoked';

function claimAndAnswer(parts: Parts, job: TurnJob, input: TurnInput): Promise<Ending> {
  return parts.claims.withClaim(job, input, async (claim, revoked): Promise<Ending> => {
    switch (claim.kind) {
      case 'claimed':
        return answerOrAbandon(parts, job, input, claim, revoked);
      case 'no-avatar':
        return failure('avatar-not-found');
      case 'too-much-data':
        return claim.failure;
      case 'no-conversation':
        return failure('conversation-not-found');
      case 'expired':
        return failure('deadline', { turnId: job.turnId });
      case 'crowded':
        return failure('overloaded', { turnId: job.turnId });
      case 'busy':
        return failure('interrupted', { turnId: job.turnId });
      case 'has-reply':
        return 'has-reply';
    }
  });
}

/** A turn that ends without an answer is abandoned, so that no later turn waits for it. */
async function answerOrAbandon(
  parts: Parts,
  job: TurnJob,
  input: TurnInput,
  open: OpenTurn,
  revoked: AbortSignal,
): Promise<Reply | 'revoked'> {
  const { hostId, turnId } = job;
  const { attempt } = open;
  // The signal may come later than a commit that fails because of the burst.
  const isRevoked = () => withHost(parts.db, hostId, scope => isTurnRevoked(scope, { turnId, attempt }));
  const abandon = () => withHost(parts.db, hostId, scope => abandonTurn(scope, { turnId, attempt }));
  try {
    const signal = AbortSignal.any([job.signal, revoked]);
    const reply = await answerTurn(parts, { ...job, signal }, input, open);
    if (isFailure(reply) && !(await abandon()) && (await isRevoked())) return 'revoked';
    return reply;
  } catch (error) {
    if (revoked.aborted && !job.signal.aborted) return 'revoked';
    const isAbandoned = await abandon().catch(() => true);
    if (!isAbandoned && (await isRevoked())) return 'revoked';
    if (error instanceof PreemptedError) return failure('interrupted', { turnId });
    throw error;
  }
}

async function answerTurn(parts: Parts, job: TurnJob, input: TurnInput, opened: OpenTurn): Promise<Reply> {
  const stopwatch = startStopwatch();
  logUnknownSteps(parts, job, opened);
  if (opened.context.isHostDisabled)
    return failure('interrupted', { turnId: job.turnId, hint: HOST_DISABLED });
  const { open, calls } = await addSemanticMatches(opened);
  const { attended } = open.conversation;
  // The api may be about to cancel this job after an outage of the queue store.
  await job.waitForCancellations();
  job.signal.throwIfAborted();
  // A model call costs money, even if its answer comes too late: refuse before it.
  if (!attended && parts.recent.isTooShort(job.remainingMs()))
    return failure('overloaded', { turnId: job.turnId });
  const modelWatch = startStopwatch();
  const beforeActing = makeActMark(parts, job, open);
  const generated = attended
    ? makeSilentAnswer()
    : await generateAnswer({ ...parts, beforeActing }, job, input, open);
  const { answer, ...rest } = generated;
  if (!answer) return findNoAnswerFailure(parts, job, open, rest.calls);
  if (!attended) parts.recent.note(modelWatch.elapsedMs());
  const withCalls = { ...rest, answer, calls: [...calls, ...rest.calls] };
  const { checked, parsed } = await untilDeadline(parts.db, job, open.attempt, () =>
    reviewAnswer(parts.db, job, input, open, answer.text, rest),
  );
  const reply = await commitTurn(
    parts.db,
    job,
    turnOf(job, input, open, withCalls, checked, parsed, stopwatch),
  );
  if (checked.text !== '' && !isFailure(reply) && !job.body.reasoningConfig?.rehearsal)
    parts.onAnswer?.({ isSupported: checked.check.unsupported.length === 0 });
  return reply;
}

/** Another attempt runs the turn, because the lease of this one expired. */
class PreemptedError extends Error {}

/** Marks the turn once, before the first agent or tool that may act: from then on no newer turn supersedes it. */
function makeActMark({ db }: Parts, { hostId, turnId }: TurnJob, { attempt }: OpenTurn) {
  let marked: Promise<boolean> | undefined;
  return async () => {
    marked ??= withHost(db, hostId, scope => markActed(scope, { turnId, attempt }));
    if (!(await marked)) throw new PreemptedError();
  };
}

/** Commits the turn. A commit that is too late is refused with the deadline, and not before the deadline. */
async function commitTurn(db: Db, job: TurnJob, turn: Turn): Promise<Reply> {
  const reply = await untilDeadline(db, job, turn.attempt, () =>
    job.commit(scope => storeTurn(scope, turn)),
  ).catch(error => {
    if (!isTooLate(error)) throw error;
    return failure('deadline', { turnId: job.turnId });
  });
  // A commit whose connection was lost may have succeeded.
  const committed = isFailure(reply) ? await job.findReply() : undefined;
  if (committed) return committed as Reply;
  if (isFailure(reply) && job.remainingMs() <= REPLY_MARGIN_MS) await whenAborted(job.signal);
  return reply;
}

const COMMIT_AGAIN_MS = 100;

/**
 * What the database did not do, because it was away, or had to wait longer than a statement may, is done again until the
 * deadline: the answer is paid for. The lease is renewed in between, because it was not while the turn was locked.
 */
async function untilDeadline<T>(
  db: Db,
  { hostId, turnId, remainingMs }: TurnJob,
  attempt: number,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || remainingMs() <= REPLY_MARGIN_MS) throw error;
      const held = [{ hostId, turnId, attempt }];
      await withHost(db, hostId, ({ tx }) => renewLeases(tx, held, LEASE_MS)).catch(() => undefined);
      await delay(COMMIT_AGAIN_MS);
    }
  }
}

/** An unreachable model is logged elsewhere, once for all turns. */
function findNoAnswerFailure(
  { warnRarely }: Parts,
  { requestId, jobId, turnId }: TurnJob,
  { context }: OpenTurn,
  calls: readonly ModelCall[],
): Failure {
  if (!calls.some(isProviderFailure) && !context.spender.refusal)
    warnRarely({ event: 'turn.no_answer', requestId, jobId, calls }, 'the model gave no usable answer');
  return noAnswerFailureOf(context.spender, calls, { turnId });
}

function logUnknownSteps({ log }: ReasonParts, job: TurnJob, { flowState }: OpenTurn): void {
  if (!flowState) return;
  const { flow, plan } = flowState;
  for (const { step, type } of plan.skipped.filter(({ reason }) => reason === 'unknown type')) {
    const { requestId, jobId } = job;
    const { id: flowId, version } = flow;
    log.warn(
      { event: 'flow.step_skipped', requestId, jobId, flowId, version, step, type },
      'a flow step of unknown type was skipped',
    );
  }
}

/** The durations of the model for the last turns of this process. */
export interface RecentTurns {
  note(ms: number): void;
  /** Whether even the fastest of the recent turns took longer than the remaining time. */
  isTooShort(remainingMs: number): boolean;
}

/** Fewer durations are no basis for a refusal. */
const MIN_SAMPLES = 8;
const MAX_SAMPLES = 32;

export function makeRecentTurns(): RecentTurns {
  const durations: number[] = [];
  return {
    note(ms) {
      durations.push(ms);
      if (durations.length > MAX_SAMPLES) durations.shift();
    },
    isTooShort: remainingMs => durations.length >= MIN_SAMPLES && remainingMs < Math.min(...durations),
  };
}
