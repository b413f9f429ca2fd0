import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  type jsonSchemaValidator,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpConfig } from '../../../db/assistants/mcp-configs.ts';
import type { Seal } from '../../../platform/seal.ts';
import { type McpRules, type McpTarget, mcpTargetOf } from '../../domain/mcp-config.ts';
import { EgressRefusedError, openEgress } from '../egress.ts';
import { openValues } from '../sealed-values.ts';
import { boundMessages } from './bounded-messages.ts';
import { makeMcpFetch } from './mcp-fetch.ts';

export interface Connection {
  readonly client: Client;
  close(): Promise<void>;
}

export interface ConnectionOwner {
  readonly hostId: string;
  onToolsChanged(): void;
  /** Called when the connection can no longer be used. */
  onLost(): void;
}

export type Connect = (config: McpConfig, owner: ConnectionOwner) => Promise<Connection>;

/** A connection may take longer than a turn waits: a later turn finds the server connected. */
const CONNECT_MS = 10_000;
const END_SESSION_MS = 300;
/** Lower limit for the delay that the server requests: it could make us reconnect in a tight loop. */
const RECONNECT_AFTER_MS = 1_000;
const MAX_RECONNECT_AFTER_MS = 300_000;

const identity = { name: 'parley', version: '1.0.0' };

/** Schemas of servers are not evaluated here: one regular expression of theirs could block this process. */
const acceptingValidator: jsonSchemaValidator = {
  getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Returns a function that checks the target for each connection: the rules may have changed since it was saved. */
export function makeConnect(seal: Seal, rules: McpRules): Connect {
  return async (config, owner) => {
    const headers = await openValues(seal, { id: config.id, sealed: config.sealedHeaders });
    const target = mcpTargetOf(config.transportType, { ...config.config, ...headersOf(headers) }, rules);
    if (Array.isArray(target)) throw new EgressRefusedError();
    const egress = openEgress(rules);
    const client = new Client(identity, {
      capabilities: {},
      jsonSchemaValidator: acceptingValidator,
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 1_000, onChanged: () => owner.onToolsChanged() },
      },
      // Newer servers use another revision of the protocol, which exists for this transport only.
      versionNegotiation: { mode: config.transportType === 'streamable' ? 'auto' : 'legacy' },
    });
    const transport = boundMessages(transportOf(config, target, makeMcpFetch(egress, owner.hostId)));
    const close = async () => {
      await endSession(transport);
      await client.close().catch(() => undefined);
      await egress.close();
    };
    // A reopened SSE stream is a new session, which the server does not associate with this client.
    const onerror = (error: Error) => SseError.isInstance(error) && owner.onLost();
    Object.assign(client, { onclose: owner.onLost });
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
    } catch (error) {
      await close();
      throw error;
    }
    Object.assign(client, { onerror });
    return { client, close };
  };
}

function headersOf(headers: Readonly<Record<string, string>>) {
  return Object.keys(headers).length > 0 ? { headers } : {};
}

function transportOf(
  { transportType }: McpConfig,
  target: McpTarget,
  fetch: typeof globalThis.fetch,
): Transport {
  if ('command' in target) return makeStdioTransport(target.command, target.args);
  const options = { fetch, requestInit: { headers: { ...target.headers } } };
  const url = new URL(target.url);
  return transportType === 'sse'
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, {
        ...options,
        reconnectionScheduler: makeReconnectionScheduler(),
      });
}

/** Delays each reconnection longer: the library starts anew after every stream that was opened, even if it ended at once. */
function makeReconnectionScheduler() {
  let afterMs = RECONNECT_AFTER_MS;
  return (reconnect: () => void, wantedMs: number): (() => void) => {
    const timer = setTimeout(reconnect, Math.max(wantedMs, afterMs));
    afterMs = Math.min(2 * afterMs, MAX_RECONNECT_AFTER_MS);
    return () => clearTimeout(timer);
  };
}

/** Lets the server free the session; a server that does not respond in time keeps it. */
async function endSession(transport: Transport): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport)) return;
  await Promise.race([
    transport.terminateSession().catch(() => {}),
    delay(END_SESSION_MS, undefined, { ref: false }),
  ]);
}

const MAX_MESSAGE_BYTES = 4 * 1_048_576;
const END_TIMEOUT_MS = 1_000;

/**
 * Runs a server as a child process, with the environment variables that the library considers safe and none of our
 * settings. The child is killed at the latest a second after the connection closes. It also ends with this process,
 * even after SIGKILL: a guard shell reads from a pipe of ours and kills the child when the pipe closes.
 */
export function makeStdioTransport(command: string, args: readonly string[]): StdioClientTransport {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: 'ignore',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  const start = transport.start.bind(transport);
  const close = transport.close.bind(transport);
  let release = () => {};
  return Object.assign(transport, {
    onclose: () => release(),
    async start() {
      await start();
      if (transport.pid !== null) release = startGuard(transport.pid);
    },
    async close() {
      const { pid } = transport;
      const limit = setTimeout(() => kill(pid), END_TIMEOUT_MS);
      await close();
      clearTimeout(limit);
      release();
    },
  });
}

function startGuard(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // A signal from the terminal must not end the guard before this process.
    detached: true,
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  return () => guard.kill('SIGKILL');
}

function kill(pid: number | null): void {
  try {
    if (pid !== null) process.kill(pid, 'SIGKILL');
  } catch {
    // The child has already ended.
  }
}
