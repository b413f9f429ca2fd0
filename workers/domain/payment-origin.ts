import type { PaymentTrust, WppItem } from './wpp-parsed/wpp-parsed.ts';

/*
 * A payment code that only the person wrote may be anybody's: an assistant that repeats it would vouch for it. Codes are
 * looked for in what the turn had before it, without whatever may stand between their signs: spaces, dots, line breaks,
 * marks. What the assistant said earlier proves nothing, for it may have repeated the person then.
 */

export interface PaymentSources {
  /** What the host, its knowledge, its tools and the client of the API gave. */
  readonly given: readonly string[];
  /** What the person wrote, in its order: a code may be spread over several messages. */
  readonly written: readonly string[];
}

/** A code of which the person wrote at least half, in pieces of so many signs, is theirs: however they cut or mixed it. */
const PIECE = 8;

function digitsOf(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/\D/g, '');
}

/** Digits of other scripts stand in rows of ten: 0 is as far back as there are digits. */
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

/** Refuses what stands in the person's words only. Reads the sources when the first payment is asked for. */
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
