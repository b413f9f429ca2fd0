import type { McpConfig } from '../../db/assistants/mcp-configs.ts';
import type { RestTool } from '../../db/assistants/rest-tools.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Stopwatch } from '../../platform/stopwatch.ts';
import type { Masking } from '../domain/masking/masking.ts';

/** A JSON Schema of an object: the arguments of a tool. */
export type JsonSchemaObject = JsonObject;

export interface ExternalCall {
  readonly name: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly durationMs: number;
  /** A reason in our own words: the other side's error may contain secrets. */
  readonly error?: string;
}

export interface ToolContext {
  /** Aborted when the call times out and when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** The time limit of the call: the rest of the turn, less the reserve for the answer. */
  readonly remainingMs: number;
  /** The model's answer that requested the call: its stopwatch, and this call's share of its tokens. */
  readonly requestedBy?: { readonly stopwatch: Stopwatch; readonly tokens: number };
  /** Awaited right before a request leaves, which gets these headers. Where it rejects, nothing is sent. */
  beforeSending?(): Promise<Readonly<Record<string, string>>>;
}

export interface ToolResult {
  /** The text for the model; the tool loop cuts and cleans it. */
  readonly text: string;
  readonly isError?: boolean;
  /** Set for an error because an answer did not come in time. */
  readonly isTimedOut?: boolean;
  /** Set for an error before any request could be sent. */
  readonly isUnsent?: boolean;
  /** The external calls of the tool, including failed ones. */
  readonly externalCalls?: readonly ExternalCall[];
}

/** Tools that act outside of the turn: of MCP servers, and of systems that are called over HTTP. */
export const outsideKinds = ['mcp', 'rest'] as const;
export type OutsideKind = (typeof outsideKinds)[number];

/** What a person says yes to. */
export interface NeededYes {
  /** Equal for the same function, as it is saved. */
  readonly id: string;
  /** The name of its calls in receipts. */
  readonly name: string;
  /** Returns what the model is told where the function cannot be called like this. */
  errorOf(args: JsonObject): string | undefined;
}

/** A function of a REST tool that changes something in its system. */
export interface ChangingFunction {
  readonly toolId: string;
  readonly function: string;
}

export interface Tool {
  /** `^[a-zA-Z0-9_-]{1,64}$`, unique within the turn. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaObject;
  readonly kind: 'agent' | 'step' | 'built-in' | OutsideKind;
  /** Set when all its arguments are known: the model is forced to call it. */
  readonly isDue?: boolean;
  /** Set where a person has to say yes before it is called; in a rehearsal, on all that changes something. */
  readonly needsYes?: NeededYes | undefined;
  /** Set where its calls belong into the audit. */
  readonly changes?: ChangingFunction | undefined;
  /** Rejects only when the signal is aborted: any other failure becomes the result. */
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

export interface ToolRequest extends Pick<ToolContext, 'signal' | 'remainingMs'> {
  readonly hostId: string;
  readonly hostSlug: string;
  /** All configurations of the avatar, including disabled ones. */
  readonly mcpConfigs: readonly McpConfig[];
  /** The enabled ones of the avatar. */
  readonly restTools: readonly RestTool[];
  /** The number of tools for which the turn has room. */
  readonly maxTools: number;
  readonly conversationId: string;
  readonly userName: string;
  /** What changes something is not called. */
  readonly isRehearsal?: boolean;
  /** Masks the arguments that leave for servers with the conversation's tokens. */
  readonly masking: Masking;
}

/** Tools from outside of the turn, and the calls that failed to list some. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly externalCalls: readonly ExternalCall[];
  /** For the prompt: which calls wait for a yes. */
  readonly note?: string;
}

/** Returns the tools that are listed in time: a slow or dead server is left out, with an entry in `externalCalls`. */
export type ToolProvider = (request: ToolRequest) => Promise<OfferedTools>;
