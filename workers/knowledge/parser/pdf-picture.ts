import { crc32, deflateSync } from 'node:zlib';
import { getResolvedPDFJS } from 'unpdf';
import type { Pdf } from './pdf-page.ts';

/*
 * A scanned page has its text in pictures: mostly one, sometimes strips or layers of a drawing. They are put in their places on a grey
 * page, turned as a reader sees it, and that is one PNG. Nothing else of the page is drawn, which needs no canvas: that of Node is a
 * native library of 30 MB for each platform.
 */

type Page = Awaited<ReturnType<Pdf['getPage']>>;
type PdfJs = Awaited<ReturnType<typeof getResolvedPDFJS>>;

/** A hostile page may claim any size: A4 at 600 dots an inch has 35 million, which take 105 MB of colours. */
export const MAX_PIXELS = 40_000_000;
/** Less is an ornament: a signature, a logo. */
export const LEAST_PIXELS = 60_000;
/** Of all pictures of a page: each sample of each is taken up to 16 times. */
const MAX_PICTURES = 400;
/** The longer side, in pixels: models make larger ones smaller. With 16 greys, no PNG is over 2 MB. */
const LONGEST = 2_000;
const MAX_SAMPLES = 4;
const WHITE = 255;

/** Maps x, y to ax + cy + e, bx + dy + f. */
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns how light a pixel is, from 0 to 255; undefined where nothing is. */
type Sample = (x: number, y: number) => number | undefined;

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly sampleAt: Sample;
  readonly matrix: Matrix;
}

/** The library has no type for it; what it decodes is an object or, for a mask, the name of one. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | string;
}

interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly (readonly unknown[] | null)[];
}

/** A page whose letters are drawn as outlines has thousands of lines; an empty one may have a frame. */
const LEAST_PATHS = 100;

/**
 * Whether the page has pictures of some size or, where it has no text at all, many lines. It is of a document that leaves pictures
 * of some size out, as `cut` is of one that ends a page there instead, or at another error: what cannot be read is as good as drawn.
 */
export async function isDrawn(page: Page, cut: Page, hasNoText: boolean): Promise<boolean> {
  const { OPS } = await getResolvedPDFJS();
  const [whole, begun] = [await operatorsOf(page), await operatorsOf(cut)];
  if (begun.fnArray.length < whole.fnArray.length) return true;
  const pictures = await picturesOf(page, whole);
  const paths = whole.fnArray.filter(operator => operator === OPS.constructPath).length;
  return !pictures || pixelsOf(pictures) >= LEAST_PIXELS || (hasNoText && paths >= LEAST_PATHS);
}

const pixelsOf = (pictures: readonly Picture[]) =>
  pictures.reduce((sum, { width, height }) => sum + width * height, 0);

/** Returns the page as a PNG; undefined if one of its pictures cannot be decoded, or there are only ornaments. */
export async function drawPage(page: Page): Promise<Buffer | undefined> {
  const pictures = await picturesOf(page, await operatorsOf(page));
  // What is too large is left out: a page is shown whole or not at all.
  if (!pictures || pixelsOf(pictures) < LEAST_PIXELS) return undefined;
  const { width: across, height: down } = page.getViewport({ scale: 1 });
  const scale = LONGEST / Math.max(across, down);
  const [width, height] = [across, down].map(side => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const grey = new Uint8Array(width * height).fill(WHITE);
  const toPage = page.getViewport({ scale }).transform as unknown as Matrix;
  for (const picture of pictures) draw(picture, product(toPage, picture.matrix), { grey, width, height });
  return toPng(grey, width, height);
}

async function operatorsOf(page: Page): Promise<Operators> {
  return (await page.getOperatorList()) as Operators;
}

/** Returns what is painted; undefined where something cannot be decoded. */
async function picturesOf(page: Page, { fnArray, argsArray }: Operators): Promise<Picture[] | undefined> {
  const { OPS } = await getResolvedPDFJS();
  const pictures: Picture[] = [];
  const saved: { readonly matrix: Matrix; readonly ink: number }[] = [];
  let [matrix, ink] = [IDENTITY, 0];
  for (const [at, operator] of fnArray.entries()) {
    const [first, ...others] = argsArray[at] ?? [];
    if (isOneOf(OPS, operator, 'save', 'paintFormXObjectBegin', 'beginGroup')) saved.push({ matrix, ink });
    if (isOneOf(OPS, operator, 'restore', 'paintFormXObjectEnd', 'endGroup'))
      ({ matrix, ink } = saved.pop() ?? { matrix, ink });
    if (operator === OPS.transform) matrix = product(matrix, [first, ...others] as unknown as Matrix);
    if (operator === OPS.paintFormXObjectBegin && first) matrix = product(matrix, first as Matrix);
    if (operator === OPS.setFillRGBColor) ink = inkOf(first);
    const isMask = operator === OPS.paintImageMaskXObject;
    if (!isMask && !isOneOf(OPS, operator, 'paintImageXObject', 'paintInlineImageXObject')) continue;
    const picture = await decoded(page, first, isMask ? ink : undefined);
    if (!picture || pictures.length >= MAX_PICTURES) return undefined;
    pictures.push({ ...picture, matrix });
  }
  return pictures;
}

function isOneOf(ops: PdfJs['OPS'], operator: number, ...names: readonly (keyof PdfJs['OPS'])[]): boolean {
  return names.some(name => ops[name] === operator);
}

/** The library tells every colour as `#1a2b3c`. */
function inkOf(colour: unknown): number {
  const parts = /^#(..)(..)(..)/.exec(String(colour))?.slice(1) ?? ['0', '0', '0'];
  const [red = 0, green = 0, blue = 0] = parts.map(part => Number.parseInt(part, 16));
  return greyOf(red, green, blue);
}

function greyOf(red: number, green: number, blue: number): number {
  return (red * 299 + green * 587 + blue * 114) / 1_000;
}

/** `ink`: of a mask, which has a bit for each place where nothing is painted. */
async function decoded(
  page: Page,
  named: unknown,
  ink: number | undefined,
): Promise<Omit<Picture, 'matrix'> | undefined> {
  const told = typeof named === 'string' ? await objectOf(page, named) : (named as Decoded | null);
  const own = typeof told?.data === 'string' ? await objectOf(page, told.data) : told;
  const { width = 0, height = 0, kind, data } = own ?? {};
  if (!data || typeof data === 'string' || width < 1 || height < 1) return undefined;
  const { GRAYSCALE_1BPP, RGB_24BPP } = (await getResolvedPDFJS()).ImageKind;
  if (ink !== undefined || kind === GRAYSCALE_1BPP) {
    const rowBytes = (width + 7) >> 3;
    const isSet = (x: number, y: number) => ((data[y * rowBytes + (x >> 3)] ?? 0) & (128 >> (x & 7))) !== 0;
    const sampleAt: Sample = (x, y) => (isSet(x, y) ? (ink === undefined ? WHITE : undefined) : (ink ?? 0));
    return { width, height, sampleAt };
  }
  const channels = kind === RGB_24BPP ? 3 : 4;
  const sampleAt: Sample = (x, y) => {
    const at = (y * width + x) * channels;
    // Half of what shines through is not seen.
    if (channels === 4 && (data[at + 3] ?? 0) < 128) return undefined;
    return greyOf(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
  };
  return { width, height, sampleAt };
}

function objectOf(page: Page, name: string): Promise<Decoded | null> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise(resolve => void objects.get(name, resolve));
}

function product([a, b, c, d, e, f]: Matrix, [k, l, m, n, o, p]: Matrix): Matrix {
  return [a * k + c * l, b * k + d * l, a * m + c * n, b * m + d * n, a * o + c * p + e, b * o + d * p + f];
}

interface Sheet {
  readonly grey: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A pixel of the sheet is the mean of what of the picture falls on it: thin strokes of a fax would be lost otherwise. */
function draw(picture: Picture, matrix: Matrix, { grey, width, height }: Sheet): void {
  const [a, b, c, d, e, f] = matrix;
  const area = a * d - b * c;
  if (!Number.isFinite(area) || Math.abs(area) < 1e-9) return;
  const [left, right] = rangeOf([e, e + a, e + c, e + a + c], width);
  const [top, bottom] = rangeOf([f, f + b, f + d, f + b + d], height);
  const steps = Math.min(
    MAX_SAMPLES,
    Math.max(1, Math.ceil(Math.sqrt((picture.width * picture.height) / Math.abs(area)))),
  );
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      const at = y * width + x;
      let sum = 0;
      for (let step = 0; step < steps * steps; step += 1) {
        const [ux, uy] = [
          x + ((step % steps) + 0.5) / steps - e,
          y + (Math.floor(step / steps) + 0.5) / steps - f,
        ];
        // A picture is the square from 0 to 1, and its first row the upper end.
        const [u, v] = [(ux * d - uy * c) / area, 1 - (uy * a - ux * b) / area];
        const isInside = u >= 0 && u < 1 && v >= 0 && v < 1;
        const seen = isInside
          ? picture.sampleAt(Math.floor(u * picture.width), Math.floor(v * picture.height))
          : undefined;
        sum += seen ?? grey[at] ?? WHITE;
      }
      grey[at] = sum / (steps * steps);
    }
}

function rangeOf(corners: readonly number[], end: number): readonly [number, number] {
  return [Math.max(0, Math.floor(Math.min(...corners))), Math.min(end, Math.ceil(Math.max(...corners)))];
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Sixteen greys, two pixels a byte; a row begins with the byte of its filter. */
function toPng(grey: Uint8Array, width: number, height: number): Buffer {
  const rowBytes = 1 + ((width + 1) >> 1);
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const level = Math.round((grey[y * width + x] ?? WHITE) / 17);
      rows[y * rowBytes + 1 + (x >> 1)]! |= x % 2 === 0 ? level << 4 : level;
    }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', head),
    chunkOf('IDAT', deflateSync(rows)),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

function chunkOf(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
