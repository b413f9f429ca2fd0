import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, withoutNulls } from '../../../platform/json-object.ts';
import { makeTokenBucket, type TokenBucket } from '../../../platform/token-bucket.ts';
import { type JsonLimits, jsonWeightOf } from '../../domain/json-weight.ts';
import { formatMcpResult } from '../../domain/prompts/mcp-result.ts';
import { ResponseTooLargeError, withBody } from '../response-cap.ts';

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
  if (!jsonWeightOf(rest, SMALL)) return undefined;
  const result = { ...withoutNulls(rest), ...(tools === undefined ? {} : { tools }) };
  if ((content ?? structuredContent ?? undefined) === undefined) return result;
  // The client reports a number or a flag as no content.
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

/*
 * The MCP library parses each message of a server on its own, which costs far more than reading the bytes: a response
 * made of endless notifications blocks the process for seconds. So messages are counted before the library sees them.
 * A stream with too many ends with an error response to the request, because only that ends the call: after a stream
 * that just breaks off, the library lets the call wait and reconnects to read the rest.
 */

/** Limits one response, and bursts of an open stream: the library takes 40 ms for these, and took seconds for endless ones. */
const MAX_MESSAGES = 400;
const STREAM_MESSAGES_PER_SECOND = 50;
/** A message of 4 MB takes the library 20 to 150 ms: smaller ones need not wait for each other. */
const LARGE_BYTES = 16_384;

type Fetch = typeof globalThis.fetch;

export interface SharedLimits {
  /** The library takes about 0.1 ms for a message. */
  readonly budget: TokenBucket;
  /** Resolves with the value when the library may parse it: large messages of all servers are parsed one by one. */
  waitToParse<T>(value: T): Promise<T>;
}

export function boundEventStreams(fetch: Fetch, shared: SharedLimits): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = (response.headers.get('content-type') ?? '').toLowerCase();
    const isAnswer = init?.method === 'POST';
    if (!response.body) return response;
    // The library reads the response to a GET as events whatever its type.
    if (!isAnswer || type.startsWith('text/event-stream'))
      return withBody(response, boundEvents(response.body, { isAnswer, id: idOf(init?.body), shared }));
    return type.startsWith('application/json') ? boundBatch(response, shared) : response;
  };
}

interface EventLimits {
  readonly isAnswer: boolean;
  readonly id: unknown;
  readonly shared: SharedLimits;
}

function boundEvents(body: ReadableStream<Uint8Array>, { isAnswer, id, shared }: EventLimits) {
  const reader = body.getReader();
  const countMessages = makeMessageCounter();
  const fill = makeNullFiller();
  let bytes = 0;
  const own = makeTokenBucket(MAX_MESSAGES, isAnswer ? 0 : STREAM_MESSAGES_PER_SECOND);
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const error = JSON.stringify({ jsonrpc: '2.0', id, error: TOO_LARGE });
    // The stream may have been cut within an event.
    controller.enqueue(Buffer.from(`\n\ndata: ${error}\n\n`));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          controller.enqueue(fill(undefined));
          return controller.close();
        }
        bytes += value.byteLength;
        const { messages, hasEvent } = countMessages(value);
        if (!own.take(messages) || !shared.budget.take(messages)) {
          end(controller);
          return await reader.cancel();
        }
        // The library parses an event when it has all of it.
        const filled = fill(value);
        controller.enqueue(hasEvent && bytes > LARGE_BYTES ? await shared.waitToParse(filled) : filled);
        if (hasEvent) bytes = 0;
      } catch (error) {
        if (!isAnswer || !(error instanceof ResponseTooLargeError)) throw error;
        end(controller);
      }
    },
    cancel: reason => reader.cancel(reason),
  });
}

const [LINE, RETURN] = Buffer.from('\n\r');

/** The parser takes longer for a line with an unknown field than for a line of a message. */
const LINES_PER_MESSAGE = 8;

/** Counts messages: a blank line, in any of its three encodings, ends one, and this many other lines count as one, too. */
function makeMessageCounter() {
  let previous: number | undefined;
  let isBlank = true;
  return (bytes: Uint8Array) => {
    let [events, lines] = [0, 0];
    for (const byte of bytes) {
      const isSecondHalf = byte === LINE && previous === RETURN;
      previous = byte;
      if (isSecondHalf) continue;
      const isEnd = byte === LINE || byte === RETURN;
      if (isEnd) lines += 1;
      if (isEnd && isBlank) events += 1;
      isBlank = isEnd;
    }
    return { messages: events + lines / LINES_PER_MESSAGE, hasEvent: events > 0 };
  };
}

/** Servers of an older protocol revision may respond with a batch of messages. */
async function boundBatch(response: Response, { budget, waitToParse }: SharedLimits): Promise<Response> {
  const text = await response.text();
  if (text.length > LARGE_BYTES) await waitToParse(text);
  const isBatch = text.trimStart().startsWith('[');
  const messages = isBatch ? (JSON.parse(text) as unknown[]).length : 1;
  if (messages > MAX_MESSAGES || !budget.take(messages)) throw new ResponseTooLargeError();
  return withBody(response, text.replaceAll(NULL_PARTS, '"$1":{}'));
}

/** Servers write null for parts that they leave out, and the library then drops the message. No JSON string can match this. */
const NULL_PARTS = /"(_meta|params)"\s{0,8}:\s{0,8}null/g;
const NULL_TEXTS = ['"_meta":null', '"params":null'];
const MAX_HELD = 40;

/** Fills these parts in a stream of bytes; a piece that may end within one is held back until the next. */
function makeNullFiller(): (bytes: Uint8Array | undefined) => Uint8Array {
  let held = '';
  return bytes => {
    // Latin-1 makes each byte one character, whatever the bytes mean.
    const text = (held + Buffer.from(bytes ?? []).toString('latin1')).replaceAll(NULL_PARTS, '"$1":{}');
    held = bytes === undefined ? '' : unfinishedNullOf(text);
    return Buffer.from(text.slice(0, text.length - held.length), 'latin1');
  };
}

function unfinishedNullOf(text: string): string {
  for (let at = Math.max(0, text.length - MAX_HELD); at < text.length; at += 1) {
    if (text.charAt(at) !== '"') continue;
    const begun = text.slice(at).replaceAll(/\s/g, '');
    if (NULL_TEXTS.some(whole => whole.startsWith(begun))) return text.slice(at);
  }
  return '';
}

/** Returns the id of the request, or a placeholder, which also ends the library's pending call. */
function idOf(body: unknown): unknown {
  const request = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown }) : {};
  return request.id ?? 'none';
}
