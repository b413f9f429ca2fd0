import { getResolvedPDFJS } from 'unpdf';
import type { PdfItem } from '../../domain/documents/pdf-blocks.ts';
import { FILLED_IN } from '../../domain/documents/pdf-lines.ts';
import { hasLettersApart, joinLetters } from '../../domain/documents/spaced-letters.ts';
import { addressOf } from './html-page.ts';
import { BLANK_EM, type Box, type PdfLinks, widthOf } from './pdf-links.ts';

/*
 * The texts of a page as it is meant to be read: upright, with what was filled into its fields, and with marks where links lead.
 * A page may be turned as a whole, or each of its texts; the direction of most characters is that of its lines.
 */

type PdfJs = Awaited<ReturnType<typeof getResolvedPDFJS>>;
export type Pdf = Awaited<ReturnType<PdfJs['getDocument']>['promise']>;
type Page = Awaited<ReturnType<Pdf['getPage']>>;

/** The library's types do not declare this shape of a text. */
interface TextItem {
  readonly str?: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName?: string;
}

/** A link, or a field with its value; the library has no type for it. */
interface Annotation {
  readonly subtype?: string;
  readonly rect: readonly number[];
  readonly quadPoints?: ArrayLike<number> | null;
  readonly url?: string;
  readonly annotationFlags?: number;
  readonly hidden?: boolean;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly password?: boolean;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
  readonly contentsObj?: { readonly str: string };
  readonly defaultAppearanceData?: { readonly fontSize: number };
}

interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly (readonly unknown[] | null)[];
}

/** A number moves the next glyph. */
type Glyph = { readonly unicode?: string } | number | null;

const HIDDEN = 0x2;
/** The place of a line's middle above its letters' foot, as a part of the font size. */
const MIDDLE = 0.35;
const LINE_HEIGHT = 1.2;
const USUAL_SIZE = 10;
const MAX_FIELD_GAP = 0.3;

export async function readPage(page: Page, links: PdfLinks): Promise<PdfItem[]> {
  const { items } = await page.getTextContent();
  const texts = (items as TextItem[]).filter(({ str }) => str !== undefined);
  const turns = turnsOf(texts);
  const upright = withWidths(texts.map(text => toItem(text, turns)));
  const found = upright.some(hasLettersApart) ? joinLetters(upright, await sourceOf(page)) : upright;
  const annotations = ((await page.getAnnotations()) as Annotation[]).filter(
    ({ annotationFlags = 0, hidden }) => !hidden && (annotationFlags & HIDDEN) === 0,
  );
  const linked = annotations.flatMap(({ subtype, url, rect, quadPoints }) => {
    const address = subtype === 'Link' && url ? addressOf(url, undefined) : undefined;
    return address ? boxesOf(rect, quadPoints, turns).map(box => ({ address, box })) : [];
  });
  const marked = links.mark(found, linked);
  return annotations.reduce((all, each) => withField(all, each, turns), marked);
}

// The library needs this function for the operators of a page; Node 20 has none.
const buffers: object = ArrayBuffer.prototype;
if (!('transferToFixedLength' in buffers))
  Object.assign(buffers, {
    transferToFixedLength(this: ArrayBuffer, length: number) {
      return this.slice(0, length);
    },
  });

/** Returns the texts as they are written in the file: the library makes one blank of several. */
async function sourceOf(page: Page): Promise<string> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = (await page.getOperatorList()) as Operators;
  const texts = fnArray.flatMap((operator, at) =>
    operator === OPS.showText ? [(argsArray[at]?.[0] ?? []) as readonly Glyph[]] : [],
  );
  return texts
    .map(glyphs => glyphs.map(glyph => (typeof glyph === 'object' ? (glyph?.unicode ?? '') : '')).join(''))
    .join('\n');
}

/** The direction of a text: how often it is turned by a quarter to the left. */
function quarterOf([a = 0, b = 0]: readonly number[]): number {
  return (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
}

function turnsOf(texts: readonly TextItem[]): number {
  const counts = [0, 0, 0, 0];
  for (const { str = '', transform } of texts) counts[quarterOf(transform)]! += str.trim().length;
  return counts.indexOf(Math.max(...counts));
}

/** Turns a place to the right, around the corner of the page. */
function turned(x: number, y: number, turns: number): readonly [number, number] {
  return (
    [
      [x, y],
      [y, -x],
      [-x, -y],
      [-y, x],
    ] as const
  )[turns as 0 | 1 | 2 | 3];
}

function toItem({ str = '', transform, width, height, fontName = '' }: TextItem, turns: number): PdfItem {
  const [a = 0, b = 0, , , left = 0, foot = 0] = transform;
  const [x, y] = turned(left, foot, turns);
  const size = Math.hypot(a, b) || height;
  const item = { text: str, x, y, width, size, font: fontName };
  const across = (quarterOf(transform) - turns + 4) % 4;
  if (across % 2 === 0) return item;
  // A text across the lines, such as the month beside its rows, stands at its middle.
  const up = across === 1;
  return { ...item, x: up ? x - size : x, width: size, y: y + (up ? width : -width) / 2 - MIDDLE * size };
}

/** A link over several lines has a box for each, with the corners of each. */
function boxesOf(rect: readonly number[], corners: Annotation['quadPoints'], turns: number): Box[] {
  const numbers = Array.from(corners ?? []);
  const boxes = Array.from({ length: Math.floor(numbers.length / 8) }, (_, at) =>
    numbers.slice(8 * at, 8 * at + 8),
  );
  return (boxes.length > 0 ? boxes : [rect]).map(each => boxOf(each, turns));
}

function boxOf(corners: readonly number[], turns: number): Box {
  const places = corners.flatMap((x, at) => (at % 2 === 0 ? [turned(x, corners[at + 1] ?? 0, turns)] : []));
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  return { x: Math.min(...xs), y: Math.min(...ys), end: Math.max(...xs), top: Math.max(...ys) };
}

/** Adds what was filled in: behind the label at its left, before the one at its right, or below the text above it. */
function withField(items: readonly PdfItem[], field: Annotation, turns: number): PdfItem[] {
  const lines = valueOf(field)
    .split(/\r\n?|\n/)
    .filter(line => line.trim() !== '');
  const box = boxOf(field.rect, turns);
  const height = box.top - box.y;
  const size = field.defaultAppearanceData?.fontSize || Math.min(USUAL_SIZE, 0.7 * height);
  const isOneLine = height < 2 * LINE_HEIGHT * size;
  const top = isOneLine ? (box.y + box.top) / 2 - MIDDLE * size : box.top - LINE_HEIGHT * size;
  return lines.reduce<PdfItem[]>(
    (all, text, at) => {
      const y = top - at * LINE_HEIGHT * size;
      const width = Math.min(box.end - box.x, text.length * size * 0.5);
      return placed(all, { text, x: box.x, y, width, size, font: FILLED_IN });
    },
    [...items],
  );
}

function placed(items: readonly PdfItem[], field: PdfItem): PdfItem[] {
  const isBeside = ({ text, y, size }: PdfItem) => text.trim() !== '' && Math.abs(y - field.y) <= 0.7 * size;
  const before = items.findLastIndex(item => isBeside(item) && item.x < field.x);
  const label = items[before];
  if (label) {
    const { size, y } = label;
    const end = label.x + label.width;
    const isLabel = /[:?$]\s*$/.test(label.text);
    const x = isLabel ? end + MAX_FIELD_GAP * size : Math.max(field.x, end);
    return items.toSpliced(before + 1, 0, { ...field, x, y, size });
  }
  const after = items.findIndex(item => isBeside(item) && item.x > field.x);
  const right = items[after];
  if (right) {
    const x = right.x - field.width - MAX_FIELD_GAP * right.size;
    return items.toSpliced(after, 0, { ...field, x, y: right.y, size: right.size });
  }
  const above = items.findLastIndex(({ text, y }) => text.trim() !== '' && y > field.y);
  return items.toSpliced(above + 1, 0, field);
}

/** A box is told with its mark, so that it is plain which of several was chosen. */
function valueOf(field: Annotation): string {
  const { subtype, fieldType, fieldValue, options = [] } = field;
  if (subtype === 'FreeText') return field.contentsObj?.str ?? '';
  if (subtype !== 'Widget' || field.password) return '';
  if (fieldType === 'Btn') {
    const own = field.checkBox ? field.exportValue : field.radioButton ? field.buttonValue : undefined;
    if (own === undefined) return '';
    return fieldValue === own ? '[x]' : '[ ]';
  }
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return '';
  return [fieldValue]
    .flat()
    .flatMap(value => (typeof value === 'string' ? [value] : []))
    .map(value => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ');
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
