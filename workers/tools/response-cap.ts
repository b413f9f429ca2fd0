/** No response needs more, and several of this size fit in memory. */
const MAX_BYTES = 4 * 1_048_576;
/** Limits all events of one response, and one stream over its whole life. */
const MAX_EVENTS_BYTES = 2 * MAX_BYTES;
const MAX_STREAM_BYTES = 16 * MAX_BYTES;
/** Limits braces, brackets and commas: JSON.parse took 1.3 s for 350,000 objects with a new name each, 42 ms for this many. */
const MAX_MARKS = 50_000;
/** Other bytes outside of strings that count as a mark: JSON.parse took 257 ms for 4 MiB of numbers between two doubles. */
const BYTES_PER_MARK = 20;
const MARKS_OF_A_STREAM = 16 * MAX_MARKS;
/** A response that trickles in holds a connection; no call waits longer than a turn. */
const MAX_ANSWER_MS = 70_000;

export class ResponseTooLargeError extends Error {
  constructor() {
    super('the response is too large');
    this.name = 'ResponseTooLargeError';
  }
}

interface Cap {
  readonly bytes: number;
  readonly marks: number;
}

/** Wraps a response so that its body fails once it exceeds the limits. Sizes count after decompression. */
export function capResponse(response: Response, { isStream }: { isStream: boolean }): Response {
  const { headers, body } = response;
  if (!body) return response;
  // A reader of a stream reads events whatever their type.
  const hasEvents = isStream || /^text\/event-stream/i.test(headers.get('content-type') ?? '');
  const atOnce = { bytes: MAX_BYTES, marks: MAX_MARKS };
  const events = isStream
    ? { bytes: MAX_STREAM_BYTES, marks: MARKS_OF_A_STREAM }
    : { bytes: MAX_EVENTS_BYTES, marks: 2 * MAX_MARKS };
  const cap = makeSizeCap({ inAll: hasEvents ? events : atOnce, atOnce, hasEvents });
  const limited = hasEvents && isStream ? body : body.pipeThrough(makeTimeCap());
  return withBody(response, limited.pipeThrough(cap));
}

/** Limits only the size, for a body that is not parsed. */
export function capSize(response: Response, maxBytes: number): Response {
  if (!response.body) return response;
  let bytes = 0;
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new ResponseTooLargeError());
      else controller.enqueue(chunk);
    },
  });
  return withBody(response, response.body.pipeThrough(makeTimeCap()).pipeThrough(cap));
}

/** Replaces the body and keeps the address, which the constructor forgets. */
export function withBody(
  { status, statusText, headers, url }: Response,
  body: ReadableStream<Uint8Array> | string,
): Response {
  const capped = new Response(body, { status, statusText, headers });
  Object.defineProperty(capped, 'url', { value: url });
  return capped;
}

/** `atOnce` limits the bytes between two blank lines, which a reader of events has to buffer. */
function makeSizeCap({ inAll, atOnce, hasEvents }: { inAll: Cap; atOnce: Cap; hasEvents: boolean }) {
  const all = { bytes: 0, marks: 0 };
  const held = { bytes: 0, marks: 0 };
  const countMarks = makeMarkCounter(hasEvents);
  let last = Buffer.alloc(0);
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const more = { bytes: chunk.byteLength, marks: countMarks(chunk) };
      for (const sum of [all, held]) {
        sum.bytes += more.bytes;
        sum.marks += more.marks;
      }
      const isOver = isMore(all, inAll) || held.marks > atOnce.marks;
      if (hasEvents) {
        const seen = Buffer.concat([last, chunk]);
        const end = endOfEvents(seen);
        if (end >= 0) Object.assign(held, { bytes: seen.length - end, marks: 0 });
        last = seen.subarray(-3);
      }
      if (isOver || held.bytes > atOnce.bytes) controller.error(new ResponseTooLargeError());
      else controller.enqueue(chunk);
    },
  });
}

function isMore(sum: Cap, most: Cap): boolean {
  return sum.bytes > most.bytes || sum.marks > most.marks;
}

const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE, LINE, RETURN] = Buffer.from('",[\\{\n\r');

/** Counts the marks outside of JSON strings, in fractions. In event streams a line, which may be no JSON, ends a string. */
function makeMarkCounter(endsWithLine: boolean): (bytes: Uint8Array) => number {
  let isText = false;
  let isEscaped = false;
  return bytes => {
    let [marks, others] = [0, 0];
    for (const byte of bytes) {
      if (endsWithLine && (byte === LINE || byte === RETURN)) isText = isEscaped = false;
      else if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isText = !isText;
      else if (isText) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) marks += 1;
      else others += 1;
    }
    return marks + others / BYTES_PER_MARK;
  };
}

function makeTimeCap() {
  let timer: NodeJS.Timeout;
  return new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      timer = setTimeout(() => controller.error(new Error('the response takes too long')), MAX_ANSWER_MS);
      timer.unref();
    },
    flush: () => clearTimeout(timer),
  });
}

/** Returns the offset after the last blank line, in any of its three encodings, or -1. */
function endOfEvents(bytes: Buffer): number {
  const ends = ['\n\n', '\r\r', '\r\n\r\n'].map(blank => {
    const at = bytes.lastIndexOf(blank);
    return at < 0 ? -1 : at + blank.length;
  });
  return Math.max(...ends);
}
