import type { Identifier } from './identifier.ts';

const MAX_LOCAL = 64;
const LOCAL = /[\p{L}\p{N}._%+'’-]/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Sticky; with a blank before it where the address is written apart. */
const DOMAIN = /@( ?)((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63})/uy;
/** Names between blanks, such as `veja @ana.maria`, are no addresses. */
const WELL_KNOWN = /\.(?:com|net|org|edu|gov|br|pt|io|me|info|app|dev|online|test|example)$/i;

/** E-mail addresses of a folded text, in order. */
export function findEmails(text: string): Identifier[] {
  const found: Identifier[] = [];
  let free = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const email = emailAt(text, at, free);
    if (!email) continue;
    found.push(email);
    free = email.end;
  }
  return found;
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

/** A sign or the escape of a line break before the first letter is not part of the address. */
function findLocalStart(text: string, end: number, free: number): number {
  const least = Math.max(free, end - MAX_LOCAL);
  let start = end;
  while (start > least && LOCAL.test(text[start - 1] ?? '')) start -= 1;
  if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '') && end - start > 1) start += 1;
  while (start < end && !LETTER.test(text[start] ?? '')) start += 1;
  return start;
}
