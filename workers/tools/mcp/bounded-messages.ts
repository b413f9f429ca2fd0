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
/** Fields of results that are no part of a tool's answer. */
const OF_PROTOCOL = new Set(
  '_meta isError resultType requestState inputRequests ttlMs cacheScope nextCursor'.split(' '),
);
/** Longer than the limit for the model, so that the later cut is marked in the text. */
const MAX_TEXT_LENGTH = 40_000;
/** A server that answers each call with 300 requests holds the process for 0.6 s at a time and has 1,900 of them answered in 8 s; so limited, 0.1 s and 16. */
const MAX_UNASKED = 10;
const UNASKED_PER_SECOND = 1;
const USED_NOTIFICATION = 'notifications/tools/list_changed';
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
  const isOfCall = tools === undefined && rest['capabilities'] === undefined;
  const [ofProtocol, others] = isOfCall ? partsOf(rest) : [rest, {}];
  if (!jsonWeightOf(ofProtocol, SMALL)) return undefined;
  const result = { ...withoutNulls(ofProtocol), ...(tools === undefined ? {} : { tools }) };
  if (!isOfCall) return result;
  const items = toItems(content ?? undefined);
  const text = formatMcpResult({ content: items, structuredContent, others });
  if (text !== '') return { ...result, content: [{ type: 'text', text: text.slice(0, MAX_TEXT_LENGTH) }] };
  return items || structuredContent ? { ...result, content: [] } : result;
}

function partsOf(fields: JsonObject): [ofProtocol: JsonObject, others: JsonObject] {
  const entries = Object.entries(fields);
  const partOf = (isOfProtocol: boolean) =>
    Object.fromEntries(entries.filter(([name]) => OF_PROTOCOL.has(name) === isOfProtocol));
  return [partOf(true), partOf(false)];
}

/** Some servers send one item, or texts, where the protocol has a list of items. */
function toItems(content: unknown): JsonObject[] | undefined {
  if (content === undefined) return undefined;
  const sent: readonly unknown[] = Array.isArray(content) ? content : [content];
  return sent.map(each => (isJsonObject(each) ? each : { text: each }));
}
