import { getResolvedPDFJS } from 'unpdf';
import type { Block, DocumentText } from '../../domain/documents/block.ts';
import { pdfBlocksOf, pdfLinesOf } from '../../domain/documents/pdf-blocks.ts';
import { type PdfLine, textOf } from '../../domain/documents/pdf-lines.ts';
import { headOf } from '../../domain/passage-filter.ts';
import { UnreadableError } from '../document-kind.ts';
import { PdfLinks } from './pdf-links.ts';
import { type Pdf, readPage } from './pdf-page.ts';

const MAX_PAGES = 2_000;
/** Limits all pages, in characters. */
const MAX_TEXT = 16 * 1_048_576;
const WORD = /[\p{L}\p{N}]+/u;

type OnPage = (done: number, total: number) => void;

export async function readPdf(bytes: Uint8Array, onPage: OnPage): Promise<DocumentText> {
  const pdf = await openPdf(bytes);
  const { numPages } = pdf;
  if (numPages > MAX_PAGES) throw new UnreadableError('too-many-pages');
  const pages: PdfLine[][] = [];
  const links = new PdfLinks();
  let length = 0;
  for (let at = 1; at <= numPages; at += 1) {
    const lines = await readLines(pdf, at, links);
    for (const { pieces } of lines) for (const { text } of pieces) length += text.length;
    if (length > MAX_TEXT) throw new UnreadableError('too-large');
    pages.push(lines);
    onPage(at, numPages);
  }
  const blocks = pdfBlocksOf(pages);
  const isHead = isDoubtful(pages, blocks[0]);
  return { blocks: blocks.flatMap(block => links.write(block)), ...(isHead ? { hasFalseHead: true } : {}) };
}

/** Whether a line down to the first word may be meant as a filter: a paragraph joins its lines, and loses a dash at their ends. */
function isDoubtful(pages: readonly PdfLine[][], first: Block | undefined): boolean {
  const text = first?.kind === 'table' ? first.header.join(' ') : first?.text;
  const word = WORD.exec(text ?? '')?.[0] ?? '';
  const lines = pages.flat().map(textOf);
  const end = lines.findIndex(line => line.includes(word));
  return lines.slice(0, end + 1).some(line => headOf(line) !== undefined);
}

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  const { getDocument } = await getResolvedPDFJS();
  const options = {
    // The library refuses a Buffer, which other processes send.
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: 0,
    // Pictures are not read.
    maxImageSize: 0,
  };
  try {
    return await getDocument({ ...options, stopAtErrors: false }).promise;
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new UnreadableError(isLocked ? 'encrypted' : 'broken');
  }
}

async function readLines(pdf: Pdf, number: number, links: PdfLinks): Promise<PdfLine[]> {
  try {
    const page = await pdf.getPage(number);
    const items = await readPage(page, links);
    page.cleanup();
    return pdfLinesOf(items);
  } catch {
    throw new UnreadableError('broken');
  }
}
