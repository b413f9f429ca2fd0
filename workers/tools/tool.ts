import type { Stopwatch } from '../runtime/stopwatch.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON Schema of an object: the arguments of a function that the model may call. */
export type JsonSchemaObject = Readonly<Record<string, unknown>>;

/** A call to somebody outside of the service, as the answer's `restStatus` shows it. */
export interface OutsideCall {
  readonly name: string;
  /** As HTTP has them; 0 where no answer came. */
  readonly status: number;
  readonly durationMs: number;
  /** In our own words: what others say of an error may hold secrets. */
  readonly error?: string;
}

export interface ToolContext {
  /** Aborted when the call's time is up, and when nobody waits for the turn any more. */
  readonly signal: AbortSignal;
  /** What the call may take: the rest of the turn, less what the answer needs. */
  readonly remainingMs: number;
  /** The model's answer that asked for it, with its share of what that used. */
  readonly asked?: { readonly watch: Stopwatch; readonly tokens: number };
}

export interface ToolResult {
  /** What the model is told; capped and scrubbed by whoever tells it. */
  readonly text: string;
  readonly isError?: boolean;
  /** The calls that were made for it, the failed ones too. */
  readonly outsideCalls?: readonly OutsideCall[];
}

/** A function that the model may call in a turn. */
export interface Tool {
  /** `^[a-zA-Z0-9_-]{1,64}$`, and no other tool's of the turn. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaObject;
  readonly kind: 'agent' | 'step' | 'built-in' | 'mcp';
  /** All that it needs is known: the model is made to call it. */
  readonly isDue?: boolean;
  /** Rejects only when the signal is aborted: whatever else goes wrong is told to the model. */
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

export interface ToolRequest extends Omit<ToolContext, 'asked'> {
  readonly hostId: string;
  readonly avatarId: string;
  readonly conversationId: string;
  readonly userName: string;
}

/** Tools from outside of the service, and what asking for them came to. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly outsideCalls: readonly OutsideCall[];
}

/** Gives what can be had in a moment: a server that is slow or dead is left out, with a line of its own. */
export type ToolProvider = (request: ToolRequest) => Promise<OfferedTools>;
