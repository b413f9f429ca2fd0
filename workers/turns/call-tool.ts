import { whenAborted } from '../../platform/when-aborted.ts';
import {
  CALL_FAILED,
  CALL_TIMED_OUT,
  formatError,
  NO_RESULT,
  UNKNOWN_TOOL,
} from '../domain/prompts/tool-texts.ts';
import { toolArgumentsOf, truncateForModel } from '../domain/schemas/tool-arguments.ts';
import { toolNameOf } from '../domain/tool-name.ts';
import type { ToolCall } from '../model/provider.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { ExternalCall, Tool, ToolContext, ToolResult } from '../tools/tool.ts';

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
