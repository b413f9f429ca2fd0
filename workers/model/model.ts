import { SpanKind } from '@opentelemetry/api';
import type OpenAI from 'openai';
import { APIConnectionError, APIError } from 'openai';
import { runInSpan } from '../../platform/span.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { aborted, makeClients } from './client.ts';
import { saidIn, tokensIn, UnusableAnswer } from './completion.ts';
import type { ModelDirectory } from './model-directory.ts';
import { type ModelMessage, type ToolCall, wireMessageOf } from './model-message.ts';
import { makePersistence } from './persistence.ts';

/** One call to a model, for the receipt and for `restStatus`. */
export interface ModelCall {
  readonly name: string;
  readonly status: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly tokens: number;
  readonly error?: string;
}

export interface ModelAnswer {
  /** Empty only where functions are to be called, or where it may be. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly tokens: number;
  readonly model: string;
}

export interface ModelParts {
  readonly directory: Pick<ModelDirectory, 'providerOf'>;
  readonly defaultModel: string | undefined;
  /** Told of every call, once whoever asked has the answer. */
  readonly onCall?: (call: ModelCall) => void;
}

export interface Model {
  /**
   * Asks until a usable answer comes, within the signal. Every call made is pushed to `calls`, the failed ones
   * too. Undefined when no usable answer can be had; rejects only when the signal is aborted.
   */
  complete(
    model: string | undefined,
    messages: readonly ModelMessage[],
    options: CompletionOptions,
  ): Promise<ModelAnswer | undefined>;
}

export interface CompletionOptions {
  /** Sent along as a header, so that the provider's bill and log tell one kind of call from another. */
  readonly purpose: 'turn' | 'insight' | 'agent';
  readonly signal: AbortSignal;
  /** How long an answer is still of use: a provider that asks for a pause is given it where it fits. */
  readonly remainingMs?: () => number;
  readonly calls: ModelCall[];
  /** The answer's text is to be JSON of this schema, which must be strict: everything required, nothing else allowed. */
  readonly answerSchema?: AnswerSchema;
  /** What the model may call. */
  readonly functions?: readonly OfferedFunction[];
  /** False: it knows the functions, but is to answer in words. */
  readonly mayCall?: boolean;
  /** The name of one of them that the model is to call now. */
  readonly mustCall?: string;
  /** Whether an answer without a word will do. */
  readonly mayBeEmpty?: boolean;
}

export interface OfferedFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface AnswerSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What is left to whoever does not say. */
const UNSAID_REMAINING_MS = 10_000;

export function makeModel({ directory, defaultModel, onCall = () => {} }: ModelParts): Model {
  const clientFor = makeClients();

  async function asked(model: string, messages: readonly ModelMessage[], options: CompletionOptions) {
    const provider = await directory.providerOf(model);
    if (!provider) return undefined;
    const persistence = makePersistence(options.remainingMs ?? (() => UNSAID_REMAINING_MS));
    return persistence.execute(() => once(clientFor(provider), model, messages, options), options.signal);
  }

  return {
    async complete(wanted, messages, options) {
      // One of its own: the client leaves a listener with each call, and a turn has many.
      const signal = AbortSignal.any([options.signal]);
      const model = wanted ?? defaultModel;
      if (!model) return undefined;
      const earlier = options.calls.length;
      try {
        // The pause before another try does not end with the signal: nobody may wait for it.
        return await Promise.race([asked(model, messages, { ...options, signal }), aborted(signal)]);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Error) return undefined;
        throw error;
      } finally {
        options.calls.slice(earlier).forEach(onCall);
      }
    },
  };
}

async function once(
  client: OpenAI,
  model: string,
  messages: readonly ModelMessage[],
  options: CompletionOptions,
) {
  const { purpose, signal, calls, mayCall = true, mayBeEmpty = false } = options;
  const watch = startStopwatch();
  const note = (status: number, tokens: number, error?: string) =>
    calls.push({
      name: model,
      status,
      tokens,
      startedAt: watch.startedAt.toISOString(),
      durationMs: watch.elapsedMs(),
      ...(error ? { error } : {}),
    });
  try {
    const wanted = {
      model,
      messages: messages.map(wireMessageOf),
      ...formatOf(options),
      ...toolsOf(options),
    };
    const completion = await runInSpan(
      'model',
      { kind: SpanKind.CLIENT, attributes: { model, purpose } },
      () => client.chat.completions.create(wanted, { signal, headers: { 'X-Parley-Purpose': purpose } }),
    );
    const said = saidIn(completion, { mayCall: mayCall && hasFunctions(options), mayBeEmpty });
    const tokens = tokensIn(completion);
    note(200, tokens);
    return { ...said, tokens, model: completion.model || model };
  } catch (error) {
    note(error instanceof APIError ? (error.status ?? 0) : 0, 0, kindOf(error));
    throw error;
  }
}

function formatOf({ answerSchema }: CompletionOptions) {
  if (!answerSchema) return {};
  const { name, schema } = answerSchema;
  const json_schema = { name, strict: true, schema: { ...schema } };
  return { response_format: { type: 'json_schema' as const, json_schema } };
}

function hasFunctions({ functions = [] }: CompletionOptions): boolean {
  return functions.length > 0;
}

function toolsOf(options: CompletionOptions) {
  if (!hasFunctions(options)) return {};
  const { functions = [], mayCall = true, mustCall } = options;
  const tools = functions.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: { name, description, parameters: { ...parameters } },
  }));
  if (!mayCall) return { tools, tool_choice: 'none' as const };
  if (mustCall === undefined) return { tools };
  return { tools, tool_choice: { type: 'function' as const, function: { name: mustCall } } };
}

/** Our own words: a provider's error may quote the prompt. */
function kindOf(error: unknown): string {
  if (error instanceof UnusableAnswer) return `unusable answer: ${error.reason}`;
  if (error instanceof APIConnectionError) return 'no connection';
  if (error instanceof APIError && error.status) return `refused with ${error.status}`;
  return 'unreadable answer';
}
