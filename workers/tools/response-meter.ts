/*
 * Measures a body before it is parsed, byte by byte: how many JSON values it has, how deep they are nested, and where its messages
 * end. A message is an event of a stream, or the whole body; what nobody can parse may be measured wrongly.
 */

/** Limits the bytes of one message, which whoever parses it has to hold. */
export const MAX_MESSAGE_BYTES = 4 * 1_048_576;
/** JSON.parse took 1.3 s for 350,000 objects with a new name each, 42 ms for this many. */
const MAX_VALUES = 50_000;
/** Other bytes outside of strings that count as a value: JSON.parse took 257 ms for 4 MiB of numbers between two doubles. */
const BYTES_PER_VALUE = 20;
/** Two million lists in each other took JSON.parse 0.7 s, and a function that calls itself for each level fails at some thousand. */
const MAX_DEPTH = 2_000;
/** A parser of events takes longer for a line with an unknown field than for a line of a message. */
const LINES_PER_MESSAGE = 8;

export class ResponseTooLargeError extends Error {
  constructor() {
    super('the response is too large');
    this.name = 'ResponseTooLargeError';
  }
}

interface Measured {
  readonly values: number;
  readonly messages: number;
  /** Where the last event of these bytes ends; 0 if none does. */
  readonly end: number;
}

const [QUOTE, COMMA, BACKSLASH, LINE, RETURN] = Buffer.from('",\\\n\r');
const [LIST, OBJECT, LIST_END, OBJECT_END] = Buffer.from('[{]}');

/** The ends of an event in its last bytes: a blank line, with each of the three ends of lines. */
const [LINES, RETURNS, BOTH] = [0x0a0a, 0x0d0d, 0x0d0a0d0a];

export class ResponseMeter {
  readonly #isEvents: boolean;
  /** The last four bytes. */
  #last = 0;
  #isText = false;
  #isEscaped = false;
  /** The whole body is a list, whose items may be messages of their own. */
  #isBatch = false;
  /** These three are of the message that is being read. */
  #bytes = 0;
  #values = 0;
  #depth = 0;

  constructor(isEvents: boolean) {
    this.#isEvents = isEvents;
  }

  /** Throws where a message is beyond the limits. */
  measure(bytes: Uint8Array): Measured {
    const before = this.#values;
    let [values, messages, end] = [-before, 0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      const isLineEnd = this.#isEvents && (byte === LINE || byte === RETURN);
      if (!isLineEnd) messages += this.#read(byte);
      else if (byte === RETURN || (this.#last & 0xff) !== RETURN) messages += 1 / LINES_PER_MESSAGE;
      this.#last = (this.#last << 8) | byte;
      if (!isLineEnd) continue;
      // A line need not be JSON, so it ends a string.
      this.#isText = this.#isEscaped = false;
      const two = this.#last & 0xffff;
      if (two !== LINES && two !== RETURNS && this.#last !== BOTH) continue;
      this.#check(at - end);
      values += this.#values;
      messages += 1;
      end = at + 1;
      this.#bytes = this.#values = this.#depth = 0;
    }
    this.#check(bytes.length - end);
    this.#bytes += bytes.length - end;
    return { values: values + this.#values, messages, end };
  }

  /** Returns the messages that the byte begins within a list. */
  #read(byte: number): number {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === QUOTE) this.#isText = !this.#isText;
    else if (this.#isText) this.#isEscaped = byte === BACKSLASH;
    else if (byte === COMMA) {
      this.#values += 1;
      return this.#isBatch && this.#depth === 1 ? 1 : 0;
    } else if (byte === LIST || byte === OBJECT) {
      if (this.#depth === 0) this.#isBatch = byte === LIST && !this.#isEvents;
      this.#values += 1;
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH) throw new ResponseTooLargeError();
    } else if (byte === LIST_END || byte === OBJECT_END) this.#depth -= 1;
    else this.#values += 1 / BYTES_PER_VALUE;
    return 0;
  }

  #check(bytes: number): void {
    if (this.#values > MAX_VALUES || this.#bytes + bytes > MAX_MESSAGE_BYTES)
      throw new ResponseTooLargeError();
  }
}
