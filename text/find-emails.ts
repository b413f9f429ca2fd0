import type { Identifier } from './identifier.ts';

const MAX_LOCAL = 64;
const LOCAL = /[\p{L}\p{N}._%+'’-]/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Sticky; a blank may stand before it if the address is written apart. */
const DOMAIN = /@( ?)((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63})/uy;
/** Apart from other text, only these endings make an address: a name such as `veja @ana.maria` is none. */
const WELL_KNOWN = /\.(?:com|net|org|edu|gov|br|pt|io|me|info|app|dev|online|test|example)$/i;

/** The at sign, and its substitutes against programs that read along; `at` alone is an English word. */
const AT_SIGN = /@|[([{<] ?(?:@|arroba|at) ?[)\]}>]| (?:arroba|at) /gi;
/** Sticky: the labels of a domain whose dots stand apart or are words. */
const SPELLED_DOMAIN =
  / ?[\p{L}\p{N}-]{1,63}(?:(?: ?[([{<] ?| {1,2})(?:ponto|dot|\.)(?: ?[)\]}>] ?| {1,2})[\p{L}\p{N}-]{1,63}|[.,][\p{L}\p{N}-]{1,63}){1,8}/iuy;
const SPELLED_DOT = /[\s()[\]{}<>]{1,4}(?:ponto|dot)[\s()[\]{}<>]{1,4}|[\s([{<]{0,2}[.,][\s)\]}>]{0,2}/gi;
/** A word in place of a sign in the part before the at sign. */
const SPELLED_SIGN = /[ ([{<]{1,2}(?:(ponto|dot)|underline|underscore)[ )\]}>]{1,2}$/i;
const LONGEST_SIGN = 14;
const MAX_SPELLED_SIGNS = 4;

/** E-mail addresses of a folded text, in order. */
export function findEmails(text: string): Identifier[] {
  const found: Identifier[] = [];
  let free = 0;
  for (const { 0: sign, index: at } of text.matchAll(AT_SIGN)) {
    if (at < free) continue;
    const email = (sign === '@' && emailAt(text, at, free)) || spelledEmailAt(text, { sign, at }, free);
    if (!email) continue;
    found.push(email);
    free = email.end;
  }
  return found;
}

/** Reads `ana (arroba) exemplo ponto com`, `ana @ exemplo . com`; if a word is the at sign, a dot must be a word, too. */
function spelledEmailAt(
  text: string,
  { sign, at }: { readonly sign: string; readonly at: number },
  free: number,
): Identifier | undefined {
  SPELLED_DOMAIN.lastIndex = at + sign.length;
  const [written = ''] = SPELLED_DOMAIN.exec(text) ?? [];
  const isBareWord = sign.startsWith(' ');
  if (written === '' || (isBareWord && !/ponto|dot/i.test(written) && sign.trim().toLowerCase() === 'at'))
    return undefined;
  const domain = domainOf(written);
  if (!domain) return undefined;
  const localEnd = text[at - 1] === ' ' ? at - 1 : at;
  const local = spelledLocalBefore(text, localEnd, { free, isSpelled: sign !== '@' });
  if (local.name === '') return undefined;
  const key = `${local.name}@${domain.name}`.toLowerCase();
  return { kind: 'EMAIL', key, start: local.start, end: at + sign.length + domain.length };
}

/** Reads `ana ponto silva` if the at sign is a word, too. */
function spelledLocalBefore(
  text: string,
  end: number,
  { free, isSpelled }: { readonly free: number; readonly isSpelled: boolean },
): { readonly name: string; readonly start: number } {
  let start = findLocalStart(text, end, free);
  let name = text.slice(start, end);
  if (!isSpelled || name === '') return { name, start };
  for (let count = 0; count < MAX_SPELLED_SIGNS; count += 1) {
    const spelled = SPELLED_SIGN.exec(text.slice(Math.max(start - LONGEST_SIGN, free), start));
    const partEnd = start - (spelled?.[0].length ?? 0);
    const partStart = findLocalStart(text, partEnd, free);
    if (!spelled || partStart === partEnd) break;
    name = `${text.slice(partStart, partEnd)}${spelled[1] ? '.' : '_'}${name}`;
    start = partStart;
  }
  return { name, start };
}

/** The labels that make a known domain; the rest is a sentence. */
function domainOf(written: string): { readonly name: string; readonly length: number } | undefined {
  const dots = Array.from(written.matchAll(SPELLED_DOT), ({ 0: dot, index }) => ({ index, dot }));
  for (let count = dots.length; count > 0; count -= 1) {
    const length = dots[count]?.index ?? written.length;
    const name = written.slice(0, length).replaceAll(SPELLED_DOT, '.').trim();
    if (WELL_KNOWN.test(name)) return { name, length };
  }
  return undefined;
}

function emailAt(text: string, at: number, free: number): Identifier | undefined {
  DOMAIN.lastIndex = at;
  const [whole = '', blank, domain = ''] = DOMAIN.exec(text) ?? [];
  if (domain === '') return undefined;
  const isApart = text[at - 1] === ' ' || blank === ' ';
  if (isApart && !WELL_KNOWN.test(domain)) return undefined;
  const localEnd = text[at - 1] === ' ' ? at - 1 : at;
  const start = findLocalStart(text, localEnd, free);
  if (start === localEnd) return undefined;
  const key = `${text.slice(start, localEnd)}@${domain}`.toLowerCase();
  return { kind: 'EMAIL', key, start, end: at + whole.length };
}

/** A sign or the escape of a line break before the first letter does not belong to the address. */
function findLocalStart(text: string, end: number, free: number): number {
  const least = Math.max(free, end - MAX_LOCAL);
  let start = end;
  while (start > least && LOCAL.test(text[start - 1] ?? '')) start -= 1;
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '') && end - start > 1) start += 1;
  while (start < end && !LETTER.test(text[start] ?? '')) start += 1;
  return start;
}
