import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpConfig } from '../../../db/mcp-configs.ts';
import { isTimeout, isUnsent } from './call-fault.ts';
import type { Connect } from './connection.ts';
import { listTools, type ServerTool, type ToolList } from './list-tools.ts';
import { makeReconnectingClient, type ReconnectingClient } from './reconnecting.ts';

/**
 * One server of one configuration, from its first use until the configuration changes, nobody has used it for a
 * while, or this process ends. A call is made again over a new connection only if it was surely not made, or if the
 * tool says of itself that it may be repeated.
 */
export interface KeptServer {
  readonly config: McpConfig;
  /** As they were listed last: a list that is old, or that the server says is no longer true, is renewed beside it. */
  tools(): Promise<ToolList>;
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

/** Where the list of a server lies; it may be gone at any time, and is asked for again then. */
export interface ToolListCache {
  get(): CachedToolList | undefined;
  put(listed: CachedToolList): void;
  clear(): void;
}

export interface CachedToolList extends ToolList {
  readonly at: number;
  readonly hash: string;
}

const LIST_MS = 60_000;
/** A server that says all the time that its tools have changed is asked no more often within that time. */
const MOST_TOLD_RENEWALS = 5;

export function makeKeptServer(config: McpConfig, connect: Connect, shelf: ToolListCache): KeptServer {
  const connection = makeReconnectingClient(onLost =>
    connect(config, { onLost, onToolsChanged: () => list.told() }),
  );
  const list = makeToolList(connection, shelf);
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
  connection: ReconnectingClient,
  tool: ServerTool,
  { args, meta }: CallArguments,
  { signal, timeoutMs }: CallLimits,
): Promise<CallToolResult> {
  const params = { name: tool.name, arguments: { ...args }, ...(meta ? { _meta: { ...meta } } : {}) };
  // Without the form of its result, which nobody needs and many servers miss.
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema };
  return connection.over(
    ({ client }) => client.callTool(params, { signal, timeout: timeoutMs, toolDefinition }),
    {
      // That one call takes long says nothing of the others, which go over the same connection.
      isGivenUp: error => signal.aborted || isTimeout(error),
      mayRepeat: error => tool.isRepeatable || isUnsent(error),
    },
  );
}

function makeToolList(connection: ReconnectingClient, shelf: ToolListCache) {
  let listing: Promise<ToolList> | undefined;
  let listingSince = 0;
  let toldAt: number[] = [];

  async function list(): Promise<ToolList> {
    const isOld = connection.isConnected();
    const listed = await connection.over(({ client }) => listTools(client), {
      isGivenUp: () => false,
      mayRepeat: error => isOld && !isTimeout(error),
    });
    shelf.put({ ...listed, at: performance.now(), hash: hashOf(listed.tools) });
    return listed;
  }

  function renewed(): Promise<ToolList> {
    if (listing) return listing;
    listingSince = performance.now();
    listing = list().finally(() => {
      listing = undefined;
    });
    listing.catch(() => shelf.clear());
    return listing;
  }

  return {
    waitedMs: () => (listing ? performance.now() - listingSince : 0),
    /** The server says that its tools are no longer the same. */
    told(): void {
      const now = performance.now();
      toldAt = [...toldAt.filter(at => now - at < LIST_MS), now].slice(-MOST_TOLD_RENEWALS - 1);
      if (toldAt.length <= MOST_TOLD_RENEWALS) void renewed().catch(() => {});
    },
    async tools(): Promise<ToolList> {
      const listed = shelf.get();
      // Of a server that was lost nobody knows whether it is there.
      if (!listed || !connection.isConnected()) return renewed();
      if (performance.now() - listed.at > LIST_MS) void renewed().catch(() => {});
      return listed;
    },
  };
}

/** Says whether two lists are the same, whatever their order. */
function hashOf(tools: readonly ServerTool[]): string {
  const known = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify([name, description, inputSchema]),
  );
  return createHash('sha256').update(known.toSorted().join('\n')).digest('hex').slice(0, 16);
}
