import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { Gate } from '../../platform/gate.ts';
import { makeTokenBucket, type TokenBucket } from '../../platform/token-bucket.ts';
import { PlainResponse } from './plain-response.ts';
import { MAX_MESSAGE_BYTES, ResponseMeter, ResponseTooLargeError } from './response-meter.ts';

/*
 * Reads what the address of a tenant answers, with the same limits whoever has asked. A file is handed over as bytes, and has no
 * other limit. A body that is parsed in this process is measured before, by message: an event of a stream, or the whole body.
 *
 *   message   is refused beyond its limits of bytes, values and depth; a large one waits for its turn: of all hosts, one is
 *             parsed at a time
 *   host      has its values parsed at a limited rate; what comes sooner waits
 *   event     is passed on when it is there whole: the library of OpenAI copies what it has of one with each piece of it
 */

/** How those who have asked parse a body. */
export interface BodyForm {
  /** Limits a body that is one message; a message has a limit of its own. */
  readonly maxBytes?: number;
  /** Undefined: the body is one message. */
  readonly events?: EventForm;
  /** Each message costs this besides its values, and counted in values. */
  readonly valuesPerMessage?: number;
  /** More messages of one body than this takes are refused. */
  readonly makeLimit?: () => TokenBucket;
}

interface EventForm {
  /** Whether the body is read as events; otherwise it is one message. */
  isRight(response: Response): boolean;
  readonly maxBytes: number;
  /** The stream stays open, whether anything comes or not. */
  readonly isStanding?: boolean;
}

/** A response that trickles in holds a connection; no call waits longer than a turn. */
const MAX_ANSWER_MS = 70_000;
/** Smaller messages need not wait for each other: one of 4 MB takes up to 150 ms. */
const LARGE_BYTES = 16_384;
/** A stream of `data: {}`, 16 MiB, blocked a worker for 0.5 to 1.6 s at a time: other work comes between two pieces. */
const PIECE_BYTES = 8_192;
/** JSON.parse takes about a microsecond for a value, so that a host has 6 % of a processor. */
const VALUES_PER_SECOND = 64_000;
const VALUES_AT_ONCE = 5 * VALUES_PER_SECOND;
/** To find an event, and hand it over, takes about as long as these. */
const VALUES_PER_EVENT = 8;
const MAX_HOSTS = 1_000;

/** These two are of the whole process, whoever asks. */
const turns = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 1 });
const paces = new LRUCache<string, TokenBucket>({ max: MAX_HOSTS });

export function readParsed(response: Response, hostId: string, form: BodyForm = {}): Response {
  if (!response.body) return response;
  const { events, maxBytes = MAX_MESSAGE_BYTES } = form;
  // Libraries parse the whole body of a refusal, whatever its type.
  const isEvents = events !== undefined && response.ok && events.isRight(response);
  const time = isEvents && events.isStanding ? undefined : AbortSignal.timeout(MAX_ANSWER_MS);
  const limited = limitBytes(response.body, isEvents ? events.maxBytes : maxBytes, time);
  const read = isEvents ? readEvents : readMessage;
  return withBody(response, read(limited, hostId, form));
}

export function readFile(response: Response, maxBytes: number): Response {
  return withBody(
    response,
    response.body && limitBytes(response.body, maxBytes, AbortSignal.timeout(MAX_ANSWER_MS)),
  );
}

/** Limits nothing but the size: for a body of somebody who is trusted. */
export function withMaxBytes(response: Response, maxBytes: number): Response {
  return withBody(response, response.body && limitBytes(response.body, maxBytes));
}

/** Replaces the body and keeps the address, which the constructor forgets. */
export function withBody(response: Response, body: Body | null): Response {
  if (!body) return response;
  if (response instanceof PlainResponse) return new PlainResponse(response, body) as unknown as Response;
  const { status, statusText, headers, url } = response;
  const replaced = new Response(ReadableStream.from(body), { status, statusText, headers });
  Object.defineProperty(replaced, 'url', { value: url });
  return replaced;
}

type Body = AsyncIterable<Uint8Array>;

/** Passes a body on as it comes, but for its end: it is parsed then. */
async function* readMessage(body: Body, hostId: string, form: BodyForm): AsyncGenerator<Uint8Array> {
  const meter = new ResponseMeter(false);
  const limit = form.makeLimit?.();
  let [bytes, values, messages] = [0, 0, 1];
  for await (const chunk of body) {
    const seen = meter.measure(chunk);
    bytes += chunk.byteLength;
    values += seen.values;
    messages += seen.messages;
    yield chunk;
  }
  if (limit && !limit.take(messages)) throw new ResponseTooLargeError();
  await waitForPace(hostId, values + messages * (form.valuesPerMessage ?? 0));
  if (bytes > LARGE_BYTES) await waitForTurn(hostId);
}

async function* readEvents(body: Body, hostId: string, form: BodyForm): AsyncGenerator<Uint8Array> {
  const { valuesPerMessage = VALUES_PER_EVENT } = form;
  const meter = new ResponseMeter(true);
  const limit = form.makeLimit?.();
  let held: Uint8Array[] = [];
  const take = (last: Uint8Array) => {
    const whole = held.length === 0 ? last : Buffer.concat([...held, last]);
    held = [];
    return whole;
  };
  for await (const chunk of body) {
    for (let from = 0; from < chunk.byteLength; from += PIECE_BYTES) {
      if (from > 0) await nextTurn();
      const piece = chunk.subarray(from, from + PIECE_BYTES);
      const { values, messages, end } = meter.measure(piece);
      if (limit && !limit.take(messages)) throw new ResponseTooLargeError();
      await waitForPace(hostId, values + messages * valuesPerMessage);
      if (end > 0) {
        const events = take(piece.subarray(0, end));
        if (events.byteLength > LARGE_BYTES) await waitForTurn(hostId);
        yield events;
      }
      if (end < piece.byteLength) held.push(piece.subarray(end));
    }
  }
  const rest = take(Buffer.alloc(0));
  if (rest.byteLength > LARGE_BYTES) await waitForTurn(hostId);
  if (rest.byteLength > 0) yield rest;
}

async function waitForPace(hostId: string, values: number): Promise<void> {
  const pace = paces.get(hostId) ?? makeTokenBucket(VALUES_AT_ONCE, VALUES_PER_SECOND);
  paces.set(hostId, pace);
  const ms = pace.add(values);
  if (ms > 0) await delay(ms, undefined, { ref: false });
}

/** Resolves when the message may be parsed, round-robin over the hosts, with pauses for everything else. */
function waitForTurn(hostId: string): Promise<void> {
  return new Promise(resolve => {
    // The caller parses the message before the next tick of the event loop, so the gate's time includes the parsing.
    void turns.run({ key: hostId }, () => nextTurn(resolve()));
  });
}

async function* limitBytes(body: Body, maxBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  // Its types know no streams of the web.
  if (signal) addAbortSignal(signal, body as unknown as Readable);
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw new ResponseTooLargeError();
      yield piece;
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
