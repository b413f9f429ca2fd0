import { createHash } from 'node:crypto';
import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { McpConfig } from '../../db/mcp-configs.ts';
import { isTimeout, isUnsent } from './call-fault.ts';
import { CONNECT_MS, type Connect } from './connection.ts';
import { makeReconnecting, type Reconnecting } from './reconnecting.ts';

/**
 * One server of one configuration, from its first use until the configuration changes, nobody has used it for a
 * while, or this process ends. A call is made again over a new connection only if it was surely not made, or if the
 * tool says of itself that it may be repeated.
 */
export interface KeptServer {
  readonly config: McpConfig;
  /** As they were listed last: a list that is old, or that the server says is no longer true, is renewed beside it. */
  tools(): Promise<readonly ServerTool[]>;
  /** For how long somebody has been waiting for them by now. */
  waitedMs(): number;
  call(tool: ServerTool, args: CallArguments, limits: CallLimits): Promise<CallToolResult>;
  /** Closes when the calls under way have ended. */
  retire(): void;
  /** Ends those under way, too. */
  close(): Promise<void>;
}

export interface CallArguments {
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

export interface CallLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

type OnListed = (tools: readonly ServerTool[], hash: string) => void;

const LIST_MS = 60_000;

export function makeKeptServer(config: McpConfig, connect: Connect, onListed: OnListed): KeptServer {
  const connection = makeReconnecting(onLost =>
    connect(config, { onLost, onToolsChanged: () => void list.renewed().catch(() => {}) }),
  );
  const list = makeToolList(connection, onListed);
  let underWay = 0;
  let isRetired = false;
  const closeIfUnused = () => (isRetired && underWay === 0 ? connection.close() : undefined);
  return {
    config,
    tools: list.tools,
    waitedMs: list.waitedMs,
    async call(tool, wanted, limits) {
      underWay += 1;
      try {
        return await called(connection, tool, wanted, limits);
      } finally {
        underWay -= 1;
        void closeIfUnused();
      }
    },
    retire() {
      isRetired = true;
      void closeIfUnused();
    },
    close: connection.close,
  };
}

function called(
  connection: Reconnecting,
  tool: ServerTool,
  { args, meta }: CallArguments,
  { signal, timeoutMs }: CallLimits,
): Promise<CallToolResult> {
  const isRepeatable = tool.annotations?.readOnlyHint ?? tool.annotations?.idempotentHint ?? false;
  const params = { name: tool.name, arguments: { ...args }, ...(meta ? { _meta: { ...meta } } : {}) };
  // Without the form of its result, which nobody needs and many servers miss.
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema };
  return connection.over(
    ({ client }) => client.callTool(params, { signal, timeout: timeoutMs, toolDefinition }),
    {
      // That one call takes long says nothing of the others, which go over the same connection.
      isGivenUp: error => signal.aborted || isTimeout(error),
      mayRepeat: error => isRepeatable || isUnsent(error),
    },
  );
}

function makeToolList(connection: Reconnecting, onListed: OnListed) {
  let listed: { readonly tools: readonly ServerTool[]; readonly at: number } | undefined;
  let listing: Promise<readonly ServerTool[]> | undefined;
  let listingSince = 0;

  async function list(): Promise<readonly ServerTool[]> {
    const isOld = connection.isConnected();
    const { tools } = await connection.over(
      ({ client }) => client.listTools({}, { timeout: CONNECT_MS, cacheMode: 'refresh' }),
      { isGivenUp: () => false, mayRepeat: error => isOld && !isTimeout(error) },
    );
    listed = { tools, at: performance.now() };
    onListed(tools, hashOf(tools));
    return tools;
  }

  function renewed(): Promise<readonly ServerTool[]> {
    if (listing) return listing;
    listingSince = performance.now();
    listing = list().finally(() => {
      listing = undefined;
    });
    listing.catch(() => {
      listed = undefined;
    });
    return listing;
  }

  return {
    renewed,
    waitedMs: () => (listing ? performance.now() - listingSince : 0),
    async tools(): Promise<readonly ServerTool[]> {
      // Of a server that was lost nobody knows whether it is there.
      if (!listed || !connection.isConnected()) return renewed();
      if (performance.now() - listed.at > LIST_MS) void renewed();
      return listed.tools;
    },
  };
}

/** Says whether two lists are the same, whatever their order. */
function hashOf(tools: readonly ServerTool[]): string {
  const known = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify([name, description ?? '', inputSchema]),
  );
  return createHash('sha256').update(known.toSorted().join('\n')).digest('hex').slice(0, 16);
}
