import crc16ccitt from 'crc/crc16ccitt';
import { isDigit } from './char-kind.ts';
import { BANK_LENGTH, isBankLine, isUtilityLine, UTILITY_LENGTH } from './check-digits.ts';

export interface FoundBoleto {
  start: number;
  end: number;
  digits: string;
}

export interface NumberRun {
  boletos: FoundBoleto[];
  /** It is as long as a boleto, but the check digits do not match. */
  isSuspect: boolean;
}

const NO_BOLETO: NumberRun = { boletos: [], isSuspect: false };
const NO_BREAK_SPACE = 0xa0;
/** A line end within a number or a code. */
const LINE_END = /(?:[ .-]{0,2}(?:\n|<br {0,2}\/?>\n?) {0,8}|&nbsp;)(?=[0-9])/iy;

function isSeparator(code: number): boolean {
  return code === 32 || code === 45 || code === 46 || code === NO_BREAK_SPACE;
}

/** The end of the digits that start here, including single separators between them. */
export function findEndOfGroupedDigits(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit) {
    if (isDigit(text.charCodeAt(at))) at++;
    else if (isSeparator(text.charCodeAt(at)) && at + 1 < limit && isDigit(text.charCodeAt(at + 1))) at += 2;
    else break;
  }
  return at;
}

/** Longer than a boleto with its separators: this much is read again from each line of digits. */
const MAX_WRAPPED_LENGTH = 120;

/** The end of the digits that continue in the next lines. */
export function findEndOfWrappedDigits(text: string, start: number, limit: number): number {
  const most = Math.min(limit, start + MAX_WRAPPED_LENGTH);
  let end = findEndOfGroupedDigits(text, start, most);
  for (;;) {
    LINE_END.lastIndex = end;
    if (!LINE_END.test(text) || LINE_END.lastIndex >= most) return end;
    end = findEndOfGroupedDigits(text, LINE_END.lastIndex, most);
  }
}

class GroupedDigits {
  readonly count: number;
  readonly #values: Uint8Array;
  readonly #places: Int32Array;

  constructor(text: string, start: number, end: number) {
    this.#values = new Uint8Array(end - start);
    this.#places = new Int32Array(end - start);
    let count = 0;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (!isDigit(code)) continue;
      this.#values[count] = code - 48;
      this.#places[count++] = at;
    }
    this.count = count;
  }

  /** Whether a group ends before this digit. A boleto starts and ends at such an edge, so an adjacent date does no harm. */
  isEdge(digit: number): boolean {
    if (digit === 0 || digit === this.count) return true;
    return digit < this.count && this.#placeOf(digit) !== this.#placeOf(digit - 1) + 1;
  }

  boletoFrom(digit: number): FoundBoleto | undefined {
    if (this.isEdge(digit + UTILITY_LENGTH) && isUtilityLine(this.#values, digit)) {
      return this.#boletoAt(digit, UTILITY_LENGTH);
    }
    const isBank = this.isEdge(digit + BANK_LENGTH) && isBankLine(this.#values, digit);
    return isBank ? this.#boletoAt(digit, BANK_LENGTH) : undefined;
  }

  #placeOf(digit: number): number {
    return this.#places[digit] ?? 0;
  }

  #boletoAt(digit: number, length: number): FoundBoleto {
    const digits = this.#values.subarray(digit, digit + length).join('');
    return { start: this.#placeOf(digit), end: this.#placeOf(digit + length - 1) + 1, digits };
  }
}

export function boletosIn(text: string, start: number, end: number): NumberRun {
  if (end - start < BANK_LENGTH) return NO_BOLETO;
  const run = new GroupedDigits(text, start, end);
  const boletos: FoundBoleto[] = [];
  for (let digit = 0; digit + BANK_LENGTH <= run.count; digit++) {
    const found = run.isEdge(digit) ? run.boletoFrom(digit) : undefined;
    if (!found) continue;
    boletos.push(found);
    digit += found.digits.length - 1;
  }
  const isSuspect = boletos.length === 0 && run.count >= BANK_LENGTH && run.count <= UTILITY_LENGTH;
  return { boletos, isSuspect };
}

/*
 * A Pix code starts with 000201 and ends with the field 6304 and the CRC of everything before its four hex digits.
 * Only the CRC distinguishes a code from similar text, so the starts and ends on a line are paired until a CRC
 * matches.
 *
 * Two limits keep a hostile line linear: a start is tried with the next five ends only (6304 and four hex digits do
 * occur inside keys), and an end with five starts only (prose may quote 000201 before the code). The sections
 * between ends do not overlap, so each character is read a bounded number of times.
 */

const START = '000201';
const CRC_FIELD = '6304';
const ENDS_PER_START = 5;
const STARTS_PER_END = 5;

interface Span {
  start: number;
  end: number;
}

export interface PixSpan extends Span {
  /** The exact code, without the line ends in it. */
  code: string;
}

export interface PixCodes {
  codes: PixSpan[];
  /** From a start to a CRC field that does not match. */
  suspects: Span[];
}

interface CodeEnd {
  at: number;
  tries: number;
}

function crcHolds(code: string): boolean {
  return crc16ccitt(code.slice(0, -4)) === Number.parseInt(code.slice(-4), 16);
}

function startsIn(line: string): number[] {
  const starts: number[] = [];
  for (let at = line.indexOf(START); at >= 0; at = line.indexOf(START, at + 1)) starts.push(at);
  return starts;
}

function endsIn(line: string): CodeEnd[] {
  const ends: CodeEnd[] = [];
  for (let at = line.indexOf(CRC_FIELD); at >= 0; at = line.indexOf(CRC_FIELD, at + 1)) {
    if (/^[0-9a-f]{4}$/i.test(line.slice(at + 4, at + 8))) ends.push({ at: at + 8, tries: 0 });
  }
  return ends;
}

function codesInLine(line: string): PixCodes {
  const codes: PixSpan[] = [];
  const suspects: Span[] = [];
  const ends = endsIn(line);
  let first = 0;
  let free = 0;
  for (const start of startsIn(line)) {
    if (start < free) continue;
    while (first < ends.length && (ends[first]?.at ?? 0) < start + START.length + 8) first++;
    const near = ends.slice(first, first + ENDS_PER_START);
    const fit = near.find(end => end.tries++ < STARTS_PER_END && crcHolds(line.slice(start, end.at)));
    if (fit) codes.push({ start, end: (free = fit.at), code: line.slice(start, fit.at) });
    else if (near[0] && suspects.at(-1)?.end !== near[0].at) suspects.push({ start, end: near[0].at });
  }
  const paid = new Set(codes.map(code => code.end));
  return { codes, suspects: suspects.filter(suspect => !paid.has(suspect.end)) };
}

/** Far above the 512 characters that a Pix code may have. */
const MAX_PIX_LENGTH = 600;

/** Finds a code that continues in the next lines, if its CRC is right without the line ends, or with blanks in their place. */
function findWrappedCode(text: string, start: number): PixSpan | undefined {
  const [lines = ''] = text.slice(start, start + MAX_PIX_LENGTH).split(/\n[^\S\n]*\n/, 1);
  const parts = lines.split(WRAP_OF_CODE);
  if (parts.length === 1) return undefined;
  for (const glue of ['', ' ']) {
    const joined = parts.join(glue);
    const ends = endsIn(joined).slice(0, ENDS_PER_START);
    const fit = ends.find(end => crcHolds(joined.slice(0, end.at)));
    if (fit)
      return { start, end: start + unjoinedLength(lines, glue, fit.at), code: joined.slice(0, fit.at) };
  }
  return undefined;
}

const WRAP_OF_CODE = /(?:\n|<br {0,2}\/?>\n?)[^\S\n]{0,8}/i;

/** The length of the original lines that gives this length when they are joined. */
function unjoinedLength(lines: string, glue: string, joinedLength: number): number {
  let [length, left] = [0, joinedLength];
  for (const [at, part] of lines.split(/((?:\n|<br {0,2}\/?>\n?)[^\S\n]{0,8})/i).entries()) {
    const joined = at % 2 === 1 ? glue.length : part.length;
    if (at % 2 === 0 && left <= joined) return length + left;
    left -= joined;
    length += part.length;
  }
  return length;
}

/** All Pix codes of the text, in order. Starts on a line are tried with the ends on it; a start without an end may be wrapped. */
export function pixCodesIn(text: string): PixCodes {
  const found: PixCodes = { codes: [], suspects: [] };
  let from = text.indexOf(START);
  while (from >= 0) {
    const newline = text.indexOf('\n', from);
    const lineEnd = newline < 0 ? text.length : newline;
    const inLine = codesInLine(text.slice(from, lineEnd));
    for (const { start, end, code } of inLine.codes)
      found.codes.push({ start: from + start, end: from + end, code });
    const last = text.lastIndexOf(START, lineEnd - START.length);
    const isPaid = last < (found.codes.at(-1)?.end ?? 0);
    const wrapped = isPaid ? undefined : findWrappedCode(text, last);
    if (wrapped) found.codes.push(wrapped);
    else
      for (const { start, end } of inLine.suspects)
        found.suspects.push({ start: from + start, end: from + end });
    from = text.indexOf(START, Math.max(lineEnd, wrapped?.end ?? 0));
  }
  return found;
}

/** A field of a Pix code: two digits for its id, two for its length, and its value. */
interface Field {
  readonly id: string;
  readonly value: string;
}

const PIX_SYSTEM = 'br.gov.bcb.pix';
const SYSTEM_ID = '00';
/** A key, or the address of a charge. */
const RECEIVER_IDS = new Set(['01', '25']);

/** The receiver's key, or the address of the charge, in the text of a Pix code; undefined if it has none. */
export function findPixReceiver(code: string): string | undefined {
  const accounts = codeFieldsOf(code).filter(({ id }) => id >= '26' && id <= '51');
  return accounts
    .map(({ value }) => codeFieldsOf(value))
    .filter(fields => fields.some(({ id, value }) => id === SYSTEM_ID && value.toLowerCase() === PIX_SYSTEM))
    .flatMap(fields => fields.filter(({ id }) => RECEIVER_IDS.has(id)))
    .map(({ value }) => value)
    .find(value => value !== '');
}

function codeFieldsOf(text: string): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at + 4 <= text.length; ) {
    const length = text.slice(at + 2, at + 4);
    // `-4` would lead back to this field for ever.
    if (!/^[0-9]{2}$/.test(length)) break;
    const end = at + 4 + Number(length);
    fields.push({ id: text.slice(at, at + 2), value: text.slice(at + 4, end) });
    at = end;
  }
  return fields;
}
