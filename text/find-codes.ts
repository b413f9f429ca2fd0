import { isCnpj } from './check-digits.ts';
import type { Identifier } from './identifier.ts';
import { pixCodesIn } from './payment-codes.ts';

/** The start of a Pix code with the account that it pays, also of one that is cut off. */
const PIX_START = /000201(?:0102[0-9]{2})?26[0-9]{2}0014br\.gov\.bcb\.pix/gi;
/** A UUID has hyphens, also with blanks beside or instead of them. */
const UUID =
  /[0-9a-f]{8}(?: ?- ?| )[0-9a-f]{4}(?: ?- ?| )[0-9a-f]{4}(?: ?- ?| )[0-9a-f]{4}(?: ?- ?| )[0-9a-f]{12}/gi;
/** A random UUID without its hyphens. */
const BARE_UUID = /(?<![0-9a-z])[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-z])/gi;
const CNPJ = /[0-9a-z]{2}\.[0-9a-z]{3}\.[0-9a-z]{3}\/[0-9a-z]{4}-[0-9]{2}/gi;
const BARE_CNPJ = /(?<![0-9a-z])[0-9a-z]{12}[0-9]{2}(?![0-9a-z])/gi;

/** Codes for copying, whole: their CRC may be wrong, or their end missing. */
export function findPixCodes(text: string): Identifier[] {
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

/** More than a code may have. */
const MAX_CUT = 600;

type CodeRange = Pick<Identifier, 'start' | 'end'>;

function isWithin(inner: CodeRange, outer: CodeRange): boolean {
  return inner.start >= outer.start && inner.start < outer.end;
}

/** Random Pix keys; every other UUID looks like one. */
export function findPixKeys(text: string): Identifier[] {
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

/** Fourteen characters, as values. */
function isBareCnpj(key: string): boolean {
  return isCnpj(
    Uint8Array.from(key, character => character.charCodeAt(0) - 48),
    0,
  );
}

/** CNPJs with letters; those of digits alone are numbers like others. */
export function findLetteredCnpjs(text: string): Identifier[] {
  return [CNPJ, BARE_CNPJ].flatMap(pattern =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: written, index }): Identifier[] => {
      const key = written.replaceAll(/[./-]/g, '').toUpperCase();
      if (!/[A-Z]/.test(key) || (key === written.toUpperCase() && !isBareCnpj(key))) return [];
      return [{ kind: 'CNPJ', key, start: index, end: index + written.length }];
    }),
  );
}
