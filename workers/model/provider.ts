import type { PromptMessage } from '../domain/prompts/prompt.ts';
import type { Vector } from '../domain/retrieval/vector-space.ts';
import type { TokenUsage } from './prices.ts';

/**
 * What the service needs of a provider of models, in our own words. Each protocol is one file that implements it, such as
 * `openai.ts`. All calls are made once, end with their signal, and reject with `ModelError`, but for bugs.
 */
export interface Provider {
  readonly name: string;
  /** The models of its settings: it has them, whether it lists them or not. */
  readonly models: readonly string[];
  /** The host pays for its calls with its own key: they count for no budget, and say nothing of the other providers. */
  readonly isOfHost?: true;
  /** Requests an answer as a whole. */
  complete(request: CompletionRequest, options: CallOptions): Promise<Completion>;
  /** Requests an answer in pieces. A provider that sends it as a whole is as good. */
  stream(
    request: CompletionRequest,
    options: CallOptions,
    onText: (piece: string) => void,
  ): Promise<Completion>;
  embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<Embedding>;
  /** Requests the words of a recording. */
  transcribe(model: string, recording: Recording, signal: AbortSignal): Promise<Transcript>;
  /** The names of its models, unchecked. */
  listModels(signal: AbortSignal): Promise<unknown[]>;
}

export interface CompletionRequest extends AnswerForm {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The longest answer; undefined: what the provider allows. */
  readonly maxTokens: number | undefined;
}

/** The form in which the model may answer. */
export interface AnswerForm {
  /** The text must be JSON of this schema, which must be strict: everything required, nothing else allowed. */
  readonly answerSchema?: AnswerSchema | undefined;
  /** The tools that the model may call; providers name them functions. */
  readonly tools?: readonly OfferedTool[] | undefined;
  /** False: the tools are sent, but the model must answer in words. */
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

/** An answer of the model that requests function calls. */
interface CallingMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

/** The result of one call. */
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
  /** Sent along, so that the provider's bill and log distinguish the kinds of calls. */
  readonly purpose: 'turn' | 'insight' | 'agent';
  readonly signal: AbortSignal;
  readonly progress: AnswerProgress;
}

export interface AnswerProgress {
  /** A part of the answer has come: of its text, its thoughts or its calls. */
  onPiece(): void;
  /** A part of an answer that is sent as a whole has come: nobody can use it before the others. */
  onPart(): void;
  /** The answer is complete, although the stream has not ended. */
  onFinish(): void;
  /**
   * What the call has taken as the provider reports it, unchecked; undefined where it does not. The last report counts: some
   * tell it with each piece.
   */
  onUsage(usage: TokenUsage | undefined): void;
}

export interface Completion {
  /** The provider's name for it; empty where there is none. */
  readonly model: string;
  /** Undefined without a message; not checked otherwise. */
  readonly text: string | undefined;
  /** Also where none was allowed; each has an id of its own. */
  readonly toolCalls: readonly ToolCall[];
  /** Why the answer ends, in the words of the provider; undefined where it does not tell. */
  readonly finishReason: string | undefined;
}

export interface Embedding {
  /** One vector for each text, in their order; undefined where the answer is unusable. */
  readonly vectors: Vector[] | undefined;
  /** As the provider reports it, unchecked; undefined where it does not. */
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
  /** For which the provider bills, unchecked; undefined where it does not tell. */
  readonly seconds: number | undefined;
}

/** An unusable answer is one of which nothing can be sent to a person. */
type ModelErrorReason =
  | 'aborted'
  | 'no connection'
  | 'nothing came in time'
  | 'refused'
  | 'unreadable answer'
  | `unusable answer: ${'empty' | 'no text' | 'too long' | 'too large' | 'cut short'}`;

/** Why a provider gave no answer. Its message is in our words: an error of the provider may quote the prompt. */
export class ModelError extends Error {
  readonly reason: ModelErrorReason;
  /** 0 where the provider sent none. */
  readonly status: number;
  /** They are those of the response: the provider may say in them when to ask again. */
  readonly headers: Headers | undefined;
  /** The request was refused or not sent. A call that was aborted or broke off may be billed. */
  readonly isUnbilled: boolean;

  constructor(reason: ModelErrorReason, isUnbilled = false, status = 0, headers?: Headers) {
    super(status === 0 ? reason : `${reason} with ${status}`);
    this.reason = reason;
    this.status = status;
    this.headers = headers;
    this.isUnbilled = isUnbilled;
  }
}
