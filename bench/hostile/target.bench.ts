import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PUBLIC, SVC } from '../../queues/contract/operations/paths.ts';
import type { ScriptedMcp } from '../../test/support/scripted-mcp.ts';
import type { ReportRows } from './report-rows.bench.ts';

/** The sender of the inputs, and the objects it owns. */
export interface Attacker {
  readonly hostId: string;
  readonly avatarId: string;
  readonly datasetId: string;
  /** An avatar with more knowledge than one answer may hold. */
  readonly learned: { readonly avatarId: string; readonly datasetId: string };
  /** The MCP server of the attacker. */
  readonly mcp: ScriptedMcp;
  call(path: string, body: unknown, packed?: 'gzip'): Promise<Reply>;
  /** Asks a turn in a new conversation. */
  ask(body: Readonly<Record<string, unknown>>, packed?: 'gzip'): Promise<Reply>;
  /** Sends bytes over a new connection; resolves when that ends, or after two seconds without a byte. */
  sendRaw(bytes: string | Buffer): Promise<Reply>;
  /** Makes a call, and reads only the first bytes of the answer for this many milliseconds. */
  leaveUnread(path: string, body: unknown, ms: number): Promise<Reply>;
  readonly token: string;
  /** Calls with another token each time, because the requests in flight of a token are limited. */
  callAs(nth: number, path: string, body: unknown): Promise<Reply>;
  readonly rows: ReportRows;
  /** Whether personal identifiers of the attacker's host are masked. */
  setMask(mask: boolean): Promise<unknown>;
  /** Configures the MCP server for the avatar, runs a turn that lists its tools, and removes it. */
  askWithTools(): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly ms: number;
  readonly data: unknown;
}

/** The model takes seconds to answer it. */
export const SLOW_QUESTION = 'Qual é a pergunta demorada?';
const GIVE_UP_MS = 65_000;
const GIVE_UP_RAW_MS = 2_000;

/** One call of a tenant; status 0 without an answer. */
export function makeCaller(port: number, token: string) {
  return async (path: string, body: unknown, packed?: 'gzip'): Promise<Reply> => {
    const startedAt = performance.now();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
    };
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers,
        body: packed ? gzipSync(text) : text,
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      const { data } = (await response.json()) as { data?: unknown };
      return { status: response.status, ms: performance.now() - startedAt, data };
    } catch {
      return { status: 0, ms: performance.now() - startedAt, data: undefined };
    }
  };
}

export function makeAttacker(
  call: Attacker['call'],
  own: Pick<
    Attacker,
    'hostId' | 'avatarId' | 'datasetId' | 'learned' | 'mcp' | 'token' | 'rows' | 'setMask'
  > & {
    readonly port: number;
    readonly tokens: readonly string[];
  },
): Attacker {
  const { hostId, avatarId, mcp, port, token } = own;
  const callers = own.tokens.map(each => makeCaller(port, each));
  const ask: Attacker['ask'] = async (body, packed) => {
    const made = await call(`${PUBLIC}/createConversationId`, { hostId, hostSlug: 'attacker' });
    const { conversationId } = (made.data ?? {}) as { conversationId?: string };
    return call(SVC, { hostId, conversationId, ...body }, packed);
  };
  return {
    ...own,
    call,
    ask,
    callAs: (nth, ...request) => (callers[nth % callers.length] ?? call)(...request),
    sendRaw: bytes =>
      sendBytes(port, bytes, socket => {
        socket.setTimeout(GIVE_UP_RAW_MS, () => socket.destroy());
      }),
    leaveUnread(path, body, ms) {
      const json = JSON.stringify(body);
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
      return sendBytes(port, `${head}Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`, socket => {
        socket.once('data', () => socket.pause());
        setTimeout(() => socket.destroy(), ms);
      });
    },
    async askWithTools() {
      const config = { hostId, avatarId, name: 'hostile', config: { url: mcp.url } };
      const saved = await call(`${SVC}/saveMCPConfigHelper`, config);
      const { mcpId: id } = (saved.data ?? {}) as { mcpId?: string };
      const replies = [await ask({ question: 'Pode fazer?' }), await ask({ question: 'E agora?' })];
      await call(`${SVC}/saveMCPConfigHelper`, { id, hostId, enabled: false });
      return replies.toSorted((a, b) => a.status - b.status).at(-1) as Reply;
    },
  };
}

function sendBytes(port: number, bytes: string | Buffer, attend: (socket: Socket) => void): Promise<Reply> {
  const startedAt = performance.now();
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    let status = 0;
    socket.on('data', data => (status ||= Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1] ?? 0)));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ status, ms: performance.now() - startedAt, data: undefined }));
    attend(socket);
    socket.write(bytes);
  });
}
