import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpConfig } from '../../db/assistants/mcp-configs.ts';

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface SeenMessage extends Message {
  readonly headers: IncomingMessage['headers'];
}

/** Returns the result; undefined: the script responds itself, or never. */
export type McpScript = (message: SeenMessage, response: ServerResponse) => unknown;

/** A scripted MCP server over streamable HTTP, without sessions, in plain JSON. */
export interface ScriptedMcp {
  readonly url: string;
  readonly seen: SeenMessage[];
  tools: readonly Record<string, unknown>[];
  /** Applies to tool calls, unless `methods` lists others. */
  script(script: McpScript, methods?: readonly string[]): void;
  /** Sent over the open streams of the clients. */
  notify(method: string): void;
  readonly streams: number;
  close(): Promise<void>;
}

export const toolNamed = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  description: `Faz ${name}.`,
  inputSchema: { type: 'object', properties: { texto: { type: 'string' } } },
  ...more,
});

/** A connection to this server, of an avatar of its own. */
export const configOf = (url: string): McpConfig => ({
  id: randomUUID(),
  avatarId: randomUUID(),
  name: 's',
  transportType: 'streamable',
  config: { url },
  sealedHeaders: {},
  controlConv: false,
  version: '1.0.0',
  enabled: true,
  unmasked: false,
  revision: 1,
});

export const sayText = (text: string) => ({ content: [{ type: 'text', text }] });

export async function startScriptedMcp(): Promise<ScriptedMcp> {
  let current: McpScript = () => sayText('feito');
  let scripted: readonly string[] = ['tools/call'];
  const streams = new Set<ServerResponse>();
  const seen: SeenMessage[] = [];
  const usual = (message: Message): unknown => {
    if (message.method === 'tools/list') return { tools: mcp.tools };
    if (message.method !== 'initialize') return undefined;
    const serverInfo = { name: 'scripted', version: '1' };
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo,
    };
  };
  const answer = async (message: SeenMessage, response: ServerResponse) => {
    if (message.id === undefined) return void response.writeHead(202).end();
    const isKnown = ['initialize', 'tools/list', 'tools/call', ...scripted].includes(message.method);
    if (!isKnown)
      return sendJson(response, { id: message.id, error: { code: -32601, message: 'no such method' } });
    const isScripted = scripted.includes(message.method);
    const result = isScripted ? await current(message, response) : usual(message);
    if (result !== undefined) sendJson(response, { id: message.id, result });
  };
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return;
    }
    void readJson(request).then(body => {
      const message = { ...(body as Message), headers: request.headers };
      seen.push(message);
      return answer(message, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const mcp: ScriptedMcp = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    tools: [toolNamed('fazer')],
    script(script, methods = ['tools/call']) {
      current = script;
      scripted = methods;
    },
    notify(method) {
      for (const stream of streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`);
    },
    get streams() {
      return streams.size;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return mcp;
}

function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}
