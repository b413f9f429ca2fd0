import type { JsonObject } from '../../../platform/json-object.ts';
import { linkSignals } from '../../../platform/link-signals.ts';
import { whenAborted } from '../../../platform/when-aborted.ts';
import { maskValue } from '../../domain/masking/mask-value.ts';
import { NO_MASKING } from '../../domain/masking/masking.ts';
import { formatMcpResult } from '../../domain/prompts/mcp-result.ts';
import { makeToolDescription, makeToolName } from '../../domain/prompts/offered-tool.ts';
import { formatServerFailure } from '../../domain/prompts/tool-texts.ts';
import type { Tool, ToolContext, ToolRequest, ToolResult } from '../tool.ts';
import { callErrorOf, isTimeout, messageForModelOf } from './call-error.ts';
import type { ServerTool } from './list-tools.ts';
import type { CallArguments, ServerClient } from './server-client.ts';

const MAX_CALL_MS = 60_000;
/** Before its caller gives up: what became of the call is told then. */
const MARGIN_MS = 20;
/** The model gets less. */
const MAX_RESULT_LENGTH = 100_000;

/** Makes a tool of a server callable in a turn. */
export function makeServerTool(
  server: ServerClient,
  tool: ServerTool,
  request: ToolRequest,
  isTaken: (name: string) => boolean,
): Tool {
  const { config } = server;
  return {
    name: makeToolName(config.name, tool.name, isTaken),
    description: makeToolDescription(config.name, tool.description),
    parameters: tool.inputSchema,
    kind: 'mcp',
    run: (args, context) => callServer(server, tool, { args, request }, context),
  };
}

/** What a server gets; personal identifiers are masked unless it may have them. */
function callArgumentsOf(
  { config }: ServerClient,
  args: JsonObject,
  { conversationId, hostSlug, userName, masking }: Omit<ToolRequest, 'signal'>,
): CallArguments {
  return {
    args: maskValue(args, masking) as JsonObject,
    meta: config.controlConv ? { conversationId, hostSlug, userName: masking.mask(userName) } : undefined,
  };
}

async function callServer(
  server: ServerClient,
  tool: ServerTool,
  { args, request }: { readonly args: JsonObject; readonly request: ToolRequest },
  { signal, remainingMs }: ToolContext,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const timeoutMs = Math.max(Math.min(MAX_CALL_MS, Math.floor(remainingMs) - MARGIN_MS), 1);
  // Its server may not even be connected then.
  const limit = AbortSignal.timeout(timeoutMs);
  using linked = linkSignals(signal, limit);
  const name = `mcp:${server.config.name}:${tool.name}`;
  const masking = server.config.unmasked ? NO_MASKING : request.masking;
  try {
    const wanted = callArgumentsOf(server, args, { ...request, masking });
    const limits = { signal: linked.signal, timeoutMs };
    const result = await Promise.race([server.call(tool, wanted, limits), whenAborted(linked.signal)]);
    const isError = result.isError ?? false;
    const call = {
      ...externalCallOf(server, startedAt),
      name,
      status: 200,
      ...(isError ? { error: 'the tool reported an error' } : {}),
    };
    // A server that was given tokens may repeat them.
    return {
      text: masking.unmask(formatMcpResult(result).slice(0, MAX_RESULT_LENGTH)),
      isError,
      externalCalls: [call],
    };
  } catch (error) {
    signal.throwIfAborted();
    const callError = callErrorOf(error);
    const call = { ...externalCallOf(server, startedAt), name, ...callError };
    const message = messageForModelOf(error);
    return {
      text: message === undefined ? formatServerFailure(callError.error) : masking.unmask(message),
      isError: true,
      isTimedOut: isTimeout(error),
      externalCalls: [call],
    };
  }
}

/** An external call to this server that started at `startedAt` and ends now. */
export function externalCallOf({ config }: ServerClient, startedAt: number) {
  return { name: `mcp:${config.name}`, durationMs: Math.round(performance.now() - startedAt) };
}
