import type { Logger } from 'pino';
import type { JsonObject } from '../../../platform/json-object.ts';
import { linkSignals, whenAborted } from '../../../platform/link-signals.ts';
import { makeSeal, type Seal, type SecretKeys } from '../../../platform/seal.ts';
import type { McpRules } from '../../domain/mcp-config.ts';
import { formatMcpResult } from '../../domain/prompts/mcp-result.ts';
import { type EgressSettings, egressRulesOf } from '../egress.ts';
import type { ListedSource, SourceAnswer, SourceCall, SourceLister, ToolSource } from '../outside-tools.ts';
import type { ToolRequest } from '../tool.ts';
import { callErrorOf, isTimeout, messageForModelOf } from './call-error.ts';
import { makeConnect } from './connection.ts';
import type { ServerTool, ToolList } from './list-tools.ts';
import type { ServerClient } from './server-client.ts';
import { makeServerClients, type ServerClients } from './server-clients.ts';

export interface McpSettings extends EgressSettings, SecretKeys {
  /** The commands that a configuration may run, each with its complete argument list. */
  readonly mcpStdioAllow?: readonly (readonly string[])[] | undefined;
}

export interface Mcp {
  readonly seal: Seal;
  readonly rules: McpRules;
  readonly list: SourceLister;
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
    list: makeServerLister(servers),
    close: servers.close,
  };
}

/** Lists the servers in order; a disabled one is disconnected. */
function makeServerLister(servers: ServerClients): SourceLister {
  return async request => {
    const { hostId, mcpConfigs } = request;
    for (const { id, enabled } of mcpConfigs) if (!enabled) servers.drop(hostId, id);
    const enabled = mcpConfigs.filter(config => config.enabled).slice(0, MAX_SERVERS);
    return Promise.all(enabled.map(config => listWithin(servers.serverOf(hostId, config), request)));
  };
}

async function listWithin(server: ServerClient, { signal, remainingMs }: ToolRequest): Promise<ListedSource> {
  const startedAt = performance.now();
  // The limit includes the time that an earlier turn has already waited for this list.
  const limitMs = Math.max(Math.min(LIST_TIMEOUT_MS - server.waitedMs(), remainingMs), 1);
  using limit = linkSignals(signal, AbortSignal.timeout(Math.round(limitMs)));
  try {
    return serverSourceOf(server, await Promise.race([server.tools(), whenAborted(limit.signal)]));
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    return { failed: { name: `mcp:${server.config.name}`, durationMs, ...callErrorOf(error) } };
  }
}

export function serverSourceOf(server: ServerClient, { tools, refused, listedCount }: ToolList): ToolSource {
  const { name, unmasked } = server.config;
  return {
    kind: 'mcp',
    name,
    unmasked,
    tools: tools.map(tool => ({ ...tool, call: (args, context) => callServer(server, tool, args, context) })),
    refused,
    listedCount,
    failureOf: error => ({
      ...callErrorOf(error),
      forModel: messageForModelOf(error),
      isTimedOut: isTimeout(error),
    }),
  };
}

async function callServer(
  server: ServerClient,
  tool: ServerTool,
  args: JsonObject,
  { signal, timeoutMs, request: { conversationId, hostSlug, userName, masking } }: SourceCall,
): Promise<SourceAnswer> {
  const meta = server.config.controlConv
    ? { conversationId, hostSlug, userName: masking.mask(userName) }
    : undefined;
  const result = await server.call(tool, { args, meta }, { signal, timeoutMs });
  const error = result.isError ? 'the tool reported an error' : undefined;
  return { status: 200, error, text: formatMcpResult(result) };
}
