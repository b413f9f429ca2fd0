import crc16ccitt from 'crc/crc16ccitt';

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

export interface PixSpan {
  start: number;
  end: number;
}

export interface PixCodes {
  codes: PixSpan[];
  /** From a start to a CRC field that does not match. */
  suspects: PixSpan[];
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
  const suspects: PixSpan[] = [];
  const ends = endsIn(line);
  let first = 0;
  let free = 0;
  for (const start of startsIn(line)) {
    if (start < free) continue;
    while (first < ends.length && (ends[first]?.at ?? 0) < start + START.length + 8) first++;
    const near = ends.slice(first, first + ENDS_PER_START);
    const fit = near.find(end => end.tries++ < STARTS_PER_END && crcHolds(line.slice(start, end.at)));
    if (fit) codes.push({ start, end: (free = fit.at) });
    else if (near[0] && suspects.at(-1)?.end !== near[0].at) suspects.push({ start, end: near[0].at });
  }
  const paid = new Set(codes.map(code => code.end));
  return { codes, suspects: suspects.filter(suspect => !paid.has(suspect.end)) };
}

/** All Pix codes of the text, in order. A code is within one line. */
export function pixCodesIn(text: string): PixCodes {
  const found: PixCodes = { codes: [], suspects: [] };
  let from = text.indexOf(START);
  while (from >= 0) {
    const newline = text.indexOf('\n', from);
    const lineEnd = newline < 0 ? text.length : newline;
    const inLine = codesInLine(text.slice(from, lineEnd));
    for (const { start, end } of inLine.codes) found.codes.push({ start: from + start, end: from + end });
    for (const { start, end } of inLine.suspects)
      found.suspects.push({ start: from + start, end: from + end });
    from = text.indexOf(START, lineEnd);
  }
  return found;
}
