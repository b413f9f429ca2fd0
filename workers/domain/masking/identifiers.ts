import { isCnpj } from '../../../text/check-digits.ts';
import { findEmails } from '../../../text/find-emails.ts';
import { findNumbers } from '../../../text/find-numbers.ts';
import { foldWithPlaces } from '../../../text/fold-in-place.ts';
import type { Identifier } from '../../../text/identifier.ts';
import { pixCodesIn } from '../../../text/payment-codes.ts';
import { maskTokensIn } from './token-address.ts';

type Finder = (text: string) => readonly Identifier[];

/** A part of the text belongs to the first finder that finds it; later ones search the parts in between. */
const FINDERS: readonly Finder[] = [
  findPixCodes,
  findEmails,
  findPixKeys,
  findLetteredCnpjs,
  findNumbers,
  findLiterals,
];

/** All identifiers need one of these. */
const SUSPICIOUS = /[0-9@²³¹\u0660-\u{10ffff}]|arroba|[([{< ]at[)\]}> ]/iu;

/** Finds the identifiers in a text, in order, and text that looks like a token of ours. Takes linear time. */
export function identifiersIn(text: string): Identifier[] {
  if (!SUSPICIOUS.test(text)) return [];
  const folded = foldWithPlaces(text);
  const found = FINDERS.reduce<readonly Identifier[]>(
    (known, finder) => addBetween(folded.text, known, finder),
    [],
  );
  return found.map(({ start, end, kind, key }) => {
    const place = { start: folded.startOf(start), end: folded.endOf(end - 1) };
    // A literal is kept as written.
    return {
      kind,
      key: kind === 'LITERAL' ? `LITERAL ${text.slice(place.start, place.end)}` : key,
      ...place,
    };
  });
}

/** Adds identifiers from the free parts, each of which is searched as a text of its own. */
function addBetween(text: string, known: readonly Identifier[], finder: Finder): Identifier[] {
  const all: Identifier[] = [];
  let free = 0;
  const searchUpTo = (end: number) => {
    for (const found of inOrder(finder(text.slice(free, end))))
      all.push({ ...found, start: found.start + free, end: found.end + free });
  };
  for (const identifier of known) {
    searchUpTo(identifier.start);
    all.push(identifier);
    free = identifier.end;
  }
  searchUpTo(text.length);
  return all;
}

/** Drops identifiers that overlap an earlier one. */
function inOrder(found: readonly Identifier[]): Identifier[] {
  let free = 0;
  return found
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < free) return false;
      free = end;
      return true;
    });
}

function findLiterals(text: string): Identifier[] {
  // Most parts between numbers contain no token, which has a digit.
  if (!/[1-9]/.test(text)) return [];
  return maskTokensIn(text).map(({ start, end }) => ({ kind: 'LITERAL', key: '', start, end }));
}

/** The start of a Pix code with the account that it pays, even if the code is cut off. */
const PIX_START = /000201(?:0102[0-9]{2})?26[0-9]{2}0014br\.gov\.bcb\.pix/gi;
/** A UUID has hyphens, also with blanks beside or instead of them. */
const UUID =
  /[0-9a-f]{8}(?: ?- ?| )[0-9a-f]{4}(?: ?- ?| )[0-9a-f]{4}(?: ?- ?| )[0-9a-f]{4}(?: ?- ?| )[0-9a-f]{12}/gi;
/** A random UUID without its hyphens. */
const BARE_UUID = /(?<![0-9a-z])[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-z])/gi;
const CNPJ = /[0-9a-z]{2}\.[0-9a-z]{3}\.[0-9a-z]{3}\/[0-9a-z]{4}-[0-9]{2}/gi;
const BARE_CNPJ = /(?<![0-9a-z])[0-9a-z]{12}[0-9]{2}(?![0-9a-z])/gi;

/** Finds whole codes for copying: their CRC may be wrong, or their end missing. */
function findPixCodes(text: string): Identifier[] {
  const { codes, suspects } = pixCodesIn(text);
  const whole = [...codes, ...suspects].toSorted((a, b) => a.start - b.start || b.end - a.end);
  const cut = Array.from(text.matchAll(PIX_START), ({ 0: start, index }) => {
    const rest = /^\S*/.exec(text.slice(index + start.length, index + MAX_CUT))?.[0] ?? '';
    return { start: index, end: index + start.length + rest.length };
  });
  const found: Identifier[] = [];
  for (const { start, end } of [...whole, ...cut.filter(each => !whole.some(code => isWithin(each, code)))]) {
    found.push({ kind: 'PIX', key: text.slice(start, end), start, end });
  }
  return found;
}

/** No code is longer. */
const MAX_CUT = 600;

type CodeRange = Pick<Identifier, 'start' | 'end'>;

function isWithin(inner: CodeRange, outer: CodeRange): boolean {
  return inner.start >= outer.start && inner.start < outer.end;
}

/** Finds random Pix keys; every other UUID looks like one. */
function findPixKeys(text: string): Identifier[] {
  const key = (written: string) => written.replaceAll(/[- ]/g, '').toLowerCase();
  return [UUID, BARE_UUID].flatMap(pattern =>
    Array.from(text.matchAll(pattern), ({ 0: written, index }) => ({
      kind: 'PIX' as const,
      key: key(written),
      start: index,
      end: index + written.length,
    })),
  );
}

/** Checks a CNPJ of fourteen characters, each by its value. */
function isBareCnpj(key: string): boolean {
  return isCnpj(
    Uint8Array.from(key, character => character.charCodeAt(0) - 48),
    0,
  );
}

/** Finds CNPJs with letters; CNPJs of digits alone are found as numbers. */
function findLetteredCnpjs(text: string): Identifier[] {
  return [CNPJ, BARE_CNPJ].flatMap(pattern =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: written, index }): Identifier[] => {
      const key = written.replaceAll(/[./-]/g, '').toUpperCase();
      if (!/[A-Z]/.test(key) || (key === written.toUpperCase() && !isBareCnpj(key))) return [];
      return [{ kind: 'CNPJ', key, start: index, end: index + written.length }];
    }),
  );
}
