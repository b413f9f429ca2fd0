import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { splitRedisUrl } from '../../../platform/redis-url.ts';

/*
 * REDIS_URL has one address, or several of a cluster, separated by commas: those nodes name the others. All nodes use the user,
 * the password and TLS of the first address.
 */

export type RedisClient = Redis | Cluster;

/** The hash tag of a queue makes a cluster keep all its keys on one master, which scripts require, and spread the queues. */
export const keyPrefixOf = (queue: string): string => `{parley:${queue}}`;

export const ADD_TIMEOUT_MS = 1_000;
/** Errors of a server that does not accept writes: after a failover, the same address may lead to another server. */
const wrongServerError = /\b(READONLY|UNBLOCKED|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS)\b/;
/** Detects half-open connections; blocking commands return every 10 s. */
const SILENT_SOCKET_MS = 5_000;
const SILENT_BLOCKING_SOCKET_MS = 15_000;
const retryStrategy = (times: number): number => Math.min(times * 100, 1_000);
const reconnectOnError = (error: Error) => wrongServerError.test(error.message);

/**
 * The options of one connection. A producer fails fast while Redis is down, and never resends commands, because their callers
 * were refused. A consumer waits for Redis, and resends the command after a reconnect to another server.
 */
const single = {
  store: {
    retryStrategy,
    enableAutoPipelining: true,
    commandTimeout: 1_000,
    lazyConnect: true,
    socketTimeout: SILENT_SOCKET_MS,
    reconnectOnError,
  },
  producer: {
    retryStrategy,
    maxRetriesPerRequest: null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    commandTimeout: ADD_TIMEOUT_MS,
    socketTimeout: SILENT_SOCKET_MS,
    reconnectOnError,
  },
  consumer: {
    retryStrategy,
    maxRetriesPerRequest: null,
    socketTimeout: SILENT_BLOCKING_SOCKET_MS,
    reconnectOnError: (error: Error): 2 | false => (wrongServerError.test(error.message) ? 2 : false),
  },
  // The subscriber subscribes again itself: a refusal of ioredis's own attempt would end the process.
  subscriber: {
    retryStrategy,
    maxRetriesPerRequest: null,
    socketTimeout: SILENT_SOCKET_MS,
    autoResubscribe: false,
  },
} as const satisfies Record<string, RedisOptions>;

/** A cluster client looks for failovers at this interval, because a silent old master tells it nothing. */
const REFRESH_EVERY_MS = 5_000;

/**
 * The same options for a cluster client. It follows a failover by itself: a node that lacks a key names the node that has it. So
 * commands are not resent, except by consumers, which wait as long as it takes.
 */
const clustered = {
  store: {
    enableAutoPipelining: true,
    lazyConnect: true,
    // When commands for two queues of a lost master fail together, no node is asked for the new master, so a timer asks.
    slotsRefreshInterval: 1_000,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: { commandTimeout: 1_000, socketTimeout: SILENT_SOCKET_MS },
  },
  producer: {
    slotsRefreshInterval: REFRESH_EVERY_MS,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: {
      maxRetriesPerRequest: null,
      commandTimeout: ADD_TIMEOUT_MS,
      socketTimeout: SILENT_SOCKET_MS,
    },
  },
  consumer: {
    slotsRefreshInterval: REFRESH_EVERY_MS,
    maxRedirections: Number.POSITIVE_INFINITY,
    retryDelayOnMoved: 50,
    redisOptions: { maxRetriesPerRequest: null, socketTimeout: SILENT_BLOCKING_SOCKET_MS },
  },
} as const satisfies Record<string, ClusterOptions>;

type ServerOptions<Role extends keyof typeof single> = (typeof single)[Role] & { readonly url: string };

export interface RedisConnections {
  /** The client for the store's own questions. It connects when it is told to. */
  openStore(): RedisClient;
  /** Options for a queue, worker or listener, or a client that BullMQ leaves open. */
  producer(): ServerOptions<'producer'> | Cluster;
  consumer(): ServerOptions<'consumer'> | Cluster;
  openSubscriber(store: RedisClient): Redis;
  close(): void;
}

export function makeRedisConnections(url: string): RedisConnections {
  const addresses = splitRedisUrl(url).map(address => new URL(address));
  return addresses.length > 1 ? connectToCluster(addresses) : connectToServer(url);
}

function connectToServer(url: string): RedisConnections {
  return {
    openStore: () => new Redis(url, single.store),
    producer: () => ({ url, ...single.producer }),
    consumer: () => ({ url, ...single.consumer }),
    openSubscriber: () => new Redis(url, single.subscriber),
    close() {},
  };
}

/**
 * A cluster client that is not ready keeps commands until it is, while a client of a single server refuses them: health checks,
 * adds and cancellations did not end. Here, `commandTimeout` applies then, too, and a command whose caller was refused is not
 * sent later.
 */
class LimitedCluster extends Cluster {
  override sendCommand(...[command, ...to]: Parameters<Cluster['sendCommand']>): unknown {
    const { commandTimeout } = this.options.redisOptions ?? {};
    if (commandTimeout !== undefined) command.setTimeout(commandTimeout);
    return command.isSettled ? command.promise : super.sendCommand(command, ...to);
  }
}

type Access = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

function connectToCluster(addresses: readonly URL[]): RedisConnections {
  const [{ protocol, username, password }] = addresses as [URL];
  const access: Access = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
  const nodes = addresses.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
  }));
  const open = ({ redisOptions, ...options }: (typeof clustered)[keyof typeof clustered]) =>
    new LimitedCluster(nodes, {
      clusterRetryStrategy: retryStrategy,
      // Addresses are resolved at each connection, so that certificates are compared with names.
      dnsLookup: (host, callback) => callback(null, host),
      ...options,
      redisOptions: { ...redisOptions, ...access },
    });
  const opened: Cluster[] = [];
  const keep = (client: Cluster) => {
    opened.push(client);
    // BullMQ reports errors while the part is open.
    client.on('error', () => {});
    return client;
  };
  return {
    openStore: () => open(clustered.store),
    producer: () => keep(open(clustered.producer)),
    consumer: () => keep(open(clustered.consumer)),
    openSubscriber: store => subscribeTo(store as Cluster, access),
    close() {
      for (const client of opened) client.disconnect();
    },
  };
}

/**
 * Subscribes to one node, because each node publishes the messages of all. The subscriber within a cluster client would not do:
 * nobody could ping it. A lost node is replaced by another.
 */
function subscribeTo(cluster: Cluster, access: Access): Redis {
  const subscriber = new Redis({ ...access, ...single.subscriber, lazyConnect: true });
  const pickNode = () => {
    const known = cluster.nodes();
    const { host, port } = known[Math.floor(Math.random() * known.length)]?.options ?? {};
    if (host === undefined || port === undefined) return;
    subscriber.options.host = host;
    subscriber.options.port = port;
  };
  pickNode();
  subscriber.on('close', pickNode);
  // The subscriber reports errors itself, and tries again.
  subscriber.connect().catch(() => {});
  return subscriber;
}
