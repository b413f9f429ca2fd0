import type { PromptMessage } from '../domain/prompts/prompt.ts';
import type { Vector } from '../domain/retrieval/vector-space.ts';
import type { TokenUsage } from './prices.ts';

/**
 * A provider of models, as the service needs it. Each protocol is one file that implements it, such as `openai.ts`. All calls
 * are made once, end with their signal, and reject with `ModelError` except for bugs.
 */
export interface Provider {
  readonly name: string;
  /** The models of its settings, whether it lists them or not. */
  readonly models: readonly string[];
  /** The host pays for the calls with its own key: they count for no budget, and say nothing of the other providers. */
  readonly isOfHost?: true;
  complete(request: CompletionRequest, options: CallOptions): Promise<Completion>;
  /** Requests an answer in pieces. A provider may still send it as a whole. */
  stream(
    request: CompletionRequest,
    options: CallOptions,
    onText: (piece: string) => void,
  ): Promise<Completion>;
  embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<Embedding>;
  transcribe(model: string, recording: Recording, signal: AbortSignal): Promise<Transcript>;
  /** Returns the names of its models, unchecked. */
  listModels(signal: AbortSignal): Promise<unknown[]>;
}

export interface CompletionRequest extends AnswerForm {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** Limits the answer; undefined: as long as the provider allows. */
  readonly maxTokens: number | undefined;
}

export interface AnswerForm {
  /** The text must be JSON of this schema, which must be strict: everything required, nothing else allowed. */
  readonly answerSchema?: AnswerSchema | undefined;
  /** Tools that the model may call; providers name them functions. */
  readonly tools?: readonly OfferedTool[] | undefined;
  /** If false, the tools are sent but the model must answer in words. */
  readonly mayCall?: boolean | undefined;
  /** The name of the tool that the model must call now. */
  readonly mustCall?: string | undefined;
}

export interface AnswerSchema {
  readonly name: string;
  readonly schema: Schema;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
}

export type Schema = Readonly<Record<string, unknown>>;

export type ModelMessage = PromptMessage | CallingMessage | ToolMessage;

interface CallingMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly content: string;
}

/** A function call that the model requests, with the arguments as it wrote them: they may be invalid JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface CallOptions {
  /** Sent so that the provider's bill and log distinguish the kinds of calls. */
  readonly purpose: 'turn' | 'rewrite' | 'insight' | 'agent' | 'enrich' | 'scan';
  readonly signal: AbortSignal;
  readonly progress: AnswerProgress;
}

export interface AnswerProgress {
  /** Called for each part of the answer: of its text, its thoughts or its calls. */
  onPiece(): void;
  /** Called for each part of an answer that is sent as a whole, whose parts are of no use alone. */
  onPart(): void;
  /** Called when the answer is complete, although the stream has not ended. */
  onFinish(): void;
  /**
   * Reports the call's usage, unchecked; undefined where the provider reports none. The last report counts: some send one with
   * each piece.
   */
  onUsage(usage: TokenUsage | undefined): void;
}

export interface Completion {
  /** The provider's own name for the model; empty where there is none. */
  readonly model: string;
  /** Undefined without a message; not checked otherwise. */
  readonly text: string | undefined;
  /** May be set even if no call was allowed. Each has an id of its own. */
  readonly toolCalls: readonly ToolCall[];
  /** The provider's reason for the end; undefined where it gives none. */
  readonly finishReason: string | undefined;
}

export interface Embedding {
  /** One vector for each text, in order; undefined where the answer is unusable. */
  readonly vectors: Vector[] | undefined;
  /** The provider's report, unchecked; undefined where it gives none. */
  readonly usage: TokenUsage | undefined;
}

export interface Recording {
  readonly bytes: Uint8Array;
  /** Read from the bytes, whatever the sender says. */
  readonly mediaType: string;
  /** Providers read the kind from the ending of a name. */
  readonly ending: string;
  readonly seconds: number;
}

export interface Transcript {
  /** Undefined where the answer has none; not checked otherwise. */
  readonly text: string | undefined;
  /** The billed seconds, unchecked; undefined where the provider gives none. */
  readonly seconds: number | undefined;
}

/** An answer is unusable if nothing of it can be sent to a person. */
type ModelErrorReason =
  | 'aborted'
  | 'no connection'
  | 'nothing came in time'
  | 'refused'
  | 'unreadable answer'
  | `unusable answer: ${'empty' | 'no text' | 'too long' | 'too large' | 'cut short'}`;

/** Says in our words why a provider gave no answer: its own error may quote the prompt. */
export class ModelError extends Error {
  readonly reason: ModelErrorReason;
  /** 0 where the provider sent none. */
  readonly status: number;
  /** Headers of the response, which may say when to ask again. */
  readonly headers: Headers | undefined;
  /**
   * The request was refused, or its connection broke before anything came. A call that was aborted or broke off later may be
   * billed.
   */
  readonly isUnbilled: boolean;

  constructor(reason: ModelErrorReason, isUnbilled = false, status = 0, headers?: Headers) {
    super(status === 0 ? reason : `${reason} with ${status}`);
    this.reason = reason;
    this.status = status;
    this.headers = headers;
    this.isUnbilled = isUnbilled;
  }
}
