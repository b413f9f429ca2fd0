import { getResolvedPDFJS } from 'unpdf';
import type { Block, DocumentText } from '../../domain/documents/block.ts';
import { pdfBlocksOf, pdfLinesOf } from '../../domain/documents/pdf-blocks.ts';
import { type PdfLine, textOf } from '../../domain/documents/pdf-lines.ts';
import { headOf } from '../../domain/passage-filter.ts';
import { UnreadableError } from '../document-kind.ts';
import { PdfLinks } from './pdf-links.ts';
import { type Pdf, readPage } from './pdf-page.ts';
import { drawPage, isDrawn, LEAST_PIXELS, MAX_PIXELS } from './pdf-picture.ts';

const MAX_PAGES = 2_000;
/** Limits all pages, in characters. */
const MAX_TEXT = 16 * 1_048_576;
const WORD = /[\p{L}\p{N}]+/u;
/** A scanned page may have as many letters all the same: its number, the stamp of a signature. */
const MAX_STAMP = 120;
/** Such a page is read three times: 2,000 would take a document far over its time. */
const MAX_LOOKED = 50;

type OnPage = (done: number, total: number) => void;

/** `looksForScans`: whether pages whose text is in pictures are told, which takes time. */
export async function readPdf(
  bytes: Uint8Array,
  onPage: OnPage,
  { looksForScans } = { looksForScans: false },
): Promise<DocumentText> {
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
  const scanned = looksForScans ? await scannedOf(bytes, pages) : [];
  return {
    blocks: blocks.flatMap(block => links.write(block)),
    ...(isHead ? { hasFalseHead: true } : {}),
    ...(scanned.length > 0 ? { scanned } : {}),
  };
}

/** Returns the numbers of the pages whose text is in pictures; those that are not looked at are the ones without text. */
async function scannedOf(bytes: Uint8Array, pages: readonly PdfLine[][]): Promise<number[]> {
  const lengths = pages.map(lines => lines.map(textOf).join('').length);
  const bare = lengths.flatMap((length, at) => (length <= MAX_STAMP ? [at + 1] : []));
  const looked = bare.slice(0, MAX_LOOKED);
  if (looked.length === 0) return [];
  const scanned: number[] = [];
  // A picture of some size is not decoded here: each takes up to a second, and any memory.
  const [whole, strict] = [
    await openPdf(bytes, { maxImageSize: LEAST_PIXELS - 1 }),
    await openPdf(bytes, { maxImageSize: LEAST_PIXELS - 1, stopAtErrors: true }),
  ];
  const look = async (number: number, hasNoText: boolean) => {
    const [page, cut] = [await whole.getPage(number), await strict.getPage(number)];
    const isScanned = await isDrawn(page, cut, hasNoText);
    for (const each of [page, cut]) each.cleanup();
    return isScanned;
  };
  for (const number of looked) {
    const hasNoText = lengths[number - 1] === 0;
    // A page that is not right was read all the same, so that it is no reason to end here.
    if (await look(number, hasNoText).catch(() => hasNoText)) scanned.push(number);
  }
  return [...scanned, ...bare.slice(MAX_LOOKED).filter(number => lengths[number - 1] === 0)];
}

/** Returns a page as a PNG; undefined if that cannot be made. */
export async function drawPdfPage(bytes: Uint8Array, number: number): Promise<Buffer | undefined> {
  const pdf = await openPdf(bytes, { maxImageSize: MAX_PIXELS });
  return drawPage(await pdf.getPage(number));
}

/** Whether a line down to the first word may be meant as a filter: a paragraph joins its lines, and loses a dash at their ends. */
function isDoubtful(pages: readonly PdfLine[][], first: Block | undefined): boolean {
  const text = first?.kind === 'table' ? first.header.join(' ') : first?.text;
  const word = WORD.exec(text ?? '')?.[0] ?? '';
  const lines = pages.flat().map(textOf);
  const end = lines.findIndex(line => line.includes(word));
  return lines.slice(0, end + 1).some(line => headOf(line) !== undefined);
}

/** Without a limit of their size, pictures are not decoded. */
async function openPdf(
  bytes: Uint8Array,
  { maxImageSize = 0, stopAtErrors = false }: { maxImageSize?: number; stopAtErrors?: boolean } = {},
): Promise<Pdf> {
  const { getDocument } = await getResolvedPDFJS();
  const options = {
    // The library refuses a Buffer, which other processes send.
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: 0,
    maxImageSize,
    stopAtErrors,
  };
  try {
    return await getDocument(options).promise;
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
