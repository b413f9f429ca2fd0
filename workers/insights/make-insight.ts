import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import {
  claimInsights,
  findInsight,
  findInsightPause,
  type InsightRun,
  type InsightState,
  lockInsight,
  type NextAttempt,
  pauseInsights,
  releaseInsight,
  resumeInsights,
  storeInsight,
} from '../../db/conversations/insights-due.ts';
import { type HistoryMessage, readHistory } from '../../db/conversations/messages.ts';
import { findHost, hasBudget } from '../../db/hosts/hosts.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import { makeBackoff, startRepeating } from '../../platform/repeat.ts';
import type { ThrottledWarning } from '../../platform/throttled-warning.ts';
import { composeInsight } from '../domain/insight/compose-insight.ts';
import type { DialogueMessage } from '../domain/insight/insight.ts';
import { type InsightAnswer, parseInsight } from '../domain/insight/insight-answer.ts';
import { type Masking, makeMasking, NO_MASKING } from '../domain/masking/masking.ts';
import { insightPromptOf, insightSchema } from '../domain/prompts/insight-prompt.ts';
import type { Model } from '../model/model.ts';
import { isFaultOfAnswers, spendFailureOf } from '../model/model-call.ts';
import type { Spender } from '../model/spender.ts';
import { addEvent } from '../runtime/add-event.ts';

export interface InsightParts {
  readonly db: Db;
  /** Undefined where only the offline model is configured: then rules make the insight. */
  readonly model: Model | undefined;
  readonly warnRarely: ThrottledWarning;
}

interface InsightMessages {
  readonly state: InsightState;
  readonly masking: Masking;
  readonly spender: Spender;
  /** The host's own fallbacks; without any, the installation's are asked. */
  readonly fallbacks: readonly string[];
  readonly isHostDisabled: boolean;
  readonly hostName: string;
  /** See `findInsightPause`. */
  readonly pausedMs: number | undefined;
  readonly messages: readonly (DialogueMessage & { readonly seq: string })[];
}

/** Shorter than a run's lease, so that the run ends while it is the only one. */
const MODEL_TIMEOUT_MS = 30_000;
const HISTORY_LIMITS = { messages: 200, bytes: 2 * 1_048_576 };
const MAX_CHARACTERS = 60_000;
const MAX_MESSAGE_LENGTH = 4_000;
/**
 * An insight that its model failed to give waits for the end of the host's pause, and so do the insights of the host's other
 * conversations, with what rules say. Each is asked for twice at most: 39 turns of a model that answered these and failed at all
 * insights cost 169 calls.
 */
const ATTEMPTS = { waiting: 1, failedOnce: 2 } as const;

/**
 * Makes the insight of one conversation: reads it, asks the model about unread messages, and stores the answer. A run that lost
 * its lease stores nothing.
 */
export async function makeInsight(parts: InsightParts, run: InsightRun, stop: AbortSignal): Promise<void> {
  const history = await readInsightMessages(parts.db, run);
  if (history?.isHostDisabled)
    return withHost(parts.db, run.hostId, scope =>
      releaseInsight(scope, run, { afterMs: 0, attempts: run.attempts }),
    );
  const unread = history?.messages.filter(({ seq }) => BigInt(seq) > BigInt(history.state.readSeq)) ?? [];
  const isWanted = parts.model !== undefined && unread.length > 0;
  const isAsked = isWanted && (history?.pausedMs ?? 0) <= 0;
  const asked =
    history && isAsked ? await askModel(parts, run, { ...history, messages: unread }, stop) : undefined;
  const answer = asked === 'unpaid' ? undefined : asked;
  await withHost(parts.db, run.hostId, async scope => {
    if (!(await lockInsight(scope, run))) return;
    // A repeated failure adds nothing to the insight that the first one stored.
    if (history && (answer || run.attempts === 0)) {
      const { state, messages } = history;
      const asOf = state.asOf.getTime();
      const insight = composeInsight({ ...state, messages, asOf, earlier: state, answer });
      await storeInsight(scope, run.conversationId, insight, answer && messages.at(-1)?.seq);
      await addEvent(scope, {
        type: 'insight.updated',
        data: {
          conversationId: run.conversationId,
          heat_score: insight.heatScore,
          sentiment_score: insight.sentimentScore,
        },
      });
    }
    if (isAsked && !asked) await pauseInsights(scope);
    if (answer && history?.pausedMs !== undefined) await resumeInsights(scope);
    await releaseInsight(
      scope,
      run,
      isWanted && !asked ? await findNextAttempt(scope, run, isAsked) : undefined,
    );
  });
}

/** Undefined after the second failure: then only another answered turn makes the insight due. */
async function findNextAttempt(
  scope: HostScope,
  { attempts }: InsightRun,
  hasFailed: boolean,
): Promise<NextAttempt | undefined> {
  if (hasFailed && attempts >= ATTEMPTS.failedOnce) return undefined;
  const afterMs = Math.max((await findInsightPause(scope)) ?? 0, 0);
  return { afterMs, attempts: hasFailed ? ATTEMPTS.failedOnce : Math.max(attempts, ATTEMPTS.waiting) };
}

function readInsightMessages(
  db: Db,
  { hostId, conversationId }: InsightRun,
): Promise<InsightMessages | undefined> {
  return withHost(db, hostId, async scope => {
    const state = await findInsight(scope, conversationId);
    const history = await readHistory(scope, conversationId, HISTORY_LIMITS);
    const host = await findHost(scope);
    // Values that no turn has seen get tokens for this call only: a turn may be storing its own.
    const masking = host?.mask ? makeMasking(state?.maskedValues) : NO_MASKING;
    const spender: Spender = {
      hostId,
      hasBudget: host !== undefined && hasBudget(host),
      remainingMs: () => MODEL_TIMEOUT_MS,
    };
    return (
      state && {
        state,
        masking,
        spender,
        fallbacks: host?.modelFallbacks ?? [],
        isHostDisabled: host?.disabled ?? false,
        hostName: host?.name ?? '',
        pausedMs: await findInsightPause(scope),
        messages: newestOf(history.filter(({ isRehearsal }) => !isRehearsal)),
      }
    );
  });
}

function newestOf(history: readonly HistoryMessage[]): InsightMessages['messages'] {
  const messages = history.map(({ seq, author, content, createdAt }) => ({
    seq,
    author,
    content: content.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
    at: createdAt.getTime(),
  }));
  let left = MAX_CHARACTERS;
  return messages.slice(messages.findLastIndex(({ content }) => (left -= content.length) < 0) + 1);
}

/** Undefined without a usable answer, `unpaid` where the host may not pay for one; rejects only on stop. */
async function askModel(
  { model, warnRarely }: InsightParts,
  { hostId, conversationId }: InsightRun,
  { state, masking, spender, fallbacks, hostName, messages }: InsightMessages,
  stop: AbortSignal,
): Promise<InsightAnswer | 'unpaid' | undefined> {
  const isOfModel = state.by === 'model';
  const prompt = insightPromptOf({
    hostName,
    earlierSummary: isOfModel ? state.dialogueSummary : '',
    earlierTopic: isOfModel ? state.mainTopic : '',
    messages,
  });
  const answerSchema = { name: 'conversation_insight', schema: insightSchema };
  using linked = linkSignals(stop, AbortSignal.timeout(MODEL_TIMEOUT_MS));
  const endsAt = performance.now() + MODEL_TIMEOUT_MS;
  const remainingMs = () => endsAt - performance.now();
  try {
    if (!model) return undefined;
    const { answer, calls } = await model.complete(undefined, prompt, {
      purpose: 'insight',
      spender,
      masking,
      signal: linked.signal,
      remainingMs,
      fallbacks,
      answerSchema,
    });
    const read = answer ? parseInsight(answer.text) : { errors: [] };
    if (!('errors' in read)) return read;
    const line = {
      event: 'insight.answer_failed',
      hostId,
      conversationId,
      calls,
      errors: read.errors.length,
      remedy:
        'set a model that keeps to a schema as OPENAI_MODEL, or INSIGHT_CONCURRENCY=0 to make no insights',
    };
    if (spendFailureOf(calls)) return 'unpaid';
    // An unreachable model is logged elsewhere, once for all calls.
    if (isFaultOfAnswers(calls)) warnRarely(line, 'the model returned no usable insight');
  } catch (error) {
    stop.throwIfAborted();
    if (!linked.signal.aborted) throw error;
    const line = { event: 'insight.model_timed_out', hostId, conversationId };
    warnRarely(line, 'the model exceeded the time limit of an insight');
  }
  return undefined;
}

interface InsightTaskParts extends InsightParts {
  /** This login claims the insights of all hosts. */
  readonly owner: Db;
  /** Parallel insights of this process; 0 disables them. */
  readonly concurrency: number;
  /** The pause after the last answer of a conversation. */
  readonly pauseMs: number;
  readonly onTaskFailed: TaskFailureLog;
}

const POLL_EVERY_MS = 500;
/** The longest pause between polls that fail. */
const MAX_PAUSE_MS = 10_000;
const LEASE_MS = MODEL_TIMEOUT_MS + 15_000;
const MAX_ATTEMPTS = 3;
const AFTER_BUG_MS = 60_000;

/**
 * Makes the insights of conversations that are due, whichever worker answered them. Ends with the signal, and releases the
 * running ones, so that another worker can claim them at once.
 */
export async function runInsights(parts: InsightTaskParts, signal: AbortSignal): Promise<void> {
  const { owner, concurrency, pauseMs, onTaskFailed } = parts;
  if (concurrency === 0) return;
  const running = new Set<Promise<void>>();
  const claim = async () => {
    const limit = concurrency - running.size;
    const claimed = limit > 0 ? await claimInsights(owner, { limit, leaseMs: LEASE_MS, pauseMs }) : [];
    for (const run of claimed) {
      const ended = runInsight(parts, run, signal).finally(() => {
        if (running.size === concurrency) wake();
        running.delete(ended);
      });
      running.add(ended);
    }
  };
  const { wake, ended: claimedLast } = startRepeating(claim, {
    everyMs: POLL_EVERY_MS,
    backoff: makeBackoff(POLL_EVERY_MS, MAX_PAUSE_MS),
    signal,
    onError: error => onTaskFailed(error, 'insight.claim_failed', 'failed to claim due insights'),
  });
  await claimedLast;
  await Promise.all(running);
}

/** Never rejects. A failed run is retried later, by any worker, a limited number of times. */
async function runInsight(parts: InsightTaskParts, run: InsightRun, stop: AbortSignal): Promise<void> {
  const { db, onTaskFailed } = parts;
  const { hostId, conversationId, attempts } = run;
  try {
    await makeInsight(parts, run, stop);
  } catch (err) {
    const fields = { hostId, conversationId };
    if (!stop.aborted) onTaskFailed(err, 'insight.run_failed', 'failed to make an insight', fields);
    const counts = !stop.aborted && !isDatabaseUnavailable(err);
    const later = { afterMs: stop.aborted ? 0 : AFTER_BUG_MS, attempts: counts ? attempts + 1 : attempts };
    const next = later.attempts < MAX_ATTEMPTS ? later : undefined;
    // If this fails too, the lease expires.
    await withHost(db, hostId, scope => releaseInsight(scope, run, next)).catch(() => undefined);
  }
}
