import { formatMcpResult } from '../../domain/prompts/mcp-result.ts';
import { makeToolDescription, makeToolName } from '../../domain/prompts/offered-tool.ts';
import { formatServerFailure } from '../../domain/prompts/tool-texts.ts';
import type { Tool, ToolContext, ToolRequest, ToolResult } from '../tool.ts';
import { callErrorOf } from './call-error.ts';
import type { ServerTool } from './list-tools.ts';
import type { CallArguments, ServerClient } from './server-client.ts';

export type ServerToolRequest = ToolRequest & { readonly hostSlug: string };

const MAX_CALL_MS = 60_000;

/** Makes a tool of a server callable in a turn. */
export function makeServerTool(
  server: ServerClient,
  tool: ServerTool,
  request: ServerToolRequest,
  isTaken: (name: string) => boolean,
): Tool {
  const { config } = server;
  return {
    name: makeToolName(config.name, tool.name, isTaken),
    description: makeToolDescription(config.name, tool.description),
    parameters: tool.inputSchema,
    kind: 'mcp',
    run: (args, context) => callServer(server, tool, { args, meta: metaOf(server, request) }, context),
  };
}

function metaOf({ config }: ServerClient, { conversationId, hostSlug, userName }: ServerToolRequest) {
  return config.controlConv ? { conversationId, hostSlug, userName } : undefined;
}

async function callServer(
  server: ServerClient,
  tool: ServerTool,
  wanted: CallArguments,
  { signal, remainingMs }: ToolContext,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const timeoutMs = Math.max(Math.min(MAX_CALL_MS, Math.floor(remainingMs)), 1);
  const name = `mcp:${server.config.name}:${tool.name}`;
  try {
    const result = await server.call(tool, wanted, { signal, timeoutMs });
    const isError = result.isError ?? false;
    const call = {
      ...outsideCallOf(server, startedAt),
      name,
      status: 200,
      ...(isError ? { error: 'the tool reported an error' } : {}),
    };
    return { text: formatMcpResult(result), isError, outsideCalls: [call] };
  } catch (error) {
    signal.throwIfAborted();
    const callError = callErrorOf(error);
    const call = { ...outsideCallOf(server, startedAt), name, ...callError };
    return {
      text: formatServerFailure(callError.error),
      isError: true,
      outsideCalls: [call],
    };
  }
}

/** An external call to this server that started at `startedAt` and ends now. */
export function outsideCallOf({ config }: ServerClient, startedAt: number) {
  return { name: `mcp:${config.name}`, durationMs: Math.round(performance.now() - startedAt) };
}
