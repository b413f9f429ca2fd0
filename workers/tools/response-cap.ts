/** More than any answer needs, and little enough to hold a few of them. */
const LARGEST = 4 * 1_048_576;
/** What all events of one answer may be together, and of one stream in its whole life. */
const LARGEST_EVENTS = 2 * LARGEST;
const LONGEST_STREAM = 16 * LARGEST;
/** Objects, lists and commas outside of texts: what is made of them takes far longer than the bytes. */
const MOST_MARKS = 50_000;
const MARKS_OF_A_STREAM = 16 * MOST_MARKS;
/** One that comes byte by byte holds a connection; no call waits longer than a turn. */
const LONGEST_ANSWER_MS = 70_000;

export class AnswerTooLarge extends Error {
  constructor() {
    super('this answer is too large');
    this.name = 'AnswerTooLarge';
  }
}

interface Cap {
  readonly bytes: number;
  readonly marks: number;
}

/** The response, which fails once it turns out to be too large; what is counted is unpacked already. */
export function capResponse(response: Response, { isStream }: { isStream: boolean }): Response {
  const { status, statusText, headers, body } = response;
  if (!body) return response;
  const hasEvents = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const atOnce = { bytes: LARGEST, marks: MOST_MARKS };
  const events = isStream
    ? { bytes: LONGEST_STREAM, marks: MARKS_OF_A_STREAM }
    : { bytes: LARGEST_EVENTS, marks: 2 * MOST_MARKS };
  const cap = sizeCap({ inAll: hasEvents ? events : atOnce, atOnce, hasEvents });
  const limited = hasEvents && isStream ? body : body.pipeThrough(timeCap());
  const capped = new Response(limited.pipeThrough(cap), { status, statusText, headers });
  Object.defineProperty(capped, 'url', { value: response.url });
  return capped;
}

/** `atOnce`: between two blank lines, which is what a reader of events has to hold. */
function sizeCap({ inAll, atOnce, hasEvents }: { inAll: Cap; atOnce: Cap; hasEvents: boolean }) {
  const all = { bytes: 0, marks: 0 };
  const held = { bytes: 0, marks: 0 };
  const countMarks = markCounter(hasEvents);
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
      if (isOver || held.bytes > atOnce.bytes) controller.error(new AnswerTooLarge());
      else controller.enqueue(chunk);
    },
  });
}

function isMore(sum: Cap, most: Cap): boolean {
  return sum.bytes > most.bytes || sum.marks > most.marks;
}

const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE, LINE, RETURN] = Buffer.from('",[\\{\n\r');

/** The marks that stand outside of texts. No text goes on over the end of a line, but what is no JSON may look like one. */
function markCounter(endsWithLine: boolean): (bytes: Uint8Array) => number {
  let isText = false;
  let isEscaped = false;
  return bytes => {
    let marks = 0;
    for (const byte of bytes) {
      if (endsWithLine && (byte === LINE || byte === RETURN)) isText = isEscaped = false;
      else if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isText = !isText;
      else if (isText) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) marks += 1;
    }
    return marks;
  };
}

function timeCap() {
  let timer: NodeJS.Timeout;
  return new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      timer = setTimeout(() => controller.error(new Error('this answer takes too long')), LONGEST_ANSWER_MS);
      timer.unref();
    },
    flush: () => clearTimeout(timer),
  });
}

/** Behind the last blank line, in any of its three spellings; -1 where there is none. */
function endOfEvents(bytes: Buffer): number {
  const ends = ['\n\n', '\r\r', '\r\n\r\n'].map(blank => {
    const at = bytes.lastIndexOf(blank);
    return at < 0 ? -1 : at + blank.length;
  });
  return Math.max(...ends);
}
