import type { PaymentTrust, WppItem } from './wpp-parsed/wpp-parsed.ts';

/*
 * A payment code that only the person wrote is untrusted: repeating it, the assistant would vouch for it. Codes are
 * searched in the other inputs of the turn, ignoring spaces, dots, line breaks and marks. Earlier answers of the
 * assistant are no proof, because they may repeat the person.
 */

export interface PaymentSources {
  /** Texts of the host, its knowledge, its tools and the API client. */
  readonly given: readonly string[];
  /** Messages of the person, in order: a code may be spread over several. */
  readonly written: readonly string[];
}

/**
 * A code is the person's if at least half of its pieces of this length are in the person's messages, however they are
 * cut or mixed.
 */
const PIECE = 8;

function digitsOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/\D/g, '');
}

/** Decimal digits of each script are contiguous, from 0 to 9. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 0x80) return digit;
  let value = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value % 10);
}

function signsOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

function isMostlyIn(written: string, code: string): boolean {
  const count = Math.floor(code.length / PIECE);
  const pieces = Array.from({ length: count }, (_, at) => code.slice(at * PIECE, (at + 1) * PIECE));
  return 2 * pieces.filter(piece => written.includes(piece)).length >= count;
}

/** Rejects payments that only the person wrote. Reads the sources on first use. */
export function trustByOrigin({ given, written }: PaymentSources): PaymentTrust {
  const memo = new Map<string, boolean>();
  const memoizeTexts = (key: (text: string) => string) => {
    let texts: { given: string[]; written: string } | undefined;
    return () => (texts ??= { given: given.map(key), written: written.map(key).join('') });
  };
  const kinds = {
    boleto: { key: digitsOf, texts: memoizeTexts(digitsOf) },
    pix: { key: signsOf, texts: memoizeTexts(signsOf) },
  };
  function isTrusted(payment: WppItem): boolean {
    const { key, texts } = payment.type === 'boleto' ? kinds.boleto : kinds.pix;
    const code = key(payment.content);
    return !isMostlyIn(texts().written, code) || texts().given.some(text => text.includes(code));
  }
  return payment => {
    const known = memo.get(payment.content) ?? isTrusted(payment);
    memo.set(payment.content, known);
    return known;
  };
}
