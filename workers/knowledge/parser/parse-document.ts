import {
  type Block,
  type DocumentText,
  lengthOf,
  MAX_CELLS,
  MAX_TEXT,
} from '../../domain/documents/block.ts';
import { headOf } from '../../domain/passage-filter.ts';
import { type DocumentKind, UnreadableError } from '../document-kind.ts';
import { decodeText, readPlainText } from './decode-text.ts';
import { readCsv } from './read-csv.ts';
import { readDocx } from './read-docx.ts';
import { readHtml } from './read-html.ts';
import { readMarkdown } from './read-markdown.ts';
import { readPdf } from './read-pdf.ts';
import { readSitemap, type Sitemap } from './read-sitemap.ts';
import { readXlsx } from './read-xlsx.ts';

export interface ReadRequest {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  /** Where a page is: its links may be relative to it. */
  readonly address?: string;
  /** The charset that the sender of a page declares. */
  readonly encoding?: string | undefined;
  /** The document may be a sitemap: it came from an address. */
  readonly mayBeSitemap?: boolean;
  /** The file of a turn: it is for nobody else, so what may be a filter at its head is text. */
  readonly isAttached?: boolean;
}

export type ReadResult =
  | { readonly text: DocumentText; readonly title?: string }
  | { readonly sitemap: Sitemap };

const [PDF, ZIP] = ['%PDF-', 'PK\u0003\u0004'];
/** Old formats of Office, and encrypted new ones. */
const COMPOUND = '\u00d0\u00cf\u0011\u00e0';
/** Readers of PDF look for its mark in the first kilobyte. */
const MARK_WITHIN = 1_024;

/** Paragraphs, headings, records, and rows of tables. */
const MAX_BLOCKS = 200_000;

/** Reads a document that is what it says; throws an UnreadableError with the reason why not. */
export async function parseDocument(
  request: ReadRequest,
  onPage: (done: number, total: number) => void,
): Promise<ReadResult> {
  const result = await read(request, onPage);
  if (!('text' in result)) return result;
  checkSize(result.text.blocks);
  if (!result.text.blocks.some(hasText)) throw new UnreadableError('no-text');
  return result;
}

/** What the worker is handed: it has other things to do, and less memory. */
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
  { kind, bytes, address, encoding, mayBeSitemap = false, isAttached = false }: ReadRequest,
  onPage: (done: number, total: number) => void,
): Promise<ReadResult> {
  checkMark(kind, bytes);
  if (kind === 'pdf') return { text: withoutSource(await readPdf(bytes, onPage)) };
  if (kind === 'docx') return { text: withoutSource(await readDocx(bytes)) };
  if (kind === 'xlsx') return { text: withoutSource(readXlsx(bytes)) };
  const text = decodeText(bytes, encoding);
  const sitemap = mayBeSitemap ? readSitemap(text) : undefined;
  if (sitemap) return { sitemap };
  if (kind === 'html') {
    const { title, ...page } = readHtml(text, address);
    return { text: withoutSource(page), title };
  }
  const source = text.replaceAll('\r\n', '\n');
  return { text: isAttached ? readers[kind](source) : readSource(source, readers[kind]) };
}

const readers = { markdown: readMarkdown, text: readPlainText, csv: readCsv };

/** What can be read as it was written may begin with a filter, as a chunk may. */
function readSource(source: string, readBody: (body: string) => DocumentText): DocumentText {
  const head = headOf(source);
  if (!head) return readBody(source);
  return 'filter' in head
    ? { filter: head.filter, ...readBody(head.body) }
    : { hasFalseHead: true, ...readBody(source) };
}

/** A document that has only a look may begin as if it had a filter, and never has one. */
function withoutSource(text: DocumentText): DocumentText {
  const [first] = text.blocks;
  return first && first.kind !== 'table' && headOf(first.text) ? { ...text, hasFalseHead: true } : text;
}

function checkMark(kind: DocumentKind, bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, MARK_WITHIN)).toString('latin1');
  const isOffice = kind === 'docx' || kind === 'xlsx';
  const isPdf = start.startsWith(PDF) || (kind === 'pdf' && start.includes(PDF));
  // One of Office with a password is in the old format.
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
