import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpConfig } from '../../../db/assistants/mcp-configs.ts';
import { isAnswered, isTimeout, isUnsent } from './call-error.ts';
import type { Connect, Connection } from './connection.ts';
import { listTools, type SchemaReader, type ServerTool, type ToolList } from './list-tools.ts';

/**
 * The client of one configured server, from its first use until the configuration changes, the server is unused for a
 * while, or this process ends. A call is retried over a new connection only if it certainly did not reach the server,
 * or if the tool is declared repeatable.
 */
export interface ServerClient {
  readonly config: McpConfig;
  /** The cached list. An old list, or one that the server reports as changed, is refreshed in the background. */
  tools(): Promise<ToolList>;
  /** The running time of the current request for the list. */
  waitedMs(): number;
  call(tool: ServerTool, args: CallArguments, limits: CallLimits): Promise<CallToolResult>;
  /** Closes the connection when the running calls have ended. */
  retire(): void;
  /** Also aborts the running calls. */
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

/** Caches the list of a server. An entry may be evicted at any time; the list is requested again then. */
export interface ToolListCache {
  get(): CachedToolList | undefined;
  put(listed: CachedToolList): void;
  clear(): void;
}

export interface ServerOwner {
  readonly hostId: string;
  /** See `listTools`. */
  readonly readSchema: SchemaReader;
}

export interface CachedToolList extends ToolList {
  readonly at: number;
  readonly hash: string;
}

const LIST_MS = 60_000;
/** Refreshes within LIST_MS of a server that keeps reporting changes. */
const MAX_REFRESHES = 5;

export function makeServerClient(
  config: McpConfig,
  connect: Connect,
  cache: ToolListCache,
  { hostId, readSchema }: ServerOwner,
): ServerClient {
  const connection = makeReconnectingClient(onLost =>
    connect(config, { hostId, onLost, onToolsChanged: () => list.onChanged() }),
  );
  const list = makeToolList(connection, cache, readSchema);
  let running = 0;
  let isRetired = false;
  const closeIfUnused = () => (isRetired && running === 0 ? connection.close() : undefined);
  return {
    config,
    tools: list.tools,
    waitedMs: list.waitedMs,
    async call(tool, wanted, limits) {
      running += 1;
      try {
        return await callTool(connection, tool, wanted, limits);
      } finally {
        running -= 1;
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

function callTool(
  connection: ReconnectingClient,
  tool: ServerTool,
  { args, meta }: CallArguments,
  { signal, timeoutMs }: CallLimits,
): Promise<CallToolResult> {
  const params = { name: tool.name, arguments: { ...args }, ...(meta ? { _meta: { ...meta } } : {}) };
  // The output schema is left out: it is not used here, and many servers violate it.
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema };
  return connection.run(
    ({ client }) => client.callTool(params, { signal, timeout: timeoutMs, toolDefinition }),
    {
      // A timeout of one call does not mean that the shared connection is lost.
      isGivenUp: error => signal.aborted || isTimeout(error),
      mayRetry: error => tool.isRepeatable || isUnsent(error),
    },
  );
}

function makeToolList(connection: ReconnectingClient, cache: ToolListCache, readSchema: SchemaReader) {
  let listing: Promise<ToolList> | undefined;
  let listingSince = 0;
  let changedAt: number[] = [];

  async function list(): Promise<ToolList> {
    const isOld = connection.isConnected();
    const listed = await connection.run(({ client }) => listTools(client, readSchema), {
      isGivenUp: () => false,
      mayRetry: error => isOld && !isTimeout(error),
    });
    cache.put({ ...listed, at: performance.now(), hash: hashOf(listed.tools) });
    return listed;
  }

  function refresh(): Promise<ToolList> {
    if (listing) return listing;
    listingSince = performance.now();
    listing = list().finally(() => {
      listing = undefined;
    });
    listing.catch(() => cache.clear());
    return listing;
  }

  return {
    waitedMs: () => (listing ? performance.now() - listingSince : 0),
    /** Called when the server reports that its tools have changed. */
    onChanged(): void {
      const now = performance.now();
      changedAt = [...changedAt.filter(at => now - at < LIST_MS), now].slice(-MAX_REFRESHES - 1);
      if (changedAt.length <= MAX_REFRESHES) void refresh().catch(() => {});
    },
    async tools(): Promise<ToolList> {
      const listed = cache.get();
      // After a lost connection the server may be gone, so the cached list is not used.
      if (!listed || !connection.isConnected()) return refresh();
      if (performance.now() - listed.at > LIST_MS) void refresh().catch(() => {});
      return listed;
    },
  };
}

/** The hash does not depend on the order of the list. */
function hashOf(tools: readonly ServerTool[]): string {
  const known = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify([name, description, inputSchema]),
  );
  return createHash('sha256').update(known.toSorted().join('\n')).digest('hex').slice(0, 16);
}

/*
 * The connection to one server, opened on first use and again after it was lost.
 *
 *   unconnected -> connecting -> connected -> unconnected (lost) ... -> closed
 *
 * Concurrent callers share one connection attempt. After a failed attempt every call is rejected at once for a while,
 * so that a dead server delays one turn only.
 */

interface ReconnectingClient {
  isConnected(): boolean;
  /** Runs the work over the connection; after a lost connection it is retried once over a new one, if the rules allow. */
  run<T>(work: (connection: Connection) => Promise<T>, rules: RetryRules): Promise<T>;
  close(): Promise<void>;
}

interface RetryRules {
  /** True if the caller gave up: the error does not mean that the connection is lost. */
  isGivenUp(error: unknown): boolean;
  mayRetry(error: unknown): boolean;
}

const RETRY_AFTER_MS = 10_000;
/** A pause after a timeout, because the next attempt may delay another turn. */
const RETRY_AFTER_TIMEOUT_MS = 60_000;

function makeReconnectingClient(connect: (onLost: () => void) => Promise<Connection>): ReconnectingClient {
  let connecting: Promise<Connection> | undefined;
  let failure: { readonly until: number; readonly error: unknown } | undefined;
  let isClosed = false;

  function connection(): Promise<Connection> {
    if (connecting) return connecting;
    if (isClosed) return Promise.reject(new Error('the MCP client is closed'));
    if (failure && performance.now() < failure.until) return Promise.reject(failure.error);
    const attempt = connect(() => lose(attempt));
    attempt.catch((error: unknown) => {
      failure = {
        until: performance.now() + (isTimeout(error) ? RETRY_AFTER_TIMEOUT_MS : RETRY_AFTER_MS),
        error,
      };
      lose(attempt);
    });
    connecting = attempt;
    return attempt;
  }

  function lose(lost: Promise<Connection>): void {
    if (connecting === lost) connecting = undefined;
    void lost.then(each => each.close()).catch(() => {});
  }

  return {
    isConnected: () => connecting !== undefined,
    async run(work, { isGivenUp, mayRetry }) {
      const first = connection();
      try {
        return await work(await first);
      } catch (error) {
        if (isAnswered(error) || isGivenUp(error)) throw error;
        lose(first);
        if (!mayRetry(error)) throw error;
        return await work(await connection());
      }
    },
    async close() {
      isClosed = true;
      const open = connecting;
      connecting = undefined;
      await open?.then(each => each.close()).catch(() => {});
    },
  };
}
