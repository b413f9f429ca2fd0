import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { McpConfig } from '../../../db/mcp-configs.ts';
import type { Connect } from './connection.ts';
import { type CachedToolList, type KeptServer, makeKeptServer } from './kept-server.ts';

/** The servers that this process is connected to, or will be once somebody asks. */
export interface KeptServers {
  /** As the configuration says now: one of an earlier revision is let go. */
  serverOf(hostId: string, config: McpConfig): KeptServer;
  drop(hostId: string, mcpId: string): void;
  close(): Promise<void>;
}

const MOST_KEPT = 500;
const MOST_KEPT_OF_A_HOST = 100;
const MOST_BYTES = 32 * 1_048_576;
const MOST_BYTES_OF_A_HOST = MOST_BYTES / 4;
const UNUSED_MS = 10 * 60_000;
const MOST_NAMED = 30;

export function makeKeptServers(connect: Connect, log: Logger): KeptServers {
  const closing = new Set<Promise<void>>();
  const kept = new LRUCache<string, KeptServer>({
    max: MOST_KEPT,
    ttl: UNUSED_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: server => server.retire(),
  });
  const noteTools = makeToolNotes(log);
  const lists = new LRUCache<string, CachedToolList>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 1_000,
  });

  return {
    serverOf(hostId, config) {
      const key = keyOf(hostId, config.id);
      const known = kept.get(key);
      if (known?.config.revision === config.revision) return known;
      lists.delete(key);
      const server = makeKeptServer(config, connect, {
        get: () => lists.get(key),
        put(listed) {
          noteTools(hostId, config, listed);
          lists.set(key, listed);
          leaveRoom(lists, hostId, { most: MOST_BYTES_OF_A_HOST, sizeOf: ({ bytes }) => bytes });
        },
        clear: () => void lists.delete(key),
      });
      kept.set(key, server);
      leaveRoom(kept, hostId, { most: MOST_KEPT_OF_A_HOST, sizeOf: () => 1 });
      return server;
    },
    drop(hostId, mcpId) {
      kept.delete(keyOf(hostId, mcpId));
      lists.delete(keyOf(hostId, mcpId));
    },
    async close() {
      for (const server of kept.values()) closing.add(server.close());
      kept.clear();
      await Promise.all(closing);
    },
  };
}

/** Tells the operator of lists that are new, and of those that are others than before. */
function makeToolNotes(log: Logger) {
  // Longer than the servers themselves: that one's tools changed while nobody was connected is to be noticed, too.
  const hashes = new LRUCache<string, string>({ max: 10 * MOST_KEPT });
  return (hostId: string, config: McpConfig, { tools, hash }: CachedToolList): void => {
    const earlier = hashes.get(config.id);
    hashes.set(config.id, hash);
    if (earlier === hash) return;
    const names = tools.slice(0, MOST_NAMED).map(({ name }) => name.slice(0, 64));
    const line = { hostId, mcpId: config.id, server: config.name, tools: names, hash, earlier };
    if (earlier === undefined) log.info(line, 'an MCP server listed its tools');
    else log.warn(line, 'an MCP server changed its tools');
  };
}

/** One host takes no more than its share: what it used longest ago goes first. */
function leaveRoom<V extends object>(
  cache: LRUCache<string, V>,
  hostId: string,
  { most, sizeOf }: { readonly most: number; sizeOf(value: V): number },
): void {
  const surplus: string[] = [];
  let size = 0;
  for (const [key, value] of cache.entries()) {
    if (!key.startsWith(`${hostId} `)) continue;
    size += sizeOf(value);
    if (size > most) surplus.push(key);
  }
  for (const key of surplus) cache.delete(key);
}

function keyOf(hostId: string, mcpId: string): string {
  return `${hostId} ${mcpId}`;
}
