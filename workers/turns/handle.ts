import { LRUCache } from 'lru-cache';
import { isDatabaseUnavailable } from '../../db/connection.ts';
import { isTurnRevoked, markActed } from '../../db/conversations/bursts.ts';
import { withHost } from '../../db/with-hosts.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import { startStopwatch } from '../../platform/stopwatch.ts';
import { makeThrottledWarning, type ThrottledWarning } from '../../platform/throttled-warning.ts';
import {
  type Failure,
  failure,
  HOST_DISABLED,
  isFailure,
  isFinal,
  type Outcome,
} from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isFaultOfAnswers, noAnswerFailureOf } from '../model/model-call.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import { giveUpAfter, type ModelCall } from '../model/tries.ts';
import type { Handler } from '../runtime/job.ts';
import type { FinishedTurn } from '../runtime/turn-time.ts';
import { answeredTurnOf } from './answered-turn.ts';
import { type AskParts, askModel } from './ask.ts';
import { endUnanswered } from './asker.ts';
import {
  type AttachmentParts,
  findPictureFailure,
  forgetAttachments,
  readAttachments,
} from './attachments.ts';
import { checkTurnAnswer, parseFailureText } from './check.ts';
import type { TurnClaims } from './claim.ts';
import { confirmCalls } from './confirm-calls.ts';
import { endSilently } from './end-silently.ts';
import { makeTimedModel, statusOfThrown, tellTurn } from './finished-turn.ts';
import { noteCalls } from './note-calls.ts';
import { findChangesFailure, isWaitingForQuestion, readInput, searchByMeaning } from './read.ts';
import { rewriteQuestion } from './rewrite.ts';
import { commitTurn } from './store.ts';
import type { SupersededReply } from './superseded-replies.ts';
import {
  firstTurnOf,
  type Handover,
  laterTurnOf,
  type ReadTurn,
  type TurnInput,
  type TurnJob,
} from './turn.ts';
import { unaskedAnswerOf } from './unasked.ts';
import { untilDeadline } from './until-deadline.ts';

export interface TurnParts extends AskParts, AttachmentParts {
  /** Called for each committed answer; not for rehearsals. */
  readonly onAnswer?: ((answer: { readonly isSupported: boolean }) => void) | undefined;
  /** Called for each turn that has ended, with an answer or without one. */
  readonly onTurn?: ((turn: FinishedTurn) => void) | undefined;
  readonly claims: TurnClaims;
  /** Knows the models that changes of a rehearsal may name. */
  readonly directory: ModelDirectory;
}

interface Parts extends TurnParts {
  readonly recent: RecentTurns;
  readonly warnRarely: ThrottledWarning;
}

type Reply = Outcome<DataOf<'reason'>>;

/** How a claimed turn ended: with a reply; with its attachments read, to claim again; or revoked by a newer question. */
type Ended =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'read'; readonly input: TurnInput }
  | { readonly kind: 'revoked' };

const REVOKED: Ended = { kind: 'revoked' };

/**
 * One turn: claim the conversation and read the context, ask the model outside any transaction, and commit the answer
 * with its receipt and reply. A crash on any line leaves at most a stored question: the queue runs the job again, and
 * the attempt number keeps a stale run from writing.
 */
export function makeTurnHandler(given: TurnParts): Handler<'reason'> {
  const parts = { ...given, recent: makeRecentTurns(), warnRarely: makeThrottledWarning(given.log) };
  return async job => {
    const input = readInput(job.body);
    if (isFailure(input)) return input;
    const refused = await findChangesFailure(parts.directory, job);
    if (refused) return refused;
    return endAttachments(parts, firstTurnOf(job), () => handleTurn(parts, firstTurnOf(job), input));
  };
}

/** Attachments are deleted with the answer, or with the turn's end. A stopping worker leaves them to the next one. */
async function endAttachments({ db }: Parts, job: TurnJob, run: () => Promise<Reply>): Promise<Reply> {
  if (!job.attachments) return run();
  let reply: Reply | undefined;
  try {
    reply = await run();
    return reply;
  } finally {
    const isAnswered = reply !== undefined && !isFailure(reply) && reply.data.supersededBy === undefined;
    const isLast = reply !== undefined && (isFinal(reply.code) || job.idempotencyKey === undefined);
    const forget = () =>
      withHost(db, job.hostId, scope => forgetAttachments(scope, job, { isFinal: isLast }));
    if (!isAnswered && job.signal.reason !== 'shutdown') await forget().catch(() => undefined);
  }
}

async function handleTurn(parts: Parts, job: TurnJob, input: TurnInput): Promise<Reply> {
  try {
    const reply = await claimUntilReplied(parts, job, input);
    const conversationId = isFailure(reply) ? undefined : reply.data.conversationId;
    const isLate = reply.code >= 500 && job.remainingMs() <= 0;
    tellTurn(parts, job, { status: isLate ? 408 : reply.code, conversationId });
    return reply;
  } catch (error) {
    tellTurn(parts, job, { status: statusOfThrown(job, error) });
    throw error;
  }
}

/**
 * Claims the turn until it runs or has a reply. Returns the reply of this run, of an earlier run, or of a newer turn that
 * superseded it.
 */
async function claimUntilReplied(parts: Parts, first: TurnJob, given: TurnInput): Promise<Reply> {
  let job = first;
  let input = given;
  let run = parts.claims.begin(job);
  try {
    for (;;) {
      const claim = await run.claim(input, (scope, turn) => endSilently(parts.db, scope, turn));
      switch (claim.kind) {
        case 'refused':
          return claim.failure;
        case 'ended':
          return claim.reply;
        case 'busy':
          // An earlier turn of this conversation may wait for the room of these pictures.
          input.releasePictures?.();
          if (await run.waitForChance()) continue;
          return failure('overloaded', { turnId: job.turnId });
        case 'burst-changed':
          sendSupersededReplies(job, claim.replies);
          continue;
        case 'has-reply': {
          const reply = await job.findCheckedReply();
          if (reply) return reply as Reply;
          if (job !== first) return failure('interrupted', { turnId: first.turnId });
          job = laterTurnOf(first);
          input.releasePictures?.();
          input = given;
          break;
        }
        case 'claimed': {
          const ended = await runOrAbandon(parts, claim.turn, run.revoked);
          if (ended.kind === 'reply') return ended.reply;
          if (ended.kind === 'read') {
            input = ended.input;
            break;
          }
          // A superseded turn has its reply; another one runs again with more questions.
          const reply = await job.findCheckedReply();
          if (reply) return reply as Reply;
        }
      }
      run.end();
      run = parts.claims.begin(job);
    }
  } finally {
    input.releasePictures?.();
    run.end();
  }
}

/** The callers of superseded turns need not wait for the answer of this turn. */
function sendSupersededReplies(job: TurnJob, replies: readonly SupersededReply[]): void {
  for (const { jobId, outcome } of replies)
    if (jobId !== job.jobId) void job.notifyRequesterOf(jobId, outcome).catch(() => undefined);
}

/** A turn that ends without an answer is abandoned, so that no later turn waits for it. */
async function runOrAbandon(parts: Parts, turn: ReadTurn, revoked: AbortSignal): Promise<Ended> {
  const { job, attempt } = turn;
  const { hostId, turnId } = job;
  // A commit may fail because of the burst before the signal comes.
  const isRevoked = () => withHost(parts.db, hostId, scope => isTurnRevoked(scope, { turnId, attempt }));
  const abandon = (code: number) => endUnanswered(parts.db, job, attempt, code);
  using linked = linkSignals(job.signal, revoked);
  try {
    const ended = await runTurn(parts, { ...turn, job: { ...job, signal: linked.signal } });
    const failed = ended.kind === 'reply' && isFailure(ended.reply) ? ended.reply : undefined;
    return failed && !(await abandon(failed.code)) && (await isRevoked()) ? REVOKED : ended;
  } catch (error) {
    if (revoked.aborted && !job.signal.aborted) return REVOKED;
    const code = job.signal.aborted || isDatabaseUnavailable(error) ? 503 : 500;
    const isAbandoned = await abandon(code).catch(() => true);
    if (!isAbandoned && (await isRevoked())) return REVOKED;
    if (error instanceof PreemptedError) return { kind: 'reply', reply: failure('interrupted', { turnId }) };
    throw error;
  }
}

/** Answers the turn, or reads its attachments. */
async function runTurn(parts: Parts, turn: ReadTurn): Promise<Ended> {
  const { turnId } = turn.job;
  if (turn.isHostDisabled)
    return { kind: 'reply', reply: failure('interrupted', { turnId, hint: HOST_DISABLED }) };
  if (!isWaitingForQuestion(turn)) return { kind: 'reply', reply: await answerTurn(parts, turn) };
  using asking = limitAsking(turn);
  const isHandedOver = (failed: Failure) => findHandover(turn, failed) !== undefined;
  const { time } = turn.job;
  const read = await time.during('attachments', () => readAttachments(parts, turn, { asking, isHandedOver }));
  return isFailure(read) ? { kind: 'reply', reply: read } : { kind: 'read', input: read };
}

async function answerTurn(parts: Parts, claimed: ReadTurn): Promise<Reply> {
  const stopwatch = startStopwatch();
  const { job } = claimed;
  const { time } = job;
  logUnknownSteps(parts, claimed);
  const searched = await time.during('knowledge', () => searchByMeaning(claimed));
  const unasked = unaskedAnswerOf(searched);
  // The api may be about to cancel this job after an outage of the queue store.
  await job.waitForCancellations();
  job.signal.throwIfAborted();
  // A model call costs money even if its answer comes too late, so it is refused here.
  const wanted = { hostId: job.hostId, model: searched.flowState?.flow.model || searched.avatar.model || '' };
  if (!unasked && parts.recent.isTooShort(wanted, job.remainingMs()))
    return failure('overloaded', { turnId: job.turnId });
  const turn = await time.during('knowledge', () => rewriteQuestion(parts, searched));
  const modelWatch = startStopwatch();
  const beforeActing = makeActMark(parts, turn);
  using asking = limitAsking(turn);
  const outsideTools = confirmCalls(parts.db, turn, noteCalls(parts, turn));
  const model = makeTimedModel(parts.model, time, parts.defaultModel);
  const askParts = { ...parts, model, outsideTools, beforeActing, asking };
  const asked = unasked ?? (await time.during('tools', () => askModel(askParts, turn)));
  const { answer } = asked;
  const failed = answer ? undefined : (turn.unheard ?? findNoAnswerFailure(parts, turn, asked.calls));
  const handover = failed && findHandover(turn, failed);
  if (failed && !handover) return failed;
  if (!unasked && answer) parts.recent.note(wanted, modelWatch.elapsedMs());
  const check = () =>
    answer
      ? checkTurnAnswer(parts.db, turn, asked, answer)
      : parseFailureText(parts.db, turn, { ...asked.effects, ...(handover ? { handover } : {}) });
  const checked = await time.during('check', () => untilDeadline(parts.db, turn, check));
  const end = { startedAt: stopwatch.startedAt, durationMs: stopwatch.elapsedMs(), failure: failed };
  const answered = answeredTurnOf(turn, asked, checked, end);
  const reply = await time.during('store', () => commitTurn(parts.db, answered));
  if (answer && checked.text !== '' && !isFailure(reply) && !job.body.reasoningConfig?.rehearsal)
    parts.onAnswer?.({ isSupported: checked.check.unsupported.length === 0 });
  return reply;
}

/** A handover gives the model up this long before the deadline, because the commit of its text takes a part of that time. */
const HANDOVER_MS = 2_000;
const HANDOVER_FRACTION = 0.25;

/** A rehearsal must show that no model answers, so it hands nothing over. */
function mayHandOver({ avatar, job }: ReadTurn): boolean {
  return avatar.on_failure === 'handoff' && !job.body.reasoningConfig?.rehearsal;
}

function limitAsking(turn: ReadTurn): Pick<TurnJob, 'signal' | 'remainingMs'> & Disposable {
  const { job } = turn;
  if (!mayHandOver(turn))
    return { signal: job.signal, remainingMs: () => job.remainingMs(), [Symbol.dispose]() {} };
  const leftMs = job.remainingMs();
  const keptMs = Math.min(HANDOVER_MS, leftMs * HANDOVER_FRACTION);
  return { ...giveUpAfter(job.signal, leftMs - keptMs), remainingMs: () => job.remainingMs() - keptMs };
}

/** Returns how the turn ends in place of this failure; undefined for a failure that is the caller's, or of the request. */
function findHandover(turn: ReadTurn, { code }: Failure): Handover | undefined {
  if (!mayHandOver(turn) || isFinal(code)) return undefined;
  return { by: 'failure', reason: code === 429 ? 'policy_restriction' : 'tool_failure' };
}

/** Another attempt runs the turn, because the lease of this one expired. */
class PreemptedError extends Error {}

/** Marks the turn once, before the first agent or tool that may act: from then on no newer turn supersedes it. */
function makeActMark({ db }: Parts, { job, attempt }: ReadTurn) {
  const { hostId, turnId } = job;
  let marked: Promise<boolean> | undefined;
  return async () => {
    marked ??= withHost(db, hostId, scope => markActed(scope, { turnId, attempt }));
    if (!(await marked)) throw new PreemptedError();
  };
}

/** An unreachable model is logged elsewhere, once for all turns. */
function findNoAnswerFailure({ warnRarely }: Parts, turn: ReadTurn, calls: readonly ModelCall[]): Failure {
  const { requestId, jobId, turnId } = turn.job;
  const refused = findPictureFailure(turn, calls);
  if (refused) return refused;
  if (isFaultOfAnswers(calls))
    warnRarely({ event: 'turn.no_answer', requestId, jobId, calls }, 'the model gave no usable answer');
  return noAnswerFailureOf(calls, { turnId });
}

function logUnknownSteps({ log }: TurnParts, { job, flowState }: ReadTurn): void {
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

/** Recent durations of turns in this process, by the model that the turn asked for. */
interface RecentTurns {
  note(model: WantedModel, ms: number): void;
  /** Whether even the fastest of the recent turns with this model took longer than the remaining time. */
  isTooShort(model: WantedModel, remainingMs: number): boolean;
}

interface WantedModel {
  readonly hostId: string;
  readonly model: string;
}

/** With fewer samples, no turn is refused. */
const MIN_SAMPLES = 8;
const MAX_SAMPLES = 32;
const MAX_MODELS = 1_000;

export function makeRecentTurns(): RecentTurns {
  const byModel = new LRUCache<string, number[]>({ max: MAX_MODELS });
  return {
    note(model, ms) {
      const durations = byModel.get(keyOf(model)) ?? [];
      byModel.set(keyOf(model), durations);
      durations.push(ms);
      if (durations.length > MAX_SAMPLES) durations.shift();
    },
    isTooShort(model, remainingMs) {
      const durations = byModel.get(keyOf(model)) ?? [];
      return durations.length >= MIN_SAMPLES && remainingMs < Math.min(...durations);
    },
  };
}

/** Hosts' own models have a slash in their names, and two hosts may give theirs the same. */
function keyOf({ hostId, model }: WantedModel): string {
  return model.includes('/') ? `${hostId} ${model}` : model;
}
