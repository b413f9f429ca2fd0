import type { JsonObject } from '../../platform/json-object.ts';
import { linkSignals, whenAborted } from '../../platform/link-signals.ts';
import { maskValue } from '../domain/masking/mask-value.ts';
import { NO_MASKING } from '../domain/masking/masking.ts';
import { makeToolDescription, makeToolName } from '../domain/prompts/offered-tool.ts';
import { formatServerFailure } from '../domain/prompts/tool-texts.ts';
import type { OfferedSchema } from '../domain/schemas/offered-schema.ts';
import type { CallError } from './call-error.ts';
import type {
  ExternalCall,
  NeededYes,
  OfferedTools,
  OutsideKind,
  Tool,
  ToolContext,
  ToolProvider,
  ToolRequest,
  ToolResult,
} from './tool.ts';

/*
 * The one road of all tools outside of the turn, whoever has them: their names, how many are offered, masks, the time of a call and
 * what is said of it. A source (an MCP server, a REST tool) says only which tools it has, and makes the call.
 */

export interface ToolSource {
  readonly kind: OutsideKind;
  readonly name: string;
  /** Its tools get personal identifiers even if the host masks them. */
  readonly unmasked: boolean;
  /** The tools that can be offered to a model. */
  readonly tools: readonly SourceTool[];
  /** The first names of those that cannot. */
  readonly refused: readonly string[];
  /** The number of all of its tools. */
  readonly listedCount: number;
  failureOf(error: unknown): CallFailure;
}

interface SourceTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: OfferedSchema;
  readonly needsYes?: Omit<NeededYes, 'name'> | undefined;
  readonly changes?: Tool['changes'];
  call(args: JsonObject, context: SourceCall): Promise<SourceAnswer>;
}

export interface SourceCall extends Pick<ToolContext, 'signal' | 'beforeSending'> {
  readonly timeoutMs: number;
  /** With the masking of this source. */
  readonly request: ToolRequest;
}

export interface SourceAnswer {
  readonly status: number;
  /** Set where the tool answered that it failed, in our own words. */
  readonly error?: string | undefined;
  /** Untrusted. */
  readonly text: string;
}

export interface CallFailure extends CallError {
  /** What the source says about it, for the model alone, which may mend its arguments; untrusted like any result. */
  readonly forModel?: string | undefined;
  readonly isTimedOut: boolean;
}

export type ListedSource = ToolSource | { readonly failed: ExternalCall };
export type SourceLister = (request: ToolRequest) => Promise<readonly ListedSource[]>;

/** Providers accept 128 tools; some are built in. */
export const MAX_TOOLS = 100;

/** Of two tools with the same name, the one of the first lister keeps it. */
export function makeToolProvider(listers: readonly SourceLister[]): ToolProvider {
  return async request => toOffered((await Promise.all(listers.map(list => list(request)))).flat(), request);
}

function toOffered(listed: readonly ListedSource[], request: ToolRequest): OfferedTools {
  const tools = new Map<string, Tool>();
  const externalCalls: ExternalCall[] = [];
  for (const source of listed) {
    if ('failed' in source) {
      externalCalls.push(source.failed);
      continue;
    }
    const offered = source.tools.slice(0, Math.min(MAX_TOOLS, request.maxTools) - tools.size);
    for (const each of offered) {
      const tool = makeOutsideTool(source, each, request, name => tools.has(name));
      tools.set(tool.name, tool);
    }
    const leftOut = source.listedCount - offered.length;
    if (leftOut > 0) {
      const named = source.refused.length > 0 ? `: ${source.refused.join(', ')}` : '';
      const error = `${leftOut} of ${source.listedCount} tools left out${named}`;
      externalCalls.push({ name: `${source.kind}:${source.name}`, status: 200, durationMs: 0, error });
    }
  }
  return { tools: [...tools.values()], externalCalls };
}

const MAX_CALL_MS = 60_000;
/** A call ends this long before its caller gives up, so that the caller learns how it ended. */
const MARGIN_MS = 20;
/** The model gets less than this. */
const MAX_RESULT_LENGTH = 100_000;

function makeOutsideTool(
  source: ToolSource,
  tool: SourceTool,
  request: ToolRequest,
  isTaken: (name: string) => boolean,
): Tool {
  const { needsYes } = tool;
  return {
    name: makeToolName(source.name, tool.name, isTaken),
    description: makeToolDescription(source.name, tool.description),
    parameters: tool.inputSchema,
    kind: source.kind,
    needsYes: needsYes && { ...needsYes, name: callNameOf(source, tool) },
    changes: tool.changes,
    run: (args, context) => callTool(source, tool, { args, request }, context),
  };
}

function callNameOf(source: ToolSource, tool: SourceTool): string {
  return `${source.kind}:${source.name}:${tool.name}`;
}

async function callTool(
  source: ToolSource,
  tool: SourceTool,
  { args, request }: { readonly args: JsonObject; readonly request: ToolRequest },
  { signal, remainingMs, beforeSending }: ToolContext,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const timeoutMs = Math.max(Math.min(MAX_CALL_MS, Math.floor(remainingMs) - MARGIN_MS), 1);
  // The time limit includes connecting to the source.
  using linked = linkSignals(signal, AbortSignal.timeout(timeoutMs));
  const masking = source.unmasked ? NO_MASKING : request.masking;
  const callOf = ({
    status,
    error,
  }: Pick<ExternalCall, 'status'> & { readonly error?: string | undefined }) => ({
    name: callNameOf(source, tool),
    durationMs: Math.round(performance.now() - startedAt),
    status,
    ...(error === undefined ? {} : { error }),
  });
  try {
    const wanted = maskValue(args, masking) as JsonObject;
    const context = {
      signal: linked.signal,
      timeoutMs,
      request: { ...request, masking },
      ...(beforeSending ? { beforeSending } : {}),
    };
    const answer = await Promise.race([tool.call(wanted, context), whenAborted(linked.signal)]);
    // The other side may repeat the tokens that it was given.
    const text = masking.unmask(answer.text.slice(0, MAX_RESULT_LENGTH));
    return { text, isError: answer.error !== undefined, externalCalls: [callOf(answer)] };
  } catch (error) {
    signal.throwIfAborted();
    const failure = source.failureOf(error);
    const { forModel, isTimedOut, isUnsent = false } = failure;
    const text = forModel === undefined ? formatServerFailure(failure.error) : masking.unmask(forModel);
    return { text, isError: true, isTimedOut, isUnsent, externalCalls: [callOf(failure)] };
  }
}
