import { Parser } from 'htmlparser2';
import { MAX_CELLS } from '../../domain/documents/block.ts';
import { RAISED_AFTER, raisedText } from '../../domain/documents/raised.ts';
import { UnreadableError } from '../document-kind.ts';

/*
 * Parts of a workbook to which its sheets refer: names and files of the sheets, formats of cells, and texts, each of which is
 * stored once for all cells that have it.
 */

type Attributes = Readonly<Record<string, string>>;

export interface XmlReader {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** A sheet of 200 MiB is read in pieces: its text as a whole would take as much memory again. */
const PART_BYTES = 65_536;

/** Reads a file of an Office archive. Names come without their prefix, which each program chooses. */
export function readXml(file: Uint8Array | undefined, reader: XmlReader): void {
  if (!file) return;
  const plain = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open?.(plain(name), attributes),
      onclosetag: name => reader.close?.(plain(name)),
      ontext: text => reader.text?.(text),
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for (let at = 0; at < file.length; at += PART_BYTES)
    parser.write(decoder.decode(file.subarray(at, at + PART_BYTES), { stream: true }));
  parser.end();
}

export interface SheetEntry {
  readonly name: string;
  readonly relation: string;
}

/** Returns the sheets that a program shows, in order. */
export function readWorkbook(file: Uint8Array | undefined) {
  const sheets: SheetEntry[] = [];
  let is1904 = false;
  readXml(file, {
    open(name, { name: title = '', state = 'visible', 'r:id': id, date1904, ...more }) {
      if (name === 'workbookPr') is1904 = isOn(date1904 ?? '0');
      // Another program may use another prefix.
      const relation = id ?? Object.entries(more).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      if (name === 'sheet' && state === 'visible') sheets.push({ name: title.trim(), relation });
    },
  });
  return { sheets, is1904 };
}

export interface CellStyle {
  readonly formatId: number;
  /** Undefined for a format that each program has built in. */
  readonly format: string | undefined;
  readonly isStruck: boolean;
  readonly isBold: boolean;
}

export function readStyles(file: Uint8Array | undefined): CellStyle[] {
  const formats = new Map<number, string>();
  const fonts: { isStruck: boolean; isBold: boolean }[] = [];
  const styles: CellStyle[] = [];
  let list = '';
  readXml(file, {
    open(name, attributes) {
      if (/^(?:numFmts|fonts|cellXfs|cellStyleXfs|dxfs)$/.test(name)) list = name;
      if (name === 'numFmt' && list === 'numFmts')
        formats.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
      const font = fonts.at(-1);
      if (name === 'font' && list === 'fonts') fonts.push({ isStruck: false, isBold: false });
      if (name === 'strike' && list === 'fonts' && font) font.isStruck = isOn(attributes['val']);
      if (name === 'b' && list === 'fonts' && font) font.isBold = isOn(attributes['val']);
      if (name !== 'xf' || list !== 'cellXfs') return;
      const formatId = Number(attributes['numFmtId'] ?? 0);
      const { isStruck = false, isBold = false } = fonts[Number(attributes['fontId'] ?? 0)] ?? {};
      styles.push({ formatId, format: formats.get(formatId), isStruck, isBold });
    },
    close(name) {
      if (name === list) list = '';
    },
  });
  return styles;
}

/** A text whose struck part is left out. */
export interface CellText {
  readonly text: string;
  readonly isStruck: boolean;
}

export function readSharedTexts(file: Uint8Array | undefined): CellText[] {
  const texts: CellText[] = [];
  const collector = makeTextCollector();
  readXml(file, {
    ...collector,
    close(name) {
      collector.close(name);
      if (name !== 'si') return;
      // A million texts fill a workbook; 40 million empty ones would take 320 MB.
      if (texts.push(collector.take()) > MAX_CELLS) throw new UnreadableError('too-many-passages');
    },
  });
  return texts;
}

/** Collects the runs of a text, without the pronunciation of Japanese ones. */
export function makeTextCollector() {
  let [text, isText, isSpoken, isRunStruck, isStruck, isRaised] = ['', false, false, false, false, false];
  let tail = '';
  return {
    open(name: string, { val }: Attributes): void {
      if (name === 'r') isRunStruck = isRaised = false;
      if (name === 'strike') isRunStruck = isOn(val);
      if (name === 'vertAlign') isRaised = val === 'superscript';
      if (name === 'rPh') isSpoken = true;
      if (name === 't') isText = !isSpoken;
    },
    close(name: string): void {
      if (name === 'r') isRunStruck = isRaised = false;
      if (name === 'rPh') isSpoken = false;
      if (name === 't') isText = false;
    },
    text(more: string): void {
      if (!isText) return;
      if (isRunStruck) {
        if (more.trim() !== '') isStruck = true;
        return;
      }
      const said = isRaised ? raisedText(tail, more) : more;
      text += said;
      tail = (tail + said).slice(-RAISED_AFTER);
    },
    take(): CellText {
      const taken = { text: unescaped(text), isStruck };
      [text, tail, isStruck] = ['', '', false];
      return taken;
    },
  };
}

/** `_x000D_` stands for a character that XML does not have. */
export function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function isOn(value = '1'): boolean {
  return value !== '0' && value !== 'false';
}
