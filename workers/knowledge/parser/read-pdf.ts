import { getResolvedPDFJS } from 'unpdf';
import type { Block, DocumentText } from '../../domain/documents/block.ts';
import { type PdfItem, pdfBlocksOf, pdfLinesOf } from '../../domain/documents/pdf-blocks.ts';
import { type PdfLine, textOf } from '../../domain/documents/pdf-lines.ts';
import { headOf } from '../../domain/passage-filter.ts';
import { UnreadableError } from '../document-kind.ts';

const MAX_PAGES = 2_000;
/** Limits all pages, in characters. */
const MAX_TEXT = 16 * 1_048_576;
const WORD = /[\p{L}\p{N}]+/u;

type OnPage = (done: number, total: number) => void;
type PdfJs = Awaited<ReturnType<typeof getResolvedPDFJS>>;
type Pdf = Awaited<ReturnType<PdfJs['getDocument']>['promise']>;

/** The library's types do not declare this shape of a text. */
interface TextItem {
  readonly str?: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName?: string;
}

export async function readPdf(bytes: Uint8Array, onPage: OnPage): Promise<DocumentText> {
  const pdf = await openPdf(bytes);
  const { numPages } = pdf;
  if (numPages > MAX_PAGES) throw new UnreadableError('too-many-pages');
  const pages: PdfLine[][] = [];
  let length = 0;
  for (let at = 1; at <= numPages; at += 1) {
    const lines = await readLines(pdf, at);
    for (const { pieces } of lines) for (const { text } of pieces) length += text.length;
    if (length > MAX_TEXT) throw new UnreadableError('too-large');
    pages.push(lines);
    onPage(at, numPages);
  }
  const blocks = pdfBlocksOf(pages);
  return { blocks, ...(isDoubtful(pages, blocks[0]) ? { hasFalseHead: true } : {}) };
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
  };
  try {
    return await getDocument({ ...options, stopAtErrors: false }).promise;
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new UnreadableError(isLocked ? 'encrypted' : 'broken');
  }
}

async function readLines(pdf: Pdf, number: number): Promise<PdfLine[]> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const found = (items as TextItem[]).flatMap(
      ({ str, transform, width, height, fontName = '' }): PdfItem[] => {
        if (str === undefined) return [];
        const [a = 0, b = 0, , , x = 0, y = 0] = transform;
        return [{ text: str, x, y, width, size: Math.hypot(a, b) || height, font: fontName }];
      },
    );
    return pdfLinesOf(withWidths(found));
  } catch {
    throw new UnreadableError('broken');
  }
}

/**
 * The library gives no width to a glyph that stands for a letter and its accent, and adds it to the blank after it: only a
 * blank that is wider than the letters need is a real one.
 */
function withWidths(items: readonly PdfItem[]): PdfItem[] {
  return items.map((item, at) => {
    const blank = items[at + 1];
    if (item.width > 0 || item.text.trim() === '' || blank?.text.trim() !== '' || blank.width === 0)
      return item;
    const isBlank = blank.width > (widthOf(item.text) + BLANK_EM / 2) * item.size;
    return { ...item, width: blank.x + blank.width - (isBlank ? BLANK_EM * item.size : 0) - item.x };
  });
}

/** The width of a blank in most fonts, as a part of the size. */
const BLANK_EM = 0.28;

/** The approximate width of a text in these letters, in the same unit. */
function widthOf(text: string): number {
  const letters = text.normalize('NFC');
  let width = 0;
  for (const letter of letters)
    width += /[\sijlítfrìîï.,'I]/u.test(letter)
      ? BLANK_EM
      : /[mwMW]/.test(letter)
        ? 0.8
        : /\p{Lu}/u.test(letter)
          ? 0.68
          : 0.56;
  return width;
}
