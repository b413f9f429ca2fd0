import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import type { DocumentText } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';

const MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
/** Bytes in which a declaration of the encoding, or the zeros of UTF-16, are looked for. */
const SEEN_BYTES = 4_096;
/** How an HTML page declares its encoding. */
const DECLARED = /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i;

/**
 * The text, by its byte order mark, by what the page or its sender declares, or by what it can be: UTF-8 if it is valid,
 * otherwise Windows-1252, the encoding of old Windows programs. Letters and accents that stand apart, as macOS writes them, are one.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const encoding = marked ?? wideEncodingOf(bytes) ?? declared ?? declaredIn(bytes);
  const text = decode(bytes, encoding) ?? decode(bytes, 'utf-8') ?? decode(bytes, 'windows-1252') ?? '';
  if (text.includes('\u0000')) throw new UnreadableError('wrong-kind');
  return text.normalize('NFC');
}

/** Undefined where there is no such encoding, or the text is not in it. Node's own decoder takes Windows-1252 for Latin-1. */
function decode(bytes: Uint8Array, encoding: string | undefined): string | undefined {
  if (encoding === undefined) return undefined;
  if (/^utf-?8$/i.test(encoding)) return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
  if (!iconv.encodingExists(encoding)) return undefined;
  // Browsers read Latin-1 as Windows-1252, too.
  const name = /^(?:iso-?8859-1|latin-?1|us-ascii|ascii)$/i.test(encoding) ? 'windows-1252' : encoding;
  return iconv.decode(Buffer.from(bytes), name);
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, SEEN_BYTES)).toString('latin1');
  return DECLARED.exec(start)?.[1];
}

/** UTF-16 without a mark: of western text every other byte is zero. */
function wideEncodingOf(bytes: Uint8Array): string | undefined {
  const seen = bytes.subarray(0, SEEN_BYTES);
  if (seen.length < 4) return undefined;
  const zeros = [0, 0];
  for (const [at, byte] of seen.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = seen.length * 0.35;
  if (odd > most && even < odd / 10) return 'utf-16le';
  return even > most && odd < even / 10 ? 'utf-16be' : undefined;
}

/** Plain text: paragraphs between blank lines. */
export function readPlainText(text: string): DocumentText {
  const paragraphs = text
    .split(/\n[ \t]*\n/)
    .map(paragraph => paragraph.trim())
    .filter(paragraph => paragraph !== '');
  return { blocks: paragraphs.map(paragraph => ({ kind: 'text', text: paragraph })) };
}
