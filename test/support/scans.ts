import { deflateSync, inflateSync } from 'node:zlib';
import type { ModelRequest } from './scripted-model.ts';

/** A page of a PDF: its scanned picture has so many bars, at its upper left; `text` is the text that stands on it as letters. */
export interface ScannedPage {
  readonly bars?: number;
  readonly text?: string;
  /** How far the page is turned to the right; its picture stands upright then. */
  readonly turned?: 0 | 90 | 180 | 270;
  /** Two pictures, one above the other, are one page. */
  readonly isHalved?: boolean;
  /** A fax: what is black is painted through a mask. */
  readonly isFax?: boolean;
  /** The last picture says that it is as wide; its bytes are fewer. */
  readonly claimedWidth?: number;
  /** Bytes that no reader knows in place of the picture. */
  readonly isBroken?: boolean;
}

const [WIDTH, HEIGHT] = [620, 876];
const [UNIT, TOP, BOTTOM] = [20, 40, 120];

/** Whether the picture is black there: bars of one unit, a unit apart. */
function isBlack(bars: number, x: number, y: number): boolean {
  const unit = Math.floor(x / UNIT) - 2;
  return y >= TOP && y < BOTTOM && unit >= 0 && unit % 2 === 0 && unit / 2 < bars;
}

/** Writes a PDF whose pages are pictures, as a scanner does. */
export function makeScan(pages: readonly ScannedPage[]): Buffer {
  const objects: Buffer[] = [];
  const add = (text: string, stream?: Buffer) => {
    const parts = stream
      ? [`${text.replace('>>', `/Length ${stream.length}>>`)}\nstream\n`, stream, '\nendstream']
      : [text];
    objects.push(Buffer.concat(parts.map(part => Buffer.from(part as string, 'latin1'))));
    return objects.length;
  };
  const [catalog, tree] = [add('<</Type/Catalog/Pages 2 0 R>>'), add('')];
  const font = add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  const kids = pages.map(page => {
    const halves = page.bars === undefined ? [] : page.isHalved ? [0, HEIGHT / 2] : [0];
    const height = HEIGHT / Math.max(1, halves.length);
    const names = halves.map((from, at) => {
      const width = at === halves.length - 1 ? (page.claimedWidth ?? WIDTH) : WIDTH;
      return add(headOf(page, width, height), pixelsOf(page, from, height));
    });
    const drawn = halves.map(
      (from, at) =>
        `q 595 0 0 ${(842 * height) / HEIGHT} 0 ${842 * (1 - (from + height) / HEIGHT)} cm /I${at} Do Q`,
    );
    const lines = page.text ? [`BT /F 10 Tf 40 20 Td (${page.text}) Tj ET`] : [];
    const { turned = 0 } = page;
    const content = add(
      '<<>>',
      Buffer.from([`q ${uprightOf(turned)} cm`, ...drawn, 'Q', ...lines].join('\n'), 'latin1'),
    );
    const images = names.map((name, at) => `/I${at} ${name} 0 R`).join(' ');
    const box = turned % 180 === 0 ? '0 0 595 842' : '0 0 842 595';
    return add(
      `<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Rotate ${turned}/Contents ${content} 0 R/Resources<</XObject<<${images}>>/Font<</F ${font} 0 R>>>>>>`,
    );
  });
  objects[tree - 1] = Buffer.from(
    `<</Type/Pages/Count ${kids.length}/Kids[${kids.map(kid => `${kid} 0 R`).join(' ')}]>>`,
  );
  return fileOf(objects, catalog);
}

/** Turns the content to the left, as the page is turned to the right. */
function uprightOf(turned: number): string {
  return (
    { 0: '1 0 0 1 0 0', 90: '0 1 -1 0 842 0', 180: '-1 0 0 -1 595 842', 270: '0 -1 1 0 0 595' }[turned] ?? ''
  );
}

function headOf({ isFax, isBroken }: ScannedPage, width: number, height: number): string {
  const kind = isFax ? '/ImageMask true/BitsPerComponent 1' : '/ColorSpace/DeviceGray/BitsPerComponent 8';
  const filter = isBroken ? '/JPXDecode' : '/FlateDecode';
  return `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}${kind}/Filter${filter}>>`;
}

function pixelsOf({ bars = 0, isFax, isBroken }: ScannedPage, from: number, height: number): Buffer {
  if (isBroken) return Buffer.from('no picture');
  const rowBytes = isFax ? (WIDTH + 7) >> 3 : WIDTH;
  const pixels = Buffer.alloc(rowBytes * height, 255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      if (!isBlack(bars, x, y + from)) continue;
      if (isFax) pixels[y * rowBytes + (x >> 3)]! &= ~(128 >> (x & 7));
      else pixels[y * rowBytes + x] = 0;
    }
  return deflateSync(pixels);
}

function fileOf(objects: readonly Buffer[], catalog: number): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  let length = 9;
  const places = objects.map((object, at) => {
    const place = length;
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<</Size ${size}/Root ${catalog} 0 R>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** Counts the bars of a PNG with 16 greys; NaN where they do not begin at its upper left. */
export function barsIn(png: Buffer): number {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data = png.subarray(41, 41 + png.readUInt32BE(33));
  const [rows, rowBytes] = [inflateSync(data), 1 + ((width + 1) >> 1)];
  const isDark = (x: number, y: number) => {
    const byte = rows[y * rowBytes + 1 + (x >> 1)] ?? 0;
    return (x % 2 === 0 ? byte >> 4 : byte & 15) < 8;
  };
  const y = Math.round((height * (TOP + BOTTOM)) / 2 / HEIGHT);
  const begins = Array.from({ length: width }, (_, x) => x).filter(
    x => x > 0 && isDark(x, y) && !isDark(x - 1, y),
  );
  const first = (begins[0] ?? 0) / width;
  const isAtLeft = Math.abs(first - (2 * UNIT) / WIDTH) < 0.01;
  return begins.length === 0 ? 0 : isAtLeft ? begins.length : Number.NaN;
}

/** The picture that a model is asked to read. */
export function pictureOf({ messages }: ModelRequest): Buffer {
  const content = messages.at(-1)?.content as unknown as { image_url?: { url: string } }[];
  return Buffer.from(content.at(-1)?.image_url?.url.split(',')[1] ?? '', 'base64');
}
