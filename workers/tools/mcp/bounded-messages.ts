import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, withoutNulls } from '../../../platform/json-object.ts';
import { makeTokenBucket, type TokenBucket } from '../../../platform/token-bucket.ts';
import { type JsonLimits, jsonWeightOf } from '../../domain/json-weight.ts';
import { formatMcpResult } from '../../domain/prompts/mcp-result.ts';

/*
 * Messages of a server are cut before the MCP library validates them. The library validates each item of a result and
 * formats an error for each invalid one: a list of 20,000 empty objects, 60 kB, blocks the process for 4 s.
 *
 *   result of a call     becomes one text, limited to what the model may get
 *   list of tools        passes unchanged; only `list-tools.ts` reads it, and stops at its limits
 *   request              passes at a limited rate: the library answers each with a request of its own
 *   notification         passes if it is used here, at a limited rate
 *   everything else      is small by its nature, or is refused
 */

const SMALL: JsonLimits = { values: 1_000, characters: 100_000, depth: 32 };
const STRUCTURED: JsonLimits = { values: 50_000, characters: 4_000_000, depth: 64 };
/** Longer than the limit for the model, so that the later cut is marked in the text. */
const MAX_TEXT_LENGTH = 40_000;
/** Requests and notifications of one server: a ping, a changed list. No other of its requests is supported. */
const MAX_UNASKED = 10;
const UNASKED_PER_SECOND = 1;
const USED_NOTIFICATION = 'notifications/tools/list_changed';
/** The error of a call whose response is too large to read. */
export const TOO_LARGE = { code: -32_603, message: 'the answer is too large' };

/** Wraps a transport so that only messages within the limits arrive. */
export function boundMessages<T extends Transport>(transport: T): T {
  let handler: Transport['onmessage'];
  // The library passes a message on to the previous handler, too.
  const bounded = new WeakSet<object>();
  const unasked = makeTokenBucket(MAX_UNASKED, UNASKED_PER_SECOND);
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set(next: Transport['onmessage']) {
      handler =
        next &&
        ((message, extra) => {
          const passed = bounded.has(message) ? message : boundMessage(message, unasked);
          if (!passed) return;
          bounded.add(passed);
          next(passed, extra);
        });
    },
  });
  return transport;
}

/** Undefined where the message can be dropped. */
function boundMessage(message: JSONRPCMessage, unasked: TokenBucket): JSONRPCMessage | undefined {
  if ('method' in message) {
    const isUsed = 'id' in message || message.method === USED_NOTIFICATION;
    return isUsed && unasked.take(1) && jsonWeightOf(message, SMALL) ? withoutNulls(message) : undefined;
  }
  if ('result' in message) {
    const result = boundResult(message.result ?? {});
    const { jsonrpc, id } = message;
    return result ? { jsonrpc, id, result } : { jsonrpc, id, error: TOO_LARGE };
  }
  if (jsonWeightOf(message, SMALL)) return withoutNulls(message);
  const { code, message: text } = message.error;
  return { ...message, error: { code, message: text.slice(0, 1_000) } };
}

function boundResult(received: JsonObject): JsonObject | undefined {
  const { tools, content, structuredContent, instructions: _, ...rest } = received;
  if (!jsonWeightOf(rest, SMALL)) return undefined;
  const result = { ...withoutNulls(rest), ...(tools === undefined ? {} : { tools }) };
  if ((content ?? structuredContent ?? undefined) === undefined) return result;
  // A number or a flag is no content, which the client says.
  const isReadable = typeof (content ?? '') === 'string' || typeof content === 'object';
  return { ...result, content: isReadable ? toTextContent(received) : content };
}

function toTextContent({ content, structuredContent }: JsonObject) {
  // Some servers send one item, or texts, where the protocol has a list of items.
  const sent: readonly unknown[] = Array.isArray(content) ? content : [content];
  const items = sent.map(each => (typeof each === 'string' ? { text: each } : each)).filter(isJsonObject);
  const isStructured = structuredContent !== null && jsonWeightOf(structuredContent, STRUCTURED);
  const structured = isStructured ? structuredContent : undefined;
  const text = formatMcpResult({ content: items, structuredContent: structured });
  return text === '' ? [] : [{ type: 'text', text: text.slice(0, MAX_TEXT_LENGTH) }];
}
