import { createHash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { storableText } from '../../platform/storable-text.ts';
import { MAX_BODY_BYTES, MAX_DOCUMENT_BYTES } from '../../queues/contract/body-limit.ts';
import { failure } from '../../queues/contract/failure.ts';
import { spellingOf } from '../../queues/contract/shape.ts';
import type { SentDocument } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

/*
 * A body with a document is too long to be parsed in one step: 20 MB take 100 to 200 ms, in which the process does nothing
 * else. So the document is cut out of its bytes and decoded piece by piece, and only what is around it is parsed.
 */

export interface CutBody {
  /** The body with a mark in place of each document. */
  readonly json: string;
  /** The documents by the marks in their places. */
  readonly documents: ReadonlyMap<string, SentDocument>;
}

/** Bytes that are decoded in one step. V8 takes memory of its own for each string over 128 KiB, which is slow. */
const STEP = 65_536;
/** They take a few milliseconds. */
const STEPS_AT_ONCE = 4;
/** A name whose every letter is escaped is six times as long. */
const MAX_NAME_LENGTH = 100;
/** The limit of the start of a `data:` URL, with its media type. */
const MAX_HEAD_LENGTH = 300;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The highest code of the white space between values. */
const BLANK = 0x20;
const LIST_START = 0x5b;
const starts = new Set([LIST_START, 0x7b]);
const ends = new Set([0x5d, 0x7d]);

/** A place whose text becomes bytes. */
interface BytePlace {
  makeDecoder(): PieceDecoder;
  /** What is right there is ASCII; anything else is refused by the decoder. */
  readonly isAscii?: boolean;
  /** Whether the bytes may, or must, be in a `data:` URL, whose start stays in the JSON. When absent: they are the whole text. */
  readonly dataUrl?: 'may' | 'must';
}

/** The key is the names on the way to the place, in any spelling, with `*` for each item of a list. */
export type BytePlaces = Readonly<Record<string, BytePlace>>;

const base64 = { makeDecoder: fromBase64, isAscii: true };
export const documentPlaces: BytePlaces = { content: { makeDecoder: fromText }, content_base64: base64 };
export const attachmentPlaces: BytePlaces = { 'attachments.*.content_base64': base64 };
export const chatPlaces: BytePlaces = {
  'messages.*.content.*.image_url.url': { ...base64, dataUrl: 'must' },
  'messages.*.content.*.input_audio.data': base64,
  'messages.*.content.*.file.file_data': { ...base64, dataUrl: 'may' },
};

/** Cuts the texts in these places out of the JSON of an object. */
export async function cutDocuments(body: Buffer, places: BytePlaces = documentPlaces): Promise<CutBody> {
  const documents = new Map<string, SentDocument>();
  const around: string[] = [];
  const text = new TextDecoder();
  const path = makePath(places);
  const pause = makePause();
  let [last, copied, jsonBytesLeft, bytesLeft] = [0, 0, MAX_BODY_BYTES, MAX_DOCUMENT_BYTES];
  const copyTo = (end: number) => {
    around.push(text.decode(body.subarray(copied, end), { stream: true }));
    jsonBytesLeft -= end - copied;
  };
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (at - copied > jsonBytesLeft) throw new RefusalError(failure('body-too-large'));
    if (byte <= BLANK) continue;
    const place = byte === QUOTE && last === COLON ? path.findPlace() : undefined;
    const start = place && startOfBytes(body, at + 1, place);
    if (starts.has(byte)) path.enter(byte === LIST_START);
    else if (ends.has(byte)) path.leave();
    else if (place && start !== undefined) {
      copyTo(start);
      const { document, end } = await decodeDocument(body, start, { place, maxBytes: bytesLeft, pause });
      // Many small ones take as long as a large one.
      await pause();
      bytesLeft -= document.bytes?.length ?? 0;
      const mark = randomUUID();
      documents.set(mark, document);
      around.push(mark);
      at = end;
      copied = end;
    } else if (byte === QUOTE) {
      const end = endOfPiece(body, at + 1, at + 1 + jsonBytesLeft);
      if (last !== COLON) path.setName(() => nameIn(body.subarray(at, end + 1)));
      at = end;
    }
    last = byte;
  }
  copyTo(body.length);
  if (jsonBytesLeft < 0) throw new RefusalError(failure('body-too-large'));
  return { json: around.join('') + text.decode(), documents };
}

/** Lets other requests run, after each few steps. */
function makePause(): () => Promise<void> {
  let steps = 0;
  return async () => {
    steps += 1;
    if (steps % STEPS_AT_ONCE === 0) await setImmediate();
  };
}

/** Where the reader of a body is, as deep as there are places. */
function makePath(places: BytePlaces) {
  const bySpelling = new Map(Object.entries(places).map(([place, bytes]) => [spellingOf(place), bytes]));
  const deepest = Math.max(...Object.keys(places).map(place => place.split('.').length));
  const names: string[] = [];
  let depth = 0;
  return {
    enter(isList: boolean): void {
      depth += 1;
      if (depth <= deepest) names[depth - 1] = isList ? '*' : '';
    },
    leave(): void {
      depth -= 1;
      names.length = Math.max(0, Math.min(depth, deepest));
    },
    setName(read: () => string): void {
      if (depth >= 1 && depth <= deepest && names[depth - 1] !== '*') names[depth - 1] = read();
    },
    findPlace(): BytePlace | undefined {
      const place = depth >= 1 && depth <= deepest ? names.join('.') : '';
      return bySpelling.get(spellingOf(place));
    },
  };
}

/** The index behind the start of a `data:` URL, or of the text; undefined: no bytes are in it. */
function startOfBytes(body: Buffer, at: number, { dataUrl }: BytePlace): number | undefined {
  const head = dataUrl && /^data:[^",]*,/i.exec(body.toString('latin1', at, at + MAX_HEAD_LENGTH))?.[0];
  if (head === undefined) return dataUrl === 'must' ? undefined : at;
  return head.toLowerCase().endsWith(';base64,') ? at + head.length : undefined;
}

function nameIn(json: Buffer): string {
  if (json.length > MAX_NAME_LENGTH) return '';
  try {
    return String(JSON.parse(json.toString()));
  } catch {
    return '';
  }
}

/** Turns the pieces of a text into bytes. Without a piece, it ends: undefined is returned if the text was not right. */
type PieceDecoder = (piece?: string) => Buffer | undefined;

interface Decoding {
  readonly place: BytePlace;
  readonly maxBytes: number;
  pause(): Promise<void>;
}

/** `end`: the index of the closing quote. */
async function decodeDocument(
  body: Buffer,
  start: number,
  { place: { makeDecoder, isAscii = false }, maxBytes, pause }: Decoding,
): Promise<{ document: SentDocument; end: number }> {
  const decode = makeDecoder();
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  // A decoder of UTF-8 takes longer than all that follows, and so does one of JSON.
  const textOf = (piece: Buffer) =>
    isAscii ? piece.toString('latin1') : utf8.decode(piece, { stream: true });
  const unescapeAll = (text: string) => (isAscii && !text.includes('\\') ? text : unescape(text));
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  let length = 0;
  const add = (bytes: Buffer) => {
    hash.update(bytes);
    pieces.push(bytes);
    length += bytes.length;
    if (length > maxBytes) throw new RefusalError(failure('document-too-large'));
  };
  let at = start;
  while (body[at] !== QUOTE) {
    if (at >= body.length) throw new RefusalError(failure('body-not-json'));
    const end = endOfStep(body, at);
    add(decode(unescapeAll(textOf(body.subarray(at, end)))) ?? Buffer.alloc(0));
    at = end;
    await pause();
  }
  const rest = decode();
  if (rest) add(rest);
  const digest = hash.digest('hex');
  return { document: { bytes: rest && Buffer.concat(pieces, length), digest }, end: at };
}

/** The end of the piece that is decoded next. */
function endOfStep(body: Buffer, start: number): number {
  const piece = body.subarray(start, start + STEP);
  const quote = piece.indexOf(QUOTE);
  const plain = quote < 0 ? piece : piece.subarray(0, quote);
  return plain.includes(BACKSLASH) ? endOfPiece(body, start, start + STEP) : start + plain.length;
}

/** The index of the quote that closes a string, or the first one after `limit` that is not within an escape. */
function endOfPiece(body: Buffer, start: number, limit: number): number {
  let at = start;
  while (at < body.length && body[at] !== QUOTE && at < limit) {
    if (body[at] !== BACKSLASH) at += 1;
    else at += body[at + 1] === LETTER_U ? 6 : 2;
  }
  return Math.min(at, body.length);
}

function unescape(piece: string): string {
  try {
    return JSON.parse(`"${piece}"`) as string;
  } catch {
    throw new RefusalError(failure('body-not-json'));
  }
}

function fromText(): PieceDecoder {
  let kept = '';
  return piece => {
    const text = kept + (piece ?? '');
    // The second half of a pair may be in the next piece.
    const isOpen = piece !== undefined && /[\ud800-\udbff]$/.test(text);
    kept = isOpen ? text.slice(-1) : '';
    return Buffer.from(storableText(isOpen ? text.slice(0, -1) : text));
  };
}

/**
 * Base64 as gateways hand it over: perhaps in a `data:` URL, in lines, in the URL-safe alphabet, without padding. Node ignores what
 * is not base64: then fewer bytes come out than the text has.
 */
function fromBase64(): PieceDecoder {
  let [kept, characters, bytes, tail, isStart] = ['', 0, 0, '', true];
  const decode = (text: string) => {
    const decoded = Buffer.from(text, 'base64');
    bytes += decoded.length;
    return decoded;
  };
  return piece => {
    if (piece === undefined) {
      const rest = decode(kept);
      const padding = tail.endsWith('==') ? 2 : Number(tail.endsWith('='));
      const digits = characters - padding;
      const isPadded = padding === 0 || characters % 4 === 0;
      // One digit alone is no byte.
      const isWhole = isPadded && digits % 4 !== 1 && bytes === Math.floor((digits * 3) / 4);
      return isWhole ? rest : undefined;
    }
    const text = (isStart ? piece.replace(DATA_URL_HEAD, '') : piece).replaceAll(/[\t\n\f\r ]+/g, '');
    isStart = false;
    characters += text.length;
    tail = (tail + text.slice(-2)).slice(-2);
    const waiting = kept + text;
    const whole = waiting.length - (waiting.length % 4);
    kept = waiting.slice(whole);
    return decode(waiting.slice(0, whole));
  };
}

const DATA_URL_HEAD = /^\s{0,9}data:[^,]{0,300};base64,/i;
