import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type JsonLimits, jsonWeightOf } from '../../domain/json-weight.ts';
import { mcpResultText } from '../../domain/prompts/mcp-result.ts';

/*
 * What a server says is cut before the protocol's library looks at it. That checks each item of a result for itself
 * and words an error for each that is wrong: a list of 20,000 empty objects, 60 kB, holds the process for 4 s.
 *
 *   result of a call     becomes one text, no longer than what a model is told of it
 *   list of tools        passes as it is, and is read by `list-tools.ts` alone, which stops where it has enough
 *   all else             is small by its nature, or it is refused
 */

const SMALL: JsonLimits = { values: 1_000, characters: 100_000, depth: 32 };
const STRUCTURED: JsonLimits = { values: 50_000, characters: 4_000_000, depth: 64 };
/** More than a model is told, so that it sees that something was cut. */
const LONGEST_TEXT = 40_000;
/** What a call is told in place of an answer that is too large to look at. */
export const TOO_LARGE = { code: -32_603, message: 'the answer holds too much' };

type Fields = Readonly<Record<string, unknown>>;

/** The same transport, over which nothing comes that is costly to look at. */
export function withBoundedMessages<T extends Transport>(transport: T): T {
  let handler: Transport['onmessage'];
  // The library hands a message on to whoever listened before.
  const bounded = new WeakSet<object>();
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set(next: Transport['onmessage']) {
      handler =
        next &&
        ((message, extra) => {
          const passed = bounded.has(message) ? message : boundedMessage(message);
          if (!passed) return;
          bounded.add(passed);
          next(passed, extra);
        });
    },
  });
  return transport;
}

/** Undefined where nobody needs to hear it. */
function boundedMessage(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if ('result' in message) {
    const result = boundedResult(message.result);
    const { jsonrpc, id } = message;
    return result ? { jsonrpc, id, result } : { jsonrpc, id, error: TOO_LARGE };
  }
  if (jsonWeightOf(message, SMALL)) return message;
  if (!('error' in message)) return undefined;
  const { code, message: said } = message.error;
  return { ...message, error: { code, message: said.slice(0, 1_000) } };
}

function boundedResult(given: Fields): Fields | undefined {
  const { tools, content, structuredContent, instructions: _, ...rest } = given;
  if (!jsonWeightOf(rest, SMALL)) return undefined;
  const result = { ...rest, ...(tools === undefined ? {} : { tools }) };
  if (Array.isArray(content) || structuredContent !== undefined) return { ...result, content: told(given) };
  return content === undefined ? result : { ...result, content };
}

function told({ content, structuredContent }: Fields) {
  const items = Array.isArray(content) ? (content as unknown[]).filter(isFields) : [];
  const structured = jsonWeightOf(structuredContent, STRUCTURED) ? structuredContent : undefined;
  const text = mcpResultText({ content: items, structuredContent: structured });
  return text === '' ? [] : [{ type: 'text', text: text.slice(0, LONGEST_TEXT) }];
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
