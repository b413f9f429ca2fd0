import { SpanKind } from '@opentelemetry/api';
import type OpenAI from 'openai';
import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { runInSpan } from '../../platform/span.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { makeClients } from './client.ts';
import { readAnswer, readTokens, UnusableAnswerError } from './completion.ts';
import type { ModelDirectory } from './model-directory.ts';
import { type ModelMessage, type ToolCall, wireMessageOf } from './model-message.ts';
import { makeRetryPolicy } from './retry-policy.ts';

/** One call to a model, for the receipt and for `restStatus`. */
export interface ModelCall {
  readonly name: string;
  readonly status: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokens: number;
  readonly error?: string;
}

const GIVEN_UP = 'given up';

/** Whether the model is unavailable. Other refusals concern the question or the name of the model. */
export function isModelUnavailable({ status, error }: ModelCall): boolean {
  return (status === 0 && error !== GIVEN_UP) || status === 401 || status === 429 || status >= 500;
}

export interface ModelAnswer {
  /** Empty only with tool calls, or where `mayBeEmpty` is set. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly tokens: number;
  readonly model: string;
}

export interface ModelParts {
  readonly directory: Pick<ModelDirectory, 'providerOf'>;
  readonly defaultModel: string | undefined;
  /** Called for every call when it ends, also when it is aborted. */
  readonly onCall?: (call: ModelCall) => void;
}

export interface Model {
  /**
   * Asks, with retries, until a usable answer comes or the signal is aborted. Every call is pushed to `calls`, the
   * failed ones too. Resolves with undefined without a usable answer; rejects only when the signal is aborted.
   */
  complete(
    model: string | undefined,
    messages: readonly ModelMessage[],
    options: CompletionOptions,
  ): Promise<ModelAnswer | undefined>;
}

export interface CompletionOptions {
  /** Sent as a header, so that the provider's bill and log distinguish the kinds of calls. */
  readonly purpose: 'turn' | 'insight' | 'agent';
  readonly signal: AbortSignal;
  /** How long an answer is still useful: a `Retry-After` of the provider is respected where it fits. */
  readonly remainingMs?: () => number;
  readonly calls: ModelCall[];
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

/** The remaining time where the caller does not pass one. */
const DEFAULT_REMAINING_MS = 10_000;

export function makeModel({ directory, defaultModel, onCall = () => {} }: ModelParts): Model {
  const clientFor = makeClients();

  async function askProvider(model: string, messages: readonly ModelMessage[], options: CompletionOptions) {
    const provider = await directory.providerOf(model);
    if (!provider) return undefined;
    const retries = makeRetryPolicy(options.remainingMs ?? (() => DEFAULT_REMAINING_MS));
    return retries.execute(
      () => completeOnce(clientFor(provider), model, messages, options, onCall),
      options.signal,
    );
  }

  return {
    async complete(requested, messages, options) {
      // A signal of its own: the client leaves an abort listener behind with each call, and a turn has many.
      const signal = AbortSignal.any([options.signal]);
      const model = requested ?? defaultModel;
      if (!model) return undefined;
      try {
        // The pause before a retry ignores the signal, so it is raced against it.
        return await Promise.race([
          askProvider(model, messages, { ...options, signal }),
          whenAborted(signal),
        ]);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Error) return undefined;
        throw error;
      }
    },
  };
}

async function completeOnce(
  client: OpenAI,
  model: string,
  messages: readonly ModelMessage[],
  options: CompletionOptions,
  onCall: (call: ModelCall) => void,
) {
  const { purpose, signal, calls, mayCall = true, mayBeEmpty = false } = options;
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
    onCall(call);
  };
  try {
    const request = {
      model,
      messages: messages.map(wireMessageOf),
      ...formatOf(options),
      ...toolsOf(options),
    };
    const completion = await runInSpan(
      'model',
      { kind: SpanKind.CLIENT, attributes: { model, purpose } },
      () => client.chat.completions.create(request, { signal, headers: { 'X-Parley-Purpose': purpose } }),
    );
    const content = readAnswer(completion, { mayCall: mayCall && hasTools(options), mayBeEmpty });
    const tokens = readTokens(completion);
    recordCall(200, tokens);
    return { ...content, tokens, model: completion.model || model };
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
  if (error instanceof APIUserAbortError) return GIVEN_UP;
  if (error instanceof UnusableAnswerError) return `unusable answer: ${error.reason}`;
  if (error instanceof APIConnectionError) return 'no connection';
  if (error instanceof APIError && error.status) return `refused with ${error.status}`;
  return 'unreadable answer';
}
