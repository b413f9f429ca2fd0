import type { Logger } from 'pino';
import { linkSignals } from '../../../platform/link-signals.ts';
import { makeSeal, type Seal, type SecretKeys } from '../../../platform/seal.ts';
import { whenAborted } from '../../../platform/when-aborted.ts';
import type { McpRules } from '../../domain/mcp-config.ts';
import { isSchema } from '../../domain/schemas/schema-errors.ts';
import { type EgressSettings, egressRulesOf } from '../egress.ts';
import type { ExternalCall, OfferedTools, Tool, ToolProvider, ToolRequest } from '../tool.ts';
import { callErrorOf } from './call-error.ts';
import { makeConnect } from './connection.ts';
import { MAX_TOOLS, type ToolList } from './list-tools.ts';
import type { ServerClient } from './server-client.ts';
import { makeServerClients, type ServerClients } from './server-clients.ts';
import { externalCallOf, makeServerTool } from './server-tool.ts';

export interface McpSettings extends EgressSettings, SecretKeys {
  /** The commands that a configuration may run, each with its complete argument list. */
  readonly mcpStdioAllow?: readonly (readonly string[])[] | undefined;
}

export interface Mcp {
  /** Seals the headers of the configurations. */
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
  // Compiles the meta-schema now, not while the first turn waits for its tools.
  isSchema({ type: 'object' });
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

/** Offers the tools of the servers that are enabled for the avatar. */
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
  // The time that an earlier turn has already waited for this list counts, too.
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
      const error = `${leftOut} of ${list.listedCount} tools left out`;
      externalCalls.push({ name: `mcp:${each.server.config.name}`, status: 200, durationMs: 0, error });
    }
  }
  return { tools: [...tools.values()], externalCalls };
}
