import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { getElementsByTagName, textContent } from 'domutils';
import { parseDocument as parseHtml } from 'htmlparser2';
import iconv from 'iconv-lite';
import {
  type Block,
  type DocumentText,
  lengthOf,
  MAX_CELLS,
  MAX_TEXT,
} from '../../domain/documents/block.ts';
import { joinLines } from '../../domain/documents/join-lines.ts';
import { headOf } from '../../domain/passage-filter.ts';
import { type DescriptionUse, readDescribed } from '../../domain/rest-tools/described-choice.ts';
import { type DocumentKind, isPacked, sitemapRootOf, UnreadableError } from '../document-kind.ts';
import { readCsv } from './read-csv.ts';
import { readDocx } from './read-docx.ts';
import { readHtml } from './read-html.ts';
import { readMarkdown } from './read-markdown.ts';
import { drawPdfPage, readPdf } from './read-pdf.ts';
import { readXlsx } from './read-xlsx.ts';

export interface ReadRequest {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  /** The address of a page, to which its links may be relative. */
  readonly address?: string;
  /** The charset that the sender of a page declares. */
  readonly encoding?: string | undefined;
  /** True for a document from an address, which may be a sitemap. */
  readonly mayBeSitemap?: boolean;
  /** Set for a file of a turn, which nobody else reads: a filter at its head is plain text. */
  readonly isAttached?: boolean;
  /** Set where a model reads the scanned pages of a PDF later: it may have no other text. */
  readonly mayBeScanned?: boolean;
  /** The number of the page of a PDF that is wanted as a picture. */
  readonly drawnPage?: number;
  /** Set for an OpenAPI description, which is a text. */
  readonly description?: DescriptionUse;
}

export type ReadResult =
  | {
      readonly text: DocumentText;
      readonly title?: string;
      /** Where a browser goes on from a page by itself; then it may have no text. */
      readonly leads?: readonly string[];
    }
  | { readonly sitemap: Sitemap }
  /** A picture in base64; null if none can be made. */
  | { readonly png: string | null }
  | { readonly description: ReturnType<typeof readDescribed> };

const [PDF, ZIP] = ['%PDF-', 'PK\u0003\u0004'];
/** The signature of old Office formats, and of encrypted new ones. */
const COMPOUND = '\u00d0\u00cf\u0011\u00e0';
/** Readers of PDF look for its mark in the first kilobyte. */
const MARK_WITHIN = 1_024;

/** A sitemap of 50,000 pages has at most 50 MB by its standard; 16 MiB of zeros unpack to 16 GiB. */
const MAX_UNPACKED = 50 * 1_048_576;

/** Counts paragraphs, headings, records, and rows of tables. */
const MAX_BLOCKS = 200_000;

/** Reads a document; throws an UnreadableError with the reason if its bytes are not what it says. */
export async function parseDocument(
  request: ReadRequest,
  onPage: (done: number, total: number) => void,
): Promise<ReadResult> {
  const found = await read(request, onPage);
  if (!('text' in found)) return found;
  const result = { ...found, text: { ...found.text, blocks: found.text.blocks.flatMap(visibleBlock) } };
  checkSize(result.text.blocks);
  const first = result.text.blocks.find(hasText);
  if (!first) {
    if ((request.mayBeScanned && result.text.scanned) || result.leads) return result;
    throw new UnreadableError('no-text');
  }
  const isDoubtful = result.text.filter === undefined && firstLinesOf(first).some(line => headOf(line));
  return isDoubtful ? { ...result, text: { ...result.text, hasFalseHead: true } } : result;
}

/** Soft hyphens and blanks without a width: within a word, a search for it finds nothing. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]+/g;

/** Returns the block as it is seen, in composed letters; nothing of one that is not. */
function visibleBlock(block: Block): Block[] {
  if (block.kind === 'table') {
    const { caption, header, rows } = block;
    return [
      {
        ...block,
        ...(caption === undefined ? {} : { caption: visible(caption) }),
        header: header.map(visible),
        rows: rows.map(row => row.map(visible)),
      },
    ];
  }
  const text = visible(block.text);
  return text === '' && block.text !== '' ? [] : [{ ...block, text }];
}

function visible(text: string): string {
  const seen = text.replaceAll(INVISIBLE, '');
  return (seen === text ? seen : seen.trim()).normalize('NFC');
}

/** Returns what a reader sees first. The labels of a sheet's first record are its first line. */
function firstLinesOf(block: Block): string[] {
  if (block.kind === 'entry') {
    const labels = block.text.split('\n').map(line => line.split(':', 1).join());
    return [block.text, labels.join(' ')];
  }
  if (block.kind !== 'table') return [block.text];
  const rows = [[block.caption ?? ''], block.header, ...block.rows].map(row => row.join(' ').trim());
  return [rows.find(row => row !== '') ?? ''];
}

/** Limits what the worker receives, which has other work and less memory. */
function checkSize(blocks: readonly Block[]): void {
  let [count, cells, length] = [blocks.length, 0, 0];
  for (const block of blocks) {
    length += lengthOf(block);
    if (block.kind !== 'table') continue;
    count += block.rows.length;
    cells += block.header.length;
    for (const row of block.rows) cells += row.length;
  }
  if (count > MAX_BLOCKS || cells > MAX_CELLS) throw new UnreadableError('too-many-passages');
  if (length > MAX_TEXT) throw new UnreadableError('too-large');
}

async function read(
  {
    kind,
    bytes,
    address,
    encoding,
    mayBeSitemap = false,
    isAttached = false,
    description,
    drawnPage,
  }: ReadRequest,
  onPage: (done: number, total: number) => void,
): Promise<ReadResult> {
  checkMark(kind, bytes);
  if (drawnPage !== undefined)
    return { png: (await drawPdfPage(bytes, drawnPage))?.toString('base64') ?? null };
  if (kind === 'pdf') return { text: await readPdf(bytes, onPage, { looksForScans: !isAttached }) };
  if (kind === 'docx') return { text: await readDocx(bytes) };
  if (kind === 'xlsx') return { text: readXlsx(bytes) };
  const isPackedSitemap = mayBeSitemap && isPacked(bytes);
  const text = decodeText(isPackedSitemap ? unpacked(bytes) : bytes, encoding);
  if (description) return { description: readDescribed(text, description) };
  const sitemap = mayBeSitemap ? readSitemap(text) : undefined;
  if (sitemap) return { sitemap };
  if (isPackedSitemap) throw new UnreadableError('wrong-kind');
  if (kind === 'html') {
    const { title, leads, ...page } = readHtml(text, address);
    const followed = page.blocks.some(hasText) ? leads.always : [...leads.always, ...leads.ifEmpty];
    const isSent = !mayBeSitemap || followed.length === 0;
    return { text: page, title: visible(title), ...(isSent ? {} : { leads: followed }) };
  }
  const source = text.replaceAll('\r\n', '\n');
  return { text: isAttached ? readers[kind](source) : readSource(source, readers[kind]) };
}

const readers = {
  markdown: (source: string) => readMarkdown(joinLines(source)),
  text: (source: string) => readPlainText(joinLines(source)),
  csv: readCsv,
};

/** A source that is read as written may begin with a filter, as a chunk may. */
function readSource(source: string, readBody: (body: string) => DocumentText): DocumentText {
  const head = headOf(source);
  if (!head) return readBody(source);
  return 'filter' in head
    ? { filter: head.filter, ...readBody(head.body) }
    : { hasFalseHead: true, ...readBody(source) };
}

function unpacked(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    throw new UnreadableError(error instanceof RangeError ? 'too-large' : 'broken');
  }
}

function checkMark(kind: DocumentKind, bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, MARK_WITHIN)).toString('latin1');
  const isOffice = kind === 'docx' || kind === 'xlsx';
  const isPdf = start.startsWith(PDF) || (kind === 'pdf' && start.includes(PDF));
  // An Office document with a password is in the old format.
  if (isOffice && start.startsWith(COMPOUND)) throw new UnreadableError('encrypted');
  const found = isPdf ? 'pdf' : start.startsWith(ZIP) ? 'archive' : 'text';
  const wanted = isOffice ? 'archive' : kind === 'pdf' ? 'pdf' : 'text';
  if (found !== wanted || start.startsWith(COMPOUND)) throw new UnreadableError('wrong-kind');
}

function hasText(block: Block): boolean {
  return block.kind === 'table'
    ? [[block.caption], block.header, ...block.rows].some(row => row.some(Boolean))
    : block.text.trim() !== '';
}

const MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
/** Bytes that are searched for a declared encoding, or for the zeros of UTF-16. */
const SEEN_BYTES = 4_096;
const DECLARED = /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i;

/**
 * Decodes by the byte order mark, by the declaration of the page or its sender, or else as UTF-8 if it is valid, otherwise as
 * Windows-1252, the encoding of old Windows programs. Letters and accents that stand apart, as macOS writes them, are joined.
 */
function decodeText(bytes: Uint8Array, declared?: string): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const encoding = marked ?? wideEncodingOf(bytes) ?? declared ?? declaredIn(bytes);
  const text = decode(bytes, encoding) ?? decode(bytes, 'utf-8') ?? decode(bytes, 'windows-1252') ?? '';
  if (text.includes('\u0000')) throw new UnreadableError('wrong-kind');
  return text.normalize('NFC');
}

/** Returns undefined for an unknown encoding, or a text that is not in it. Node's own decoder takes Windows-1252 for Latin-1. */
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

/** Detects UTF-16 without a mark: every other byte of western text is zero. */
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

export function readPlainText(text: string): DocumentText {
  const paragraphs = text
    .split(/\n[ \t]*\n/)
    .map(paragraph => paragraph.trim())
    .filter(paragraph => paragraph !== '');
  return { blocks: paragraphs.map(paragraph => ({ kind: 'text', text: paragraph })) };
}

interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

const MAX_ADDRESSES = 50_000;
const MAX_ADDRESS = 2_000;

/**
 * Returns a sitemap's addresses, undefined for other texts. Throws for a cut one: passages of pages it no longer lists are
 * deleted.
 */
function readSitemap(text: string): Sitemap | undefined {
  const root = sitemapRootOf(text);
  if (root === undefined) return undefined;
  if (!text.includes(`</${root}`) && !text.trimEnd().endsWith('/>')) throw new UnreadableError('broken');
  const document = parseHtml(text, { xmlMode: true });
  const addressesIn = (name: string) =>
    getElementsByTagName(name, document, true, MAX_ADDRESSES).flatMap(entry => {
      const [location] = getElementsByTagName('loc', entry.children, true, 1);
      const address = location ? textContent(location).trim() : '';
      return address === '' || address.length > MAX_ADDRESS ? [] : [address];
    });
  return { pages: addressesIn('url'), sitemaps: addressesIn('sitemap') };
}
