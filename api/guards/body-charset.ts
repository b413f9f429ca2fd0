import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import iconv from 'iconv-lite';
import { MAX_DOCUMENT_BODY_BYTES } from '../../queues/contract/body-limit.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { refuseField } from './validate.ts';

/* A body is in the charset that its Content-Type declares. Bytes that it has not are refused: stored as U+FFFD, their letters would be lost. */

type Charset = 'UTF-8' | 'Windows-1252';

/** ISO-8859-1 is read as Windows-1252, which adds letters only where it has control characters; ASCII is UTF-8. */
const charsets: Readonly<Record<string, Charset>> = { 'utf-8': 'UTF-8', 'windows-1252': 'Windows-1252' };
const asciiNames = new Set(['ascii', 'us-ascii']);

/** About 0.3 ms: 20 MB in one step would hold the event loop for 100 ms. */
const STEP = 65_536;

/** Throws a 415 for another charset. */
export function charsetOf(ctx: Ctx): Charset {
  const name = ctx.request.charset.toLowerCase();
  if (name === '' || asciiNames.has(name)) return 'UTF-8';
  const charset = charsets[canonicalNameOf(name)];
  if (!charset) throw new RefusalError(failure('body-not-supported'));
  return charset;
}

function canonicalNameOf(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return '';
  }
}

export function decodeBody(bytes: Buffer, charset: Charset): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (charset === 'UTF-8' && !isUtf8(bytes)) refuseBytes(charset);
  const text = iconv.decode(bytes, charset);
  if (charset !== 'UTF-8' && text.includes('\ufffd')) refuseBytes(charset);
  return text;
}

/** The same text in UTF-8, made in steps. */
export async function toUtf8(bytes: Buffer, charset: Charset): Promise<Buffer> {
  if (charset === 'UTF-8' && !isUtf8(bytes)) refuseBytes(charset);
  if (charset === 'UTF-8' || isAscii(bytes)) return bytes;
  const pieces: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length; at += STEP) {
    const piece = Buffer.from(decodeBody(bytes.subarray(at, at + STEP), charset));
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_DOCUMENT_BODY_BYTES) throw new RefusalError(failure('document-too-large'));
    await setImmediate();
  }
  return Buffer.concat(pieces, length);
}

function refuseBytes(charset: Charset): never {
  refuseField('', `must be ${charset}, or in the charset that the Content-Type declares`);
}
