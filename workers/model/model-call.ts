import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { SpendLedger } from './call-account.ts';
import { readAnswer, readTokens, UnusableAnswerError } from './completion.ts';
import { maskDescriptions, maskMessages, toAnswerMasking, unmaskAnswer } from './mask-request.ts';
import { type ModelMessage, type ToolCall, wireMessageOf } from './model-message.ts';
import {
  MAX_ANSWER_TOKENS,
  type ModelTarget,
  type RequestOptions,
  requestOnAccount,
  SilentModelError,
} from './request-completion.ts';
import { findSpendFailure, type Spender, SpendRefusedError } from './spender.ts';

/** One call to a model, for the receipt and for `restStatus`. */
export interface ModelCall {
  readonly name: string;
  readonly status: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokens: number;
  readonly error?: string;
}

const ABORTED = 'aborted';
const OVER_BUDGET = 'over the budget';
const NO_PRICE = 'no price';
/** Not the provider's fault. */
const OWN_ERRORS: readonly (string | undefined)[] = [ABORTED, OVER_BUDGET, NO_PRICE];

/**
 * Whether the provider failed, gave no usable answer, or refused the key or the rate of calls. Other refusals concern the
 * question or the name of the model.
 */
export function isProviderFailure({ status, error }: ModelCall): boolean {
  return (status === 0 && !OWN_ERRORS.includes(error)) || status === 401 || status === 429 || status >= 500;
}

/** Why these calls gave no answer. What failed at the provider may work again before the budget allows more. */
export function noAnswerFailureOf(
  spender: Spender,
  calls: readonly ModelCall[],
  details: { turnId?: string } = {},
): Failure {
  const refused = calls.some(isProviderFailure) ? undefined : findSpendFailure(spender, details);
  return refused ?? failure('model-unavailable', details);
}

export interface ModelAnswer {
  /** Empty only with tool calls, or where `mayBeEmpty` is set. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly tokens: number;
  readonly model: string;
}

export interface CompletionOptions extends RequestOptions {
  /** How long an answer is still useful: a `Retry-After` of the provider is respected where it fits. */
  readonly remainingMs?: () => number;
  readonly calls: ModelCall[];
  /** Models of the host that are asked when the model fails; empty: those of the installation. */
  readonly fallbacks?: readonly string[];
  /** The text must be JSON of this schema, which must be strict: everything required, nothing else allowed. */
  readonly answerSchema?: AnswerSchema;
  /** The tools that the model may call; providers name them functions. */
  readonly tools?: readonly OfferedTool[];
  /** False: the tools are sent, but the model must answer in words. */
  readonly mayCall?: boolean;
  /** The name of the tool that the model must call now. */
  readonly mustCall?: string;
  /** Whether an empty text is a usable answer. */
  readonly mayBeEmpty?: boolean;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface AnswerSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface CallParts {
  readonly ledger: SpendLedger;
  readonly onCall: (call: ModelCall) => void;
}

/** Calls a model once and records the call. Rejects with what the ledger, the client or the check of the answer throws. */
export async function callModel(
  target: ModelTarget,
  messages: readonly ModelMessage[],
  options: CompletionOptions,
  { ledger, onCall }: CallParts,
): Promise<ModelAnswer> {
  const { model } = target;
  const { masking, calls, mayCall = true, mayBeEmpty = false } = options;
  options.textListener?.begin();
  const stopwatch = startStopwatch();
  const recordCall = (status: number, tokens: number, error?: string) => {
    const call = {
      name: model,
      status,
      tokens,
      startedAt: stopwatch.startedAt.toISOString(),
      durationMs: stopwatch.elapsedMs(),
      ...(error ? { error } : {}),
    };
    calls.push(call);
    if (error !== OVER_BUDGET && error !== NO_PRICE) onCall(call);
  };
  try {
    const sent = await runInSlices(maskMessages(messages, masking));
    const described = await runInSlices(maskDescriptions(options, masking));
    const request = {
      model,
      messages: sent.map(wireMessageOf),
      ...formatOf(described),
      ...toolsOf(described),
      // Otherwise nobody knows what the call can cost.
      ...(options.spender.hasBudget ? { max_completion_tokens: MAX_ANSWER_TOKENS } : {}),
    };
    const answered = { ...options, masking: toAnswerMasking(masking, sent) };
    const completion = await requestOnAccount(target, request, answered, ledger);
    const content = readAnswer(completion, { mayCall: mayCall && hasTools(options), mayBeEmpty });
    const tokens = readTokens(completion);
    recordCall(200, tokens);
    return { ...unmaskAnswer(content, answered), tokens, model: completion.model || model };
  } catch (error) {
    recordCall(error instanceof APIError ? (error.status ?? 0) : 0, 0, errorTextOf(error));
    throw error;
  }
}

function formatOf({ answerSchema }: CompletionOptions) {
  if (!answerSchema) return {};
  const { name, schema } = answerSchema;
  const json_schema = { name, strict: true, schema: { ...schema } };
  return { response_format: { type: 'json_schema' as const, json_schema } };
}

function hasTools({ tools = [] }: CompletionOptions): boolean {
  return tools.length > 0;
}

function toolsOf(options: CompletionOptions) {
  if (!hasTools(options)) return {};
  const { mayCall = true, mustCall } = options;
  const tools = (options.tools ?? []).map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name, description, parameters: { ...parameters } },
  }));
  if (!mayCall) return { tools, tool_choice: 'none' as const };
  if (mustCall === undefined) return { tools };
  return { tools, tool_choice: { type: 'function' as const, function: { name: mustCall } } };
}

/** Our own words: a provider's error may quote the prompt. */
function errorTextOf(error: unknown): string {
  if (error instanceof APIUserAbortError) return ABORTED;
  if (error instanceof SpendRefusedError) return error.refusal.kind === 'no-price' ? NO_PRICE : OVER_BUDGET;
  if (error instanceof SilentModelError) return 'nothing came in time';
  if (error instanceof UnusableAnswerError) return `unusable answer: ${error.reason}`;
  if (error instanceof APIConnectionError) return 'no connection';
  if (error instanceof APIError && error.status) return `refused with ${error.status}`;
  return 'unreadable answer';
}
