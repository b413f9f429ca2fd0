import { toolArgumentsOf, truncateForModel } from '../domain/tool-arguments.ts';
import type { ToolCall } from '../model/model-message.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { whenAborted } from '../runtime/when-aborted.ts';
import type { OutsideCall, Tool, ToolContext, ToolResult } from '../tools/tool.ts';

/** A call as the receipt has it. */
export interface ToolRun {
  readonly name: string;
  readonly kind: Tool['kind'] | 'unknown';
  readonly round: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: 'done' | 'refused' | 'failed' | 'timed out';
}

export interface CalledTool {
  readonly told: string;
  readonly run: Omit<ToolRun, 'round'>;
  readonly outsideCalls: readonly OutsideCall[];
}

export type Toolbox = ReadonlyMap<string, Tool>;

type Ended = ToolResult & { readonly status: ToolRun['status'] };

const MOST_TOLD = 20_000;

/** Whatever goes wrong with it is told to the model; rejects only when the turn itself is over. */
export async function callTool(
  toolbox: Toolbox,
  call: ToolCall,
  context: ToolContext,
  onBug: (error: unknown, tool: string) => void,
): Promise<CalledTool> {
  const watch = startStopwatch();
  const tool = toolbox.get(call.name);
  const { text, status, outsideCalls = [] } = await ended(tool, call, context, onBug);
  return {
    told: truncateForModel(text, MOST_TOLD) || '(sem resultado)',
    run: {
      name: truncateForModel(call.name, 64),
      kind: tool?.kind ?? 'unknown',
      startedAt: watch.startedAt.toISOString(),
      durationMs: watch.elapsedMs(),
      status,
    },
    outsideCalls,
  };
}

async function ended(
  tool: Tool | undefined,
  call: ToolCall,
  context: ToolContext,
  onBug: (error: unknown, tool: string) => void,
): Promise<Ended> {
  if (!tool) return refused('não existe uma função com esse nome');
  const parsed = toolArgumentsOf(call.arguments);
  if ('problem' in parsed) return refused(parsed.problem);
  const limit = AbortSignal.timeout(Math.max(Math.round(context.remainingMs), 1));
  const signal = AbortSignal.any([context.signal, limit]);
  try {
    // A tool that does not heed its signal may not hold the turn.
    const result = await Promise.race([tool.run(parsed.args, { ...context, signal }), whenAborted(signal)]);
    return { ...result, status: result.isError ? 'failed' : 'done' };
  } catch (error) {
    context.signal.throwIfAborted();
    if (limit.aborted) return { text: 'Erro: a função não respondeu a tempo.', status: 'timed out' };
    onBug(error, tool.name);
    return { text: 'Erro: a função falhou.', status: 'failed' };
  }
}

function refused(problem: string): Ended {
  return { text: `Erro: ${problem}.`, status: 'refused' };
}
