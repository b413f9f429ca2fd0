import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { failure } from '../../queues/contract/failure.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { refuseField } from './validate.ts';

/*
 * A body is in the charset that its Content-Type declares. Bytes outside the charset are refused: stored as U+FFFD, their letters
 * would be lost.
 */

type Charset = 'UTF-8' | 'Windows-1252';

/** ISO-8859-1 is read as Windows-1252, which only has letters in place of control characters; ASCII is UTF-8. */
const charsets: Readonly<Record<string, Charset>> = { 'utf-8': 'UTF-8', 'windows-1252': 'Windows-1252' };
const asciiNames = new Set(['ascii', 'us-ascii']);

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

function refuseBytes(charset: Charset): never {
  const message = `must be ${charset}, or in the charset that the Content-Type declares`;
  refuseField('', 'format', message);
}
