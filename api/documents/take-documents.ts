import { createHash, randomUUID } from 'node:crypto';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { MAX_DOCUMENT_BYTES } from '../../queues/contract/body-limit.ts';
import { failure } from '../../queues/contract/failure.ts';
import { MAX_NAME_LENGTH, spellingOf } from '../../queues/contract/shape.ts';
import type { SentDocument } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

/** A place in the body whose text becomes bytes. */
interface BytePlace {
  readonly isBase64: boolean;
  /**
   * Whether the bytes may, or must, be in a `data:` URL, whose start stays in the body. Without it, the whole text is the bytes.
   */
  readonly dataUrl?: 'may' | 'must';
}

/** The key is the names on the way to the place, in any spelling, with `*` for each item of a list. */
export type BytePlaces = Readonly<Record<string, BytePlace>>;

const base64 = { isBase64: true };
export const documentPlaces: BytePlaces = { content: { isBase64: false }, content_base64: base64 };
export const descriptionPlaces: BytePlaces = { openapi: { isBase64: false } };
export const attachmentPlaces: BytePlaces = { 'attachments.*.content_base64': base64 };
export const chatPlaces: BytePlaces = {
  'messages.*.content.*.image_url.url': { ...base64, dataUrl: 'must' },
  'messages.*.content.*.input_audio.data': base64,
  'messages.*.content.*.file.file_data': { ...base64, dataUrl: 'may' },
};
export const responsePlaces: BytePlaces = {
  'input.*.content.*.image_url': { ...base64, dataUrl: 'must' },
  'input.*.content.*.input_audio.data': base64,
  'input.*.content.*.file_data': { ...base64, dataUrl: 'may' },
};

/** Replaces each document in the parsed body by a mark; returns the documents by their marks. */
export async function takeDocuments(
  body: unknown,
  places: BytePlaces,
): Promise<ReadonlyMap<string, SentDocument>> {
  return runInSlices(takeAll(body, places));
}

function* takeAll(body: unknown, places: BytePlaces): Generator<void, Map<string, SentDocument>> {
  const documents = new Map<string, SentDocument>();
  let bytesLeft = MAX_DOCUMENT_BYTES;
  for (const [path, { isBase64, dataUrl }] of Object.entries(places))
    for (const { holder, name, text } of textsAt(body, path.split('.'))) {
      yield;
      const head = dataUrl ? headOf(text) : '';
      if (head === undefined || (head === '' && dataUrl === 'must')) continue;
      const sent = text.slice(head.length);
      const bytes = yield* isBase64 ? bytesOfBase64(sent) : bytesOfText(sent);
      bytesLeft -= bytes?.length ?? 0;
      if (bytesLeft < 0) throw new RefusalError(failure('document-too-large'));
      yield;
      const mark = randomUUID();
      documents.set(mark, {
        bytes,
        digest: createHash('sha256')
          .update(bytes ?? '')
          .digest('hex'),
      });
      holder[name] = head + mark;
    }
  return documents;
}

interface PlacedText {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly text: string;
}

function* textsAt(value: unknown, [first = '', ...rest]: readonly string[]): Generator<PlacedText> {
  const isItem = first === '*';
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== isItem) return;
  const holder = value as Record<string, unknown>;
  for (const [name, inner] of Object.entries(holder)) {
    if (!isItem && (name.length > MAX_NAME_LENGTH || spellingOf(name) !== spellingOf(first))) continue;
    if (rest.length > 0) yield* textsAt(inner, rest);
    else if (typeof inner === 'string') yield { holder, name, text: inner };
  }
}

/** The start of a `data:` URL in base64, or '' if the text is no such URL. Undefined if the URL is not in base64. */
function headOf(text: string): string | undefined {
  const head = /^data:[^",]{0,300},/i.exec(text)?.[0] ?? '';
  return head === '' || head.toLowerCase().endsWith(';base64,') ? head : undefined;
}

/** Encoding this many characters takes less than a millisecond. */
const STEP = 65_536;

/** Replaces text that PostgreSQL cannot store by U+FFFD, in steps: in one, 3.7 million NULs take a second. */
function* bytesOfText(sent: string): Generator<void, Buffer> {
  const text = sent.toWellFormed();
  let stored = '';
  for (let at = 0; at < text.length; at += STEP) {
    yield;
    stored += text
      .slice(at, at + STEP)
      .split('\0')
      .join('\uFFFD');
  }
  return Buffer.from(stored);
}

/**
 * Accepts base64 as gateways send it: maybe in a `data:` URL, in lines, in the URL-safe alphabet, or without padding. Node skips
 * characters that are not base64: then there are fewer bytes than the text should have.
 */
function* bytesOfBase64(sent: string): Generator<void, Buffer | undefined> {
  const text = sent.replace(DATA_URL_HEAD, '').trimEnd();
  let blanks = 0;
  if (/[\t\n\f\r ]/.test(text))
    for (let at = 0; at < text.length; at += 1) {
      if (at % STEP === 0) yield;
      if ('\t\n\f\r '.includes(text.charAt(at))) blanks += 1;
    }
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const digits = text.length - blanks - padding;
  const isPadded = padding === 0 || (digits + padding) % 4 === 0;
  yield;
  const bytes = Buffer.from(text, 'base64');
  // A single digit is no byte.
  const isWhole = isPadded && digits % 4 !== 1 && bytes.length === Math.floor((digits * 3) / 4);
  return isWhole ? bytes : undefined;
}

const DATA_URL_HEAD = /^\s{0,9}data:[^,]{0,300};base64,/i;
