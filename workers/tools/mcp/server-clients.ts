import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { McpConfig } from '../../../db/assistants/mcp-configs.ts';
import { Gate } from '../../../platform/gate.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { offeredSchemaOf } from '../../domain/schemas/offered-schema.ts';
import type { Connect } from './connection.ts';
import { type CachedToolList, makeServerClient, type ServerClient } from './server-client.ts';

/** The clients of MCP servers in this process; each connects on first use. */
export interface ServerClients {
  /** Returns the client for the current revision of the configuration, and retires a client of an earlier one. */
  serverOf(hostId: string, config: McpConfig): ServerClient;
  drop(hostId: string, mcpId: string): void;
  close(): Promise<void>;
}

const MAX_CLIENTS = 500;
const MAX_CLIENTS_PER_HOST = 100;
const MAX_BYTES = 32 * 1_048_576;
const MAX_BYTES_PER_HOST = MAX_BYTES / 4;
const UNUSED_MS = 10 * 60_000;
const MAX_LISTED = 30;

/** Opening a connection takes about 20 ms of the process: 32 at once would block it for most of a second. */
const CONNECT_EVERY_MS = 30;

export function makeServerClients(connect: Connect, log: Logger): ServerClients {
  const connectPaced = makePacedConnect(connect);
  const checks = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 1 });
  const closing = new Set<Promise<void>>();
  const clients = new LRUCache<string, ServerClient>({
    max: MAX_CLIENTS,
    ttl: UNUSED_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: server => server.retire(),
  });
  const logTools = makeToolListLog(log);
  const lists = new LRUCache<string, CachedToolList>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 1_000,
  });

  return {
    serverOf(hostId, config) {
      const key = keyOf(hostId, config.id);
      const known = clients.get(key);
      if (known?.config.revision === config.revision) return known;
      lists.delete(key);
      const cache = {
        get: () => lists.get(key),
        put(listed: CachedToolList) {
          logTools(hostId, config, listed);
          lists.set(key, listed);
          evictSurplus(lists, hostId, { max: MAX_BYTES_PER_HOST, sizeOf: ({ bytes }) => bytes });
        },
        clear: () => void lists.delete(key),
      };
      const owner = {
        hostId,
        readSchema: (schema: JsonObject) => checks.run({ key: hostId }, () => offeredSchemaOf(schema)),
      };
      const server = makeServerClient(config, connectPaced(hostId), cache, owner);
      clients.set(key, server);
      evictSurplus(clients, hostId, { max: MAX_CLIENTS_PER_HOST, sizeOf: () => 1 });
      return server;
    },
    drop(hostId, mcpId) {
      clients.delete(keyOf(hostId, mcpId));
      lists.delete(keyOf(hostId, mcpId));
    },
    async close() {
      for (const server of clients.values()) closing.add(server.close());
      clients.clear();
      await Promise.all(closing);
    },
  };
}

/** Starts the connections of this process one after the other, round-robin over the hosts. */
function makePacedConnect(connect: Connect): (hostId: string) => Connect {
  const starts = new Gate({ maxTotal: 1, maxPerKey: 1 });
  return hostId => async (config, owner) => {
    await starts.run({ key: hostId }, () => delay(CONNECT_EVERY_MS));
    return connect(config, owner);
  };
}

function makeToolListLog(log: Logger) {
  // The hashes outlive the clients, so that a change while no client was connected is logged, too.
  const hashes = new LRUCache<string, string>({ max: 10 * MAX_CLIENTS });
  return (hostId: string, config: McpConfig, { tools, refused, hash }: CachedToolList): void => {
    const earlier = hashes.get(config.id);
    hashes.set(config.id, hash);
    if (earlier === hash) return;
    const names = tools.slice(0, MAX_LISTED).map(({ name }) => name.slice(0, 64));
    const line = { hostId, mcpId: config.id, server: config.name, tools: names, refused, hash, earlier };
    if (earlier === undefined)
      log.info({ event: 'mcp.tools_listed', ...line }, 'an MCP server listed its tools');
    else log.warn({ event: 'mcp.tools_changed', ...line }, 'an MCP server changed its tools');
  };
}

/** Limits the entries of one host: its least recently used ones are evicted first. */
function evictSurplus<V extends object>(
  cache: LRUCache<string, V>,
  hostId: string,
  { max, sizeOf }: { readonly max: number; sizeOf(value: V): number },
): void {
  const surplus: string[] = [];
  let size = 0;
  for (const [key, value] of cache.entries()) {
    if (!key.startsWith(`${hostId} `)) continue;
    size += sizeOf(value);
    if (size > max) surplus.push(key);
  }
  for (const key of surplus) cache.delete(key);
}

function keyOf(hostId: string, mcpId: string): string {
  return `${hostId} ${mcpId}`;
}
