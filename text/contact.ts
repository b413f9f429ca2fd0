import { isCpf } from './check-digits.ts';
import { isLongerThan } from './lines.ts';

const MAX_EMAIL_LENGTH = 320;

/** A CPF within a text, with or without dots and hyphen; its check digits are not verified. */
export const CPF_IN_TEXT = /(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)/g;
/** A phone number within a sentence, as people write it: with an area code, on one line. */
export const PHONE_IN_TEXT =
  /(?<![\d.])(?:\+?55[^\S\n]?)?\(?[1-9]\d\)?[^\S\n]?9?\d{4}(?:-|[^\S\n])?\d{4}(?!\d)/;

/** The digits of the text, in order, without the characters between them. */
export function readDigits(text: string): string {
  return text.replaceAll(/[^0-9]/g, '');
}

/** The eleven digits of a CPF with valid check digits, whatever blanks, dots and hyphens are between them. */
export function cpfOf(text: string): string | undefined {
  if (!/^\s*[0-9]{3}[\s.-]{0,3}[0-9]{3}[\s.-]{0,3}[0-9]{3}[\s.–-]{0,3}[0-9]{2}\s*$/.test(text))
    return undefined;
  const digits = readDigits(text);
  return isCpf(Uint8Array.from(digits, Number), 0) ? digits : undefined;
}

/** Whether this can be an e-mail address, ignoring white space around it. */
export function isEmail(text: string): boolean {
  const email = text.trim();
  return !isLongerThan(MAX_EMAIL_LENGTH, email) && /^[^\s@]+@[^\s@]+$/.test(email);
}

/**
 * The bare address of a link, or of text with a name before the address or a separator after it; undefined if there is none, or
 * several.
 */
export function plainEmailOf(sent: string): string | undefined {
  // Nobody sees these characters, so an address with one would belong to another person.
  const text = sent.replaceAll(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '');
  const [, name = '', inner = text] = /^([^<>]*)<([^<>]*)>[\s;,]*$/.exec(text) ?? [];
  const [address = ''] = inner
    .trim()
    .replace(/^mailto:/i, '')
    .split('?', 1);
  const plain = withoutSeparators(address).replace(/^["']|["']$/g, '');
  if (!isEmail(plain) || /[<>;,]/.test(plain)) return undefined;
  // With two people in one field, the last would be taken for the first.
  return name.replace(plain, '').includes('@') ? undefined : plain;
}

/** Separators of addresses, the clearest first; blanks only count where each word is an address. */
const BETWEEN = [/[;|/\n]|\s(?:ou|e)\s/i, /,/, /\s+/];

/** The first address of a text that has several; undefined unless it has, because half of one address is another person's. */
export function firstEmailOf(text: string, [between, ...others] = BETWEEN): string | undefined {
  const parts = between ? text.split(between).filter(part => part.trim() !== '') : [];
  const isList = others.length > 0 || parts.every(part => part.includes('@'));
  if (between === undefined) return undefined;
  if (!isList || parts.filter(part => part.includes('@')).length < 2) return firstEmailOf(text, others);
  for (const part of parts) {
    const email = plainEmailOf(part);
    const found = email !== undefined && /\.[^@.]+$/.test(email) ? email : firstEmailOf(part, others);
    if (found !== undefined) return found;
  }
  return undefined;
}

function withoutSeparators(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s;,.]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
