import type { Logger } from 'pino';
import type { JsonObject } from '../../../platform/json-object.ts';
import { linkSignals, whenAborted } from '../../../platform/link-signals.ts';
import { makeSeal, type Seal, type SecretKeys } from '../../../platform/seal.ts';
import { maskValue } from '../../domain/masking/mask-value.ts';
import { NO_MASKING } from '../../domain/masking/masking.ts';
import type { McpRules } from '../../domain/mcp-config.ts';
import { formatMcpResult } from '../../domain/prompts/mcp-result.ts';
import { makeToolDescription, makeToolName } from '../../domain/prompts/offered-tool.ts';
import { formatServerFailure } from '../../domain/prompts/tool-texts.ts';
import { type EgressSettings, egressRulesOf } from '../egress.ts';
import type {
  ExternalCall,
  OfferedTools,
  Tool,
  ToolContext,
  ToolProvider,
  ToolRequest,
  ToolResult,
} from '../tool.ts';
import { callErrorOf, isTimeout, messageForModelOf } from './call-error.ts';
import { makeConnect } from './connection.ts';
import { MAX_TOOLS, type ServerTool, type ToolList } from './list-tools.ts';
import type { CallArguments, ServerClient } from './server-client.ts';
import { makeServerClients, type ServerClients } from './server-clients.ts';

export interface McpSettings extends EgressSettings, SecretKeys {
  /** The commands that a configuration may run, each with its complete argument list. */
  readonly mcpStdioAllow?: readonly (readonly string[])[] | undefined;
}

export interface Mcp {
  readonly seal: Seal;
  readonly rules: McpRules;
  readonly tools: ToolProvider;
  close(): Promise<void>;
}

/** The limit for listing the tools of all servers of a turn, which are asked concurrently. */
const LIST_TIMEOUT_MS = 1_500;
const MAX_SERVERS = 32;

export function makeMcp(settings: McpSettings, log: Logger): Mcp {
  const { mcpStdioAllow: stdioAllow = [] } = settings;
  const seal = makeSeal(settings, 'mcp header');
  const rules = { ...egressRulesOf(settings), stdioAllow };
  const servers = makeServerClients(makeConnect(seal, rules), log);
  return {
    seal,
    rules,
    tools: makeMcpTools(servers),
    close: servers.close,
  };
}

type ListResult = { readonly server: ServerClient } & (
  | { readonly list: ToolList }
  | { readonly call: ExternalCall }
);

function makeMcpTools(servers: ServerClients): ToolProvider {
  return async request => {
    const { hostId, mcpConfigs } = request;
    for (const { id, enabled } of mcpConfigs) if (!enabled) servers.drop(hostId, id);
    const enabled = mcpConfigs.filter(config => config.enabled).slice(0, MAX_SERVERS);
    const listed = await Promise.all(
      enabled.map(config => listWithin(servers.serverOf(hostId, config), request)),
    );
    return toOfferedTools(listed, request);
  };
}

async function listWithin(server: ServerClient, { signal, remainingMs }: ToolRequest): Promise<ListResult> {
  const startedAt = performance.now();
  // The limit includes the time that an earlier turn has already waited for this list.
  const limitMs = Math.max(Math.min(LIST_TIMEOUT_MS - server.waitedMs(), remainingMs), 1);
  using limit = linkSignals(signal, AbortSignal.timeout(Math.round(limitMs)));
  try {
    return { server, list: await Promise.race([server.tools(), whenAborted(limit.signal)]) };
  } catch (error) {
    return { server, call: { ...externalCallOf(server, startedAt), ...callErrorOf(error) } };
  }
}

function toOfferedTools(listed: readonly ListResult[], request: ToolRequest): OfferedTools {
  const tools = new Map<string, Tool>();
  const externalCalls: ExternalCall[] = [];
  for (const each of listed) {
    if ('call' in each) {
      externalCalls.push(each.call);
      continue;
    }
    const { list } = each;
    const offered = list.tools.slice(0, Math.min(MAX_TOOLS, request.maxTools) - tools.size);
    for (const tool of offered) {
      const serverTool = makeServerTool(each.server, tool, request, name => tools.has(name));
      tools.set(serverTool.name, serverTool);
    }
    const leftOut = list.listedCount - offered.length;
    if (leftOut > 0) {
      const named = list.refused.length > 0 ? `: ${list.refused.join(', ')}` : '';
      const error = `${leftOut} of ${list.listedCount} tools left out${named}`;
      externalCalls.push({ name: `mcp:${each.server.config.name}`, status: 200, durationMs: 0, error });
    }
  }
  return { tools: [...tools.values()], externalCalls };
}

const MAX_CALL_MS = 60_000;
/** A call ends this long before its caller gives up, so that the caller learns how it ended. */
const MARGIN_MS = 20;
/** The model gets less than this. */
const MAX_RESULT_LENGTH = 100_000;

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

/** Returns what a server is sent: personal identifiers are masked unless it may have them. */
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
  // The time limit includes connecting to the server.
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
    // A server may repeat the tokens that it was given.
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

function externalCallOf({ config }: ServerClient, startedAt: number) {
  return { name: `mcp:${config.name}`, durationMs: Math.round(performance.now() - startedAt) };
}
