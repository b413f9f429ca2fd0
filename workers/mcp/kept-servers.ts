import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { McpConfig } from '../../db/mcp-configs.ts';
import type { Connect } from './connection.ts';
import { type KeptServer, makeKeptServer } from './kept-server.ts';

/** The servers that this process is connected to, or will be once somebody asks. */
export interface KeptServers {
  /** As the configuration says now: one of an earlier revision is let go. */
  serverOf(hostId: string, config: McpConfig): KeptServer;
  drop(hostId: string, mcpId: string): void;
  close(): Promise<void>;
}

const MOST_KEPT = 500;
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
  // Longer than the servers themselves: that one's tools changed while nobody was connected is to be noticed, too.
  const hashes = new LRUCache<string, string>({ max: 10 * MOST_KEPT });

  function noteTools(hostId: string, config: McpConfig, tools: readonly ServerTool[], hash: string): void {
    const earlier = hashes.get(config.id);
    hashes.set(config.id, hash);
    if (earlier === hash) return;
    const names = tools.slice(0, MOST_NAMED).map(({ name }) => name.slice(0, 64));
    const line = { hostId, mcpId: config.id, server: config.name, tools: names, hash, earlier };
    if (earlier === undefined) log.info(line, 'an MCP server listed its tools');
    else log.warn(line, 'an MCP server changed its tools');
  }

  return {
    serverOf(hostId, config) {
      const key = keyOf(hostId, config.id);
      const known = kept.get(key);
      if (known?.config.revision === config.revision) return known;
      const server = makeKeptServer(config, connect, (tools, hash) => noteTools(hostId, config, tools, hash));
      kept.set(key, server);
      return server;
    },
    drop: (hostId, mcpId) => void kept.delete(keyOf(hostId, mcpId)),
    async close() {
      for (const server of kept.values()) closing.add(server.close());
      kept.clear();
      await Promise.all(closing);
    },
  };
}

function keyOf(hostId: string, mcpId: string): string {
  return `${hostId} ${mcpId}`;
}
