import type { JsonObject } from '../../platform/json-object.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import {
  CLOSE_DESCRIPTION,
  CONVERSATION_CLOSES,
  HELP_DESCRIPTION,
  TEAM_CALLED,
  TICKET_DESCRIPTION,
  TICKET_EXISTS,
  TICKET_OPENED,
} from '../domain/prompts/built-in-tool-texts.ts';
import {
  CALL_FAILED,
  CALL_TIMED_OUT,
  formatError,
  formatInvalidArguments,
  NO_RESULT,
  UNKNOWN_TOOL,
} from '../domain/prompts/tool-texts.ts';
import { findArgumentErrors } from '../domain/schemas/schema-errors.ts';
import { toolArgumentsOf, truncateForModel } from '../domain/schemas/tool-arguments.ts';
import { toolNameOf } from '../domain/tool-name.ts';
import type { ToolCall } from '../model/provider.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { ExternalCall, JsonSchemaObject, Tool, ToolContext, ToolResult } from '../tools/tool.ts';
import type { Effects, HelpReason } from './turn.ts';
import { helpReasons } from './turn.ts';

/** The execution of one `ToolCall` of the model; the receipt lists them as `toolCalls`. */
export interface ToolRun {
  readonly name: string;
  readonly kind: Tool['kind'] | 'unknown';
  readonly round: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: 'done' | 'refused' | 'failed' | 'timed out';
}

export interface ToolCallResult {
  /** The text that the model gets. */
  readonly text: string;
  readonly run: Omit<ToolRun, 'round'>;
  readonly externalCalls: readonly ExternalCall[];
}

export type Toolbox = ReadonlyMap<string, Tool>;

type ToolOutcome = ToolResult & { readonly status: ToolRun['status'] };

const MAX_RESULT_LENGTH = 20_000;

export interface CallListener {
  /** Awaited before an agent or a tool of an MCP server runs. If it rejects, the tool does not run and the turn ends. */
  beforeActing(): Promise<void>;
  onBug(error: unknown, tool: string): void;
}

/** A failed call becomes an error text for the model; rejects only when the turn itself is aborted, or may not act. */
export async function callTool(
  toolbox: Toolbox,
  call: ToolCall,
  context: ToolContext,
  listener: CallListener,
): Promise<ToolCallResult> {
  const stopwatch = startStopwatch();
  const tool = toolbox.get(call.name);
  const { text, status, externalCalls = [] } = await runTool(tool, call, context, listener);
  return {
    text: truncateForModel(text, MAX_RESULT_LENGTH) || NO_RESULT,
    run: {
      name: truncateForModel(call.name, 64),
      kind: tool?.kind ?? 'unknown',
      startedAt: stopwatch.startedAt.toISOString(),
      durationMs: stopwatch.elapsedMs(),
      status,
    },
    externalCalls,
  };
}

async function runTool(
  tool: Tool | undefined,
  call: ToolCall,
  context: ToolContext,
  listener: CallListener,
): Promise<ToolOutcome> {
  if (!tool) return refuseCall(UNKNOWN_TOOL);
  const parsed = toolArgumentsOf(call.arguments);
  if ('error' in parsed) return refuseCall(parsed.error);
  if (mayAct(tool)) await listener.beforeActing();
  const limit = AbortSignal.timeout(Math.max(Math.round(context.remainingMs), 1));
  const signal = AbortSignal.any([context.signal, limit]);
  try {
    // A tool that ignores its signal must not block the turn.
    const result = await Promise.race([tool.run(parsed.args, { ...context, signal }), whenAborted(signal)]);
    return { ...result, status: result.isError ? 'failed' : 'done' };
  } catch (error) {
    context.signal.throwIfAborted();
    if (limit.aborted) return { text: formatError(CALL_TIMED_OUT), status: 'timed out' };
    listener.onBug(error, tool.name);
    return { text: formatError(CALL_FAILED), status: 'failed' };
  }
}

/** The other tools only note what the answer will do when it is committed. */
function mayAct({ kind }: Tool): boolean {
  return kind === 'agent' || kind === 'mcp';
}

function refuseCall(error: string): ToolOutcome {
  return { text: formatError(error), status: 'refused' };
}

/** Gives each tool a unique name; of two with the same name the first keeps it. */
export function toolboxOf(tools: readonly Tool[]): Toolbox {
  const toolbox = new Map<string, Tool>();
  for (const tool of tools) {
    const name = toolNameOf(tool.name, taken => toolbox.has(taken));
    toolbox.set(name, { ...tool, name });
  }
  return toolbox;
}

/** Functions that every turn offers, whatever its flow. */
export function makeBuiltInTools(effects: Effects): Tool[] {
  return [makeHelpTool(effects), makeTicketTool(effects), makeCloseTool(effects)];
}

function makeHelpTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'ask_human_help',
    description: HELP_DESCRIPTION,
    parameters: objectOf({ reason: { type: 'string', enum: [...helpReasons] } }),
    run({ reason }) {
      effects.handover ??= { by: 'model', reason: reason as HelpReason };
      return TEAM_CALLED;
    },
  });
}

function makeTicketTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'open_ticket',
    description: TICKET_DESCRIPTION,
    parameters: objectOf({
      subject: { type: 'string', minLength: 1, maxLength: 300 },
      description: { type: 'string', minLength: 1, maxLength: 10_000 },
    }),
    run({ subject, description }) {
      if (effects.ticket) return { text: formatError(TICKET_EXISTS), isError: true };
      effects.ticket = { subject: String(subject), description: String(description) };
      return TICKET_OPENED;
    },
  });
}

function makeCloseTool(effects: Effects): Tool {
  return makeBuiltInTool({
    name: 'close_conversation',
    description: CLOSE_DESCRIPTION,
    parameters: objectOf({}),
    run() {
      effects.closes = true;
      return CONVERSATION_CLOSES;
    },
  });
}

type BuiltInTool = Pick<Tool, 'name' | 'description' | 'parameters'> & {
  run(args: JsonObject): string | ToolResult;
};

function makeBuiltInTool({ run, ...tool }: BuiltInTool): Tool {
  return {
    ...tool,
    kind: 'built-in',
    async run(args) {
      const [error] = findArgumentErrors(tool.parameters, args);
      if (error) return { text: formatInvalidArguments(error.path, error.message), isError: true };
      const result = run(args);
      return typeof result === 'string' ? { text: result } : result;
    },
  };
}

/** A strict schema: every property is required and no other is allowed. */
function objectOf(properties: Readonly<Record<string, JsonSchemaObject>>): JsonSchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
