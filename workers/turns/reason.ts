import { type Db, isTooLate } from '../../db/connection.ts';
import { userTextsOf } from '../../db/messages.ts';
import { abandonTurn } from '../../db/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { trustByOrigin } from '../domain/payment-origin.ts';
import { parseWppSteps, type WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { ModelCall } from '../model/model.ts';
import type { Handler, HandlerJob } from '../runtime/job.ts';
import { type Stopwatch, startStopwatch } from '../runtime/stopwatch.ts';
import { whenAborted } from '../runtime/when-aborted.ts';
import { TELLING_MS, type TurnClaims } from './claim-turn.ts';
import type { OpenTurn } from './open-turn.ts';
import { paymentSourcesOf } from './payment-sources.ts';
import { makeRecentTurns, type RecentTurns } from './recent-turns.ts';
import { runInSlices } from './run-in-slices.ts';
import { storeTurn } from './store-turn.ts';
import { silence, type ThinkParts, type Thought, think } from './think.ts';
import type { Turn } from './turn.ts';
import { type TurnInput, turnInputOf } from './turn-input.ts';

type Reply = Outcome<DataOf<'reason'>>;
type Parts = ReasonParts & { readonly recent: RecentTurns };

export interface ReasonParts extends ThinkParts {
  readonly db: Db;
  readonly claims: TurnClaims;
}

/**
 * One turn: claim the conversation and read what there is to know, ask the model outside any transaction, and commit
 * the answer with its receipt and reply. Dying on any line leaves at most a stored question: the queue runs the job
 * again, and the attempt number keeps whatever is left of this run from writing.
 */
export function makeReason(given: ReasonParts): Handler<'reason'> {
  const parts = { ...given, recent: makeRecentTurns() };
  return async job => {
    const input = turnInputOf(job.body);
    if ('code' in input) return input;
    const first = await claimAndAnswer(parts, job, input);
    if (first !== 'done') return first;
    // An earlier run may have been committing when this one looked for its reply, and claimed after it.
    const reply = (await job.findReply()) ?? (await claimAndAnswer(parts, laterTurn(job), input));
    return reply === 'done' ? failure('interrupted', { turnId: job.jobId }) : (reply as Reply);
  };
}

/** Where a turn is answered and its reply no longer kept, the client's key is free: this is another turn under it. */
function laterTurn(job: HandlerJob<'reason'>): HandlerJob<'reason'> {
  return { ...job, jobId: `${job.jobId}.${job.arrivedAt}` };
}

function claimAndAnswer(parts: Parts, job: HandlerJob<'reason'>, input: TurnInput): Promise<Reply | 'done'> {
  return parts.claims.withClaim(job, input, async (opening): Promise<Reply | 'done'> => {
    switch (opening.kind) {
      case 'claimed':
        return answerOrGiveUp(parts, job, input, opening);
      case 'no-avatar':
        return failure('avatar-not-found');
      case 'too-much-data':
        return failure('body-invalid', { fields: [{ path: 'globalData', message: opening.message }] });
      case 'no-conversation':
        return failure('conversation-not-found');
      case 'expired':
        return failure('deadline', { turnId: job.jobId });
      case 'busy':
        return failure('interrupted', { turnId: job.jobId });
      case 'done':
        return 'done';
    }
  });
}

/** A turn that does not end with an answer is given up, so that nobody waits for it. */
async function answerOrGiveUp(
  parts: Parts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<Reply> {
  const { hostId, jobId } = job;
  const { attempt } = open;
  const giveUp = () => withHost(parts.db, hostId, scope => abandonTurn(scope, { jobId, attempt }));
  try {
    const reply = await answered(parts, job, input, open);
    if (isFailure(reply)) await giveUp();
    return reply;
  } catch (error) {
    await giveUp().catch(() => undefined);
    throw error;
  }
}

async function answered(
  parts: Parts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  opened: OpenTurn,
): Promise<Reply> {
  const watch = startStopwatch();
  noteUnknownSteps(parts, job, opened);
  const { open, calls } = await withMeaning(opened);
  const { attended } = open.conversation;
  // What is asked of the model is paid for, even if nobody gets it.
  if (!attended && parts.recent.isTooLate(job.remainingMs()))
    return failure('overloaded', { turnId: job.jobId });
  const thinking = startStopwatch();
  const thought = attended ? silence() : await think(parts, job, input, open);
  const { said, ...done } = thought;
  if (!said) {
    const { requestId, jobId } = job;
    parts.log.warn({ requestId, jobId, calls: done.calls }, 'the model gave no usable answer');
    return failure('model-unavailable', { turnId: jobId });
  }
  if (!attended) parts.recent.note(thinking.elapsedMs());
  const asked = { ...done, said, calls: [...calls, ...done.calls] };
  const parsed = await parsedAnswer(parts, job, input, open, { text: said.text, results: done.results });
  return stored(job, turnOf(job, input, open, asked, parsed, watch));
}

/** Only where there is a payment in it the sources are read, and then it is parsed with what they say. */
async function parsedAnswer(
  { db }: Parts,
  { hostId, body }: HandlerJob<'reason'>,
  { question }: TurnInput,
  open: OpenTurn,
  { text, results }: { readonly text: string; readonly results: readonly string[] },
): Promise<WppParsed> {
  const parsed = await runInSlices(parseWppSteps(text));
  if (!parsed.items.some(({ type }) => type === 'pix' || type === 'boleto')) return parsed;
  const userTexts = await withHost(db, hostId, scope => userTextsOf(scope, body.conversationId));
  const sources = paymentSourcesOf(body, question, open, results, userTexts);
  return runInSlices(parseWppSteps(text, trustByOrigin(sources)));
}

/** Where its time is up by now, that is what is answered, and no sooner than it is. */
async function stored(job: HandlerJob<'reason'>, turn: Turn): Promise<Reply> {
  const reply = await job
    .commit(scope => storeTurn(scope, turn))
    .catch(error => {
      if (!isTooLate(error)) throw error;
      return failure('deadline', { turnId: job.jobId });
    });
  if (isFailure(reply) && job.remainingMs() <= TELLING_MS) await whenAborted(job.signal);
  return reply;
}

/** With the passages that mean what is asked, too. */
async function withMeaning(
  open: OpenTurn,
): Promise<{ readonly open: OpenTurn; readonly calls: readonly ModelCall[] }> {
  const { byMeaning, ...known } = open.known;
  if (!byMeaning) return { open, calls: [] };
  const { chunks, calls } = await byMeaning();
  return { open: { ...open, known: { ...known, chunks } }, calls };
}

function turnOf(
  { jobId, hostId, body }: HandlerJob<'reason'>,
  { question }: TurnInput,
  { attempt, conversation, avatar, data, known, steering }: OpenTurn,
  { said, results: _, ...done }: Thought & { said: NonNullable<Thought['said']> },
  parsed: WppParsed,
  watch: Stopwatch,
): Turn {
  return {
    jobId,
    hostId,
    attempt,
    body,
    question,
    conversation,
    avatar,
    data,
    steering,
    dialogue: known.dialogue,
    returned: known.returned,
    retrievalQuery: known.retrievalQuery,
    ungivenKeys: known.ungivenKeys,
    chunks: known.chunks,
    ...done,
    answer: said.text,
    model: said.model,
    ...parsed,
    isSilenced: conversation.attended,
    startedAt: watch.startedAt,
    durationMs: watch.elapsedMs(),
  };
}

function noteUnknownSteps({ log }: ReasonParts, job: HandlerJob<'reason'>, { steering }: OpenTurn): void {
  if (!steering) return;
  const { flow, plan } = steering;
  for (const { step, type } of plan.skipped.filter(({ reason }) => reason === 'unknown type')) {
    const { requestId, jobId } = job;
    const { id: flowId, version } = flow;
    log.warn(
      { requestId, jobId, flowId, version, step, type },
      'a step of a type that nobody knows was skipped',
    );
  }
}
