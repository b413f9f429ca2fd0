import { isSpace } from './char-kind.ts';

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  deg: '°',
  gt: '>',
  hellip: '…',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  ordf: 'ª',
  ordm: 'º',
  quot: '"',
};
const LONGEST = 10;

function decodeNumeric(name: string): string | undefined {
  const match = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
  if (!match) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return code < 0xffff && isSpace(code) ? ' ' : String.fromCodePoint(code);
}

/** The entity at this `&`; one that is unknown stays as it is written. */
export function entityAt(text: string, at: number): { end: number; text: string } | undefined {
  const semicolon = text.slice(at + 1, at + 1 + LONGEST).indexOf(';');
  if (semicolon < 2) return undefined;
  const name = text.slice(at + 1, at + 1 + semicolon);
  const decoded = Object.hasOwn(NAMED, name) ? NAMED[name] : decodeNumeric(name);
  return decoded === undefined ? undefined : { end: at + 2 + semicolon, text: decoded };
}
