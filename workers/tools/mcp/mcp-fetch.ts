import { makeTokenBucket } from '../../../platform/token-bucket.ts';
import type { Egress } from '../egress.ts';
import { ResponseTooLargeError } from '../response-meter.ts';
import { type BodyForm, withBody } from '../response-reader.ts';
import { TOO_LARGE } from './bounded-messages.ts';

/*
 * The MCP library parses each message of a server on its own, which costs far more than reading the bytes: a response
 * made of endless notifications blocks the process for seconds. So messages are counted before the library sees them.
 * A stream with too many ends with an error response to the request, because only that ends the call: after a stream
 * that just breaks off, the library lets the call wait and reconnects to read the rest.
 */

/** Limits one response, and bursts of an open stream: the library takes 40 ms for these, and took seconds for endless ones. */
const MAX_MESSAGES = 400;
const STREAM_MESSAGES_PER_SECOND = 50;
const MIB = 1_048_576;

/** The library takes about 0.1 ms for a message, and more for large ones: a host has 200 of them a second. */
const valuesPerMessage = 320;
const ANSWER: BodyForm = {
  valuesPerMessage,
  makeLimit: () => makeTokenBucket(MAX_MESSAGES, 0),
  events: { isRight: isEventStream, maxBytes: 8 * MIB },
};
/** The library reads the response to a GET as events whatever its type. */
const STREAM: BodyForm = {
  valuesPerMessage,
  makeLimit: () => makeTokenBucket(MAX_MESSAGES, STREAM_MESSAGES_PER_SECOND),
  events: { isRight: () => true, maxBytes: 64 * MIB, isStanding: true },
};

export function makeMcpFetch(egress: Egress, hostId: string): typeof fetch {
  const [answers, streams] = [egress.parsed(hostId, ANSWER), egress.parsed(hostId, STREAM)];
  return async (input, init) => {
    const isStream = (init?.method ?? 'GET') === 'GET';
    const response = await (isStream ? streams : answers).fetch(input, init);
    if (!response.body) return response;
    const hasEvents = isStream || isEventStream(response);
    const filled = hasEvents ? fillEvents(response.body, idOf(init?.body)) : fillWhole(response.body);
    return withBody(response, filled);
  };
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream/i.test(headers.get('content-type') ?? '');
}

async function* fillEvents(body: AsyncIterable<Uint8Array>, id: unknown): AsyncGenerator<Uint8Array> {
  try {
    for await (const events of body) yield withoutNullParts(events);
  } catch (error) {
    if (!(error instanceof ResponseTooLargeError)) throw error;
    // The stream may have been cut within an event.
    yield Buffer.from(`\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error: TOO_LARGE })}\n\n`);
  }
}

async function* fillWhole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  yield withoutNullParts(Buffer.concat(pieces));
}

/** Servers write null for parts that they leave out, and the library then drops the message. No JSON string can match this. */
const NULL_PARTS = /"(_meta|params)"\s{0,8}:\s{0,8}null/g;

function withoutNullParts(json: Uint8Array): Uint8Array {
  // Latin-1 makes each byte one character, whatever the bytes mean.
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
  return Buffer.from(text.replaceAll(NULL_PARTS, '"$1":{}'), 'latin1');
}

/** Returns the id of the request, or a placeholder, which also ends the library's pending call. */
function idOf(body: unknown): unknown {
  const request = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown }) : {};
  return request.id ?? 'none';
}
