import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import type OpenAI from 'openai';
import { APIConnectionError, APIError } from 'openai';
import type { PromptMessage } from '../domain/prompt.ts';
import { aborted, makeClients, TooLarge } from './client.ts';
import type { ModelDirectory } from './model-directory.ts';

/** One call to a model, for the receipt and for `restStatus`. */
export interface ModelCall {
  readonly name: string;
  readonly status: number;
  readonly durationMs: number;
  readonly tokens: number;
  readonly error?: string;
}

export interface ModelAnswer {
  readonly text: string;
  readonly model: string;
}

export interface ModelParts {
  readonly directory: Pick<ModelDirectory, 'providerOf'>;
  readonly defaultModel: string | undefined;
}

export interface Model {
  /**
   * Asks until a usable answer comes, within the signal. Every call made is pushed to `calls`, the failed ones
   * too. Undefined when no usable answer can be had; rejects only when the signal is aborted.
   */
  complete(
    model: string | undefined,
    messages: readonly PromptMessage[],
    options: CompletionOptions,
  ): Promise<ModelAnswer | undefined>;
}

export interface CompletionOptions {
  /** Sent along as a header, so that the provider's bill and log tell one kind of call from another. */
  readonly purpose: 'turn' | 'insight' | 'agent';
  readonly signal: AbortSignal;
  readonly calls: ModelCall[];
  /** The answer's text is to be JSON of this schema, which must be strict: everything required, nothing else allowed. */
  readonly answerSchema?: AnswerSchema;
}

export interface AnswerSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const TRIES = 4;
const LONGEST_ANSWER = 100_000;

/** The provider answered, but not with anything that can be sent to a person. */
class UnusableAnswer extends Error {
  readonly reason: 'empty' | 'too long';

  constructor(reason: UnusableAnswer['reason']) {
    super(`the answer is ${reason}`);
    this.reason = reason;
  }
}

const isPassing = (error: Error): boolean =>
  error instanceof APIConnectionError ||
  (error instanceof APIError && (error.status === 429 || (error.status ?? 0) >= 500)) ||
  error instanceof SyntaxError ||
  (error instanceof UnusableAnswer && error.reason === 'empty');

export function makeModel({ directory, defaultModel }: ModelParts): Model {
  const clientFor = makeClients();
  const persistent = retry(handleWhen(isPassing), {
    maxAttempts: TRIES - 1,
    backoff: new ExponentialBackoff({ initialDelay: 200, maxDelay: 3_000 }),
  });

  async function once(
    client: OpenAI,
    model: string,
    messages: readonly PromptMessage[],
    { purpose, signal, calls, answerSchema }: CompletionOptions,
  ) {
    const startedAt = performance.now();
    const note = (status: number, tokens: number, error?: string) =>
      calls.push({ name: model, status, tokens, durationMs: since(startedAt), ...(error ? { error } : {}) });
    try {
      const completion = await client.chat.completions.create(
        { model, messages: [...messages], ...(answerSchema ? formatOf(answerSchema) : {}) },
        { signal, headers: { 'X-Parley-Purpose': purpose } },
      );
      const answer = { text: textOf(completion), model: completion.model || model };
      note(200, countOf(completion.usage?.total_tokens));
      return answer;
    } catch (error) {
      note(error instanceof APIError ? (error.status ?? 0) : 0, 0, kindOf(error));
      throw error;
    }
  }

  async function asked(model: string, messages: readonly PromptMessage[], options: CompletionOptions) {
    const provider = await directory.providerOf(model);
    if (!provider) return undefined;
    return persistent.execute(() => once(clientFor(provider), model, messages, options), options.signal);
  }

  return {
    async complete(wanted, messages, options) {
      const { signal } = options;
      const model = wanted ?? defaultModel;
      if (!model) return undefined;
      try {
        // The pause before another try does not end with the signal: nobody may wait for it.
        return await Promise.race([asked(model, messages, options), aborted(signal)]);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Error) return undefined;
        throw error;
      }
    },
  };
}

function formatOf({ name, schema }: AnswerSchema) {
  const json_schema = { name, strict: true, schema: { ...schema } };
  return { response_format: { type: 'json_schema' as const, json_schema } };
}

/** What arrives is whatever the provider sends: `200 {}` resolves too. */
function textOf(completion: unknown): string {
  const text = (completion as OpenAI.ChatCompletion | null)?.choices?.[0]?.message?.content;
  if (typeof text !== 'string' || text.trim() === '') throw new UnusableAnswer('empty');
  if (text.length > LONGEST_ANSWER) throw new UnusableAnswer('too long');
  return text.replaceAll('\0', '').toWellFormed();
}

/** It is added up and shown to people: what is no count counts nothing. */
function countOf(tokens: unknown): number {
  return Number.isSafeInteger(tokens) ? Math.max(tokens as number, 0) : 0;
}

/** Our own words: a provider's error may quote the prompt. */
function kindOf(error: unknown): string {
  if (error instanceof UnusableAnswer) return `unusable answer: ${error.reason}`;
  if (error instanceof TooLarge) return 'unusable answer: too large';
  if (error instanceof APIConnectionError) return 'no connection';
  if (error instanceof APIError && error.status) return `refused with ${error.status}`;
  return 'unreadable answer';
}

const since = (startedAt: number): number => Math.round(performance.now() - startedAt);
