import { linkSignals } from '../../platform/link-signals.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { startStopwatch } from '../../platform/stopwatch.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { wholeSentencesOf } from '../../text/sentences.ts';
import { type Masking, makePieceUnmasker } from '../domain/masking/masking.ts';
import {
  type AnswerContent,
  maskDescriptions,
  maskMessages,
  toAnswerMasking,
  unmaskAnswer,
} from './mask-request.ts';
import { attributesOfAnswer, attributesOfContents, attributesOfUsage, runInModelSpan } from './model-span.ts';
import { NO_TOKENS, type TokenUsage } from './prices.ts';
import {
  type AnswerForm,
  type CallOptions,
  type Completion,
  type CompletionRequest,
  ModelError,
  type ModelMessage,
  type Provider,
} from './provider.ts';
import { type Spender, type SpendLedger, SpendRefusedError } from './spender.ts';
import { makeThoughtFilter, spokenTextOf } from './spoken-text.ts';
import type { ModelCall, Tries } from './tries.ts';
import { MAX_ANSWER_TOKENS, type MeasuredUsage, makeUsageMeter, type UsageMeter } from './usage-meter.ts';

/** Begins a call of the model. The caller may tell what it took; the listener is told of its end. */
export function startCall(
  name: string,
  { purpose, isOfHost }: Pick<ModelCall, 'purpose'> & { readonly isOfHost?: true | undefined },
  { ledger, onCall }: { readonly ledger: SpendLedger; onCall(call: ModelCall): void },
) {
  const stopwatch = startStopwatch();
  let usage = NO_TOKENS;
  let isSent = false;
  const callOf = (status: number) => ({
    name,
    purpose,
    status,
    startedAt: stopwatch.startedAt.toISOString(),
    durationMs: stopwatch.elapsedMs(),
    tokens: 0,
    usage,
    cost: ledger.costOf(name, usage) ?? '0',
    ...(isOfHost ? { isOfHost } : {}),
  });
  return {
    /** Called when the request goes out. A call that ends before was never sent and costs nothing; a refused budget is noted. */
    send(): void {
      isSent = true;
    },
    took({ input, cached, output, seconds }: TokenUsage): void {
      usage = { input, cached, output, ...(seconds === undefined ? {} : { seconds }) };
    },
    succeed(): void {
      onCall({ ...callOf(200), tokens: usage.input + usage.output });
    },
    fail(error: unknown, text = errorTextOf(error)): void {
      if (!isSent && !(error instanceof SpendRefusedError)) return;
      const call = callOf(error instanceof ModelError ? error.status : 0);
      const { refusal } = error instanceof SpendRefusedError ? error : {};
      onCall({ ...call, error: text, ...(refusal ? { refusal } : {}) });
    },
  };
}

export type StartedCall = ReturnType<typeof startCall>;

/** Returns our own words: an error of a provider may quote the text. */
function errorTextOf(error: unknown): string {
  if (error instanceof SpendRefusedError)
    return error.refusal.kind === 'no-price' ? 'no price' : 'over the budget';
  return error instanceof ModelError ? error.message : 'unreadable answer';
}

/** Failures caused by one request say nothing of the provider: it was aborted, or asked for an answer without end. */
const CAUSED_BY_REQUEST: readonly ModelError['reason'][] = [
  'aborted',
  'unusable answer: too long',
  'unusable answer: too large',
];

/**
 * Whether the provider failed, gave no usable answer, or refused the key or the rate of calls. Other refusals concern the
 * question or the name of the model.
 */
export function isProviderFailure({ status, error, refusal }: ModelCall): boolean {
  const isOurs = refusal !== undefined || CAUSED_BY_REQUEST.some(reason => reason === error);
  return (status === 0 && !isOurs) || status === 401 || status === 429 || status >= 500;
}

/** Whether the model's answers themselves were of no use: neither the provider nor the budget explains it. */
export function isFaultOfAnswers(calls: readonly ModelCall[]): boolean {
  return !calls.some(call => isProviderFailure(call) || call.refusal);
}

/**
 * The failure of work that ended because of the budget. Undefined where no call was refused, or where a call since the last
 * answer failed at the provider, which may work again before the budget allows more.
 */
export function spendFailureOf(
  calls: readonly ModelCall[],
  details: { turnId?: string } = {},
): Failure | undefined {
  const unanswered = calls.slice(calls.findLastIndex(({ status }) => status === 200) + 1);
  const refusals = unanswered.flatMap(({ refusal }) => refusal ?? []);
  // An exceeded budget explains more than a fallback without a price.
  const refusal = refusals.find(({ kind }) => kind === 'over-budget') ?? refusals.at(-1);
  // A model that was given up may answer, too.
  const isModelAtFault = (call: ModelCall) => isProviderFailure(call) || call.error === 'aborted';
  if (!refusal || unanswered.some(isModelAtFault)) return undefined;
  if (refusal.kind === 'no-price') {
    const hint = `MODEL_PRICES has no price for "${refusal.model}"`;
    return failure('model-without-price', { ...details, hint });
  }
  const { budget, retryAfter } = refusal;
  return failure('budget-exceeded', { ...details, budget, retryAfter });
}

export function noAnswerFailureOf(calls: readonly ModelCall[], details: { turnId?: string } = {}): Failure {
  return spendFailureOf(calls, details) ?? failure('model-unavailable', details);
}

export interface ModelTarget {
  readonly provider: Provider;
  readonly model: string;
  /**
   * The longest time without a piece of the answer: to the first one, and from each to the next. Headers, blanks and
   * keep-alives are not pieces. An answer that is sent as a whole may take twice as long in all. Undefined: as long as the
   * signal allows.
   */
  readonly patienceMs: number | undefined;
}

export interface ModelAnswer extends AnswerContent {
  /** The server of the model cut it, at its longest answer, at ours or by a filter: a text ends with its last whole sentence. */
  readonly isTruncated: boolean;
  readonly tokens: number;
  readonly model: string;
}

export interface CompletionOptions extends AnswerForm {
  readonly purpose: CallOptions['purpose'];
  /** The host on whose behalf the model is asked, with its budget. */
  readonly spender: Spender;
  readonly signal: AbortSignal;
  /** The masking of the conversation, or `NO_MASKING`: the caller sees plain text only. */
  readonly masking: Masking;
  /** Set where a client reads the answer while it is generated. */
  readonly textListener?: TextListener | undefined;
  /** How long an answer is still useful: a `Retry-After` of the provider is respected where it fits. */
  readonly remainingMs?: () => number;
  /** Models of the host that are asked when the model fails; empty: the installation’s. */
  readonly fallbacks?: readonly string[];
  /** Other models are passed over; undefined: any may be asked. */
  readonly onlyModels?: readonly string[] | undefined;
  /** Whether an empty text is a usable answer. */
  readonly mayBeEmpty?: boolean;
}

/** Receives the texts of a turn's calls while they are generated, as plain text. */
export interface TextListener {
  /** A call begins: the texts of those before it are void. */
  begin(): void;
  add(piece: string): void;
}

export interface CallParts {
  readonly ledger: SpendLedger;
  readonly tries: Tries;
  /** Whether traces contain prompts and answers. */
  readonly traceContents: boolean;
}

export const MAX_ANSWER_LENGTH = 100_000;
/** The names of OpenAI's protocol, and of other providers behind it; a filter of contents, too, ends an answer anywhere. */
const CUT_REASONS: ReadonlySet<string> = new Set(['length', 'max_tokens', 'model_length', 'content_filter']);
/** A text without any of these says nothing, such as a rule or a blank without width. */
const HAS_WORDS = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Calls a model once, and tells the listener. Rejects with errors of the ledger, the provider or the check of the answer. */
export async function callModel(
  target: ModelTarget,
  messages: readonly ModelMessage[],
  options: CompletionOptions,
  { ledger, tries, traceContents }: CallParts,
): Promise<ModelAnswer> {
  const { model, provider } = target;
  const { masking } = options;
  options.textListener?.begin();
  const { isOfHost } = provider;
  const started = startCall(model, { purpose: options.purpose, isOfHost }, { ledger, onCall: tries.onCall });
  try {
    const sent = await runInSlices(maskMessages(messages, masking));
    const { answerSchema, tools, mayCall, mustCall } = await runInSlices(maskDescriptions(options, masking));
    // Without a limit nobody knows what the call can cost.
    const isLimited = options.spender.hasBudget && !isOfHost;
    const maxTokens = isLimited ? MAX_ANSWER_TOKENS : undefined;
    const request = { model, messages: sent, answerSchema, tools, mayCall, mustCall, maxTokens };
    const answered = { ...options, masking: toAnswerMasking(masking, sent) };
    const { completion, usage } = await requestOnAccount(target, request, answered, {
      ledger,
      tries,
      started,
      traceContents,
    });
    const content = usableContentOf(completion, options);
    started.succeed();
    const plain = unmaskAnswer(content, answerSchema !== undefined, answered.masking);
    const isTruncated = CUT_REASONS.has(completion.finishReason?.toLowerCase() ?? '');
    const text = isTruncated && !answerSchema ? wholeSentencesOf(plain.text) : plain.text;
    const tokens = usage.input + usage.output;
    return { ...plain, text, isTruncated, tokens, model: completion.model || model };
  } catch (error) {
    started.fail(error);
    throw error;
  }
}

function usableContentOf(
  completion: Completion,
  { tools = [], mayCall = true, mayBeEmpty = false, answerSchema }: CompletionOptions,
): AnswerContent {
  const text = spokenTextOf(completion.text ?? '', answerSchema !== undefined);
  const toolCalls = mayCall && tools.length > 0 ? completion.toolCalls : [];
  const isEmpty = !HAS_WORDS.test(text) && toolCalls.length === 0;
  if (isEmpty && !(mayBeEmpty && completion.text !== undefined))
    throw new ModelError('unusable answer: empty');
  const length = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length);
  if (length > MAX_ANSWER_LENGTH) throw new ModelError('unusable answer: too long');
  return { text: text.replaceAll('\0', '').toWellFormed(), toolCalls };
}

interface AccountParts extends CallParts {
  readonly started: StartedCall;
}

/** Requests a completion and records its cost before the answer is used. */
async function requestOnAccount(
  target: ModelTarget,
  request: CompletionRequest,
  options: CompletionOptions,
  { ledger, tries, started, traceContents }: AccountParts,
): Promise<{ readonly completion: Completion; readonly usage: TokenUsage }> {
  const { spender, purpose, signal } = options;
  const { model, provider } = target;
  const meter = makeUsageMeter(request);
  const isOwn = provider.isOfHost ?? false;
  const account = await ledger.open(spender, { model, purpose, signal, isOwn, most: meter.most });
  const settle = async (usage: MeasuredUsage | undefined) => {
    if (usage) started.took(usage);
    await account.settle(usage);
  };
  started.send();
  try {
    const call = { operation: 'chat', provider: provider.name, model, purpose } as const;
    const { completion, usage } = await runInModelSpan(call, async note => {
      const answer = await requestCompletion(target, request, options, meter);
      note(attributesOfAnswer(answer));
      if (traceContents) note(attributesOfContents(request.messages, answer));
      const taken = await meter.measure(answer);
      note(attributesOfUsage(taken));
      return { completion: answer, usage: taken };
    });
    await settle(usage);
    return { completion, usage };
  } catch (error) {
    await settle(tries.billOf(await meter.measureFailed(error)));
    throw error;
  }
}

async function requestCompletion(
  { provider, patienceMs }: ModelTarget,
  request: CompletionRequest,
  { signal, purpose, masking, textListener }: CompletionOptions,
  meter: UsageMeter,
): Promise<Completion> {
  const silence = limitSilence(patienceMs);
  const progress = {
    ...silence,
    onPiece() {
      meter.onPiece();
      silence.onPiece();
    },
    onPart() {
      meter.onPiece();
      silence.onPart();
    },
    onUsage: meter.onUsage,
  };
  using linked = linkSignals(signal, silence.signal);
  const options = { purpose, signal: linked.signal, progress };
  try {
    if (!textListener) return await provider.complete(request, options);
    const unmask = makePieceUnmasker(masking);
    const withoutThoughts = makeThoughtFilter();
    return await provider.stream(request, options, piece => {
      meter.onText(piece);
      const spoken = withoutThoughts(piece);
      if (spoken !== '') textListener.add(unmask(spoken));
    });
  } catch (error) {
    // Another model is asked in the rest of the time.
    if (silence.signal.aborted && !signal.aborted) throw new ModelError('nothing came in time');
    throw error;
  } finally {
    silence.end();
  }
}

/** Waits this long for the token counts, which come after the answer. */
const AFTER_FINISH_MS = 1_000;

/** A whole answer may take this many times the patience: one that trickles in would leave no time for the next model. */
const TIMES_FOR_WHOLE = 2;

/** Aborts its signal when no piece comes in time. */
function limitSilence(patienceMs: number | undefined) {
  const begunAt = performance.now();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (withinMs: number | undefined) => {
    clearTimeout(timer);
    if (withinMs !== undefined) timer = setTimeout(() => controller.abort(), Math.max(0, withinMs));
  };
  wait(patienceMs);
  return {
    signal: controller.signal,
    onPiece: () => wait(patienceMs),
    onPart: () => {
      if (patienceMs === undefined) return;
      const left = begunAt + TIMES_FOR_WHOLE * patienceMs - performance.now();
      wait(Math.min(patienceMs, left));
    },
    onFinish: () => wait(AFTER_FINISH_MS),
    end: () => wait(undefined),
  };
}
