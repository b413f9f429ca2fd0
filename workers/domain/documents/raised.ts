/*
 * Digits above the line mark a note, are a power or the cents of a price. Written after a number as they are, they would make it
 * another one: `40¹ vagas` would be 401.
 */

/** As much of the text before raised digits as they are read by. */
export const RAISED_AFTER = 40;
const MARK = /^[-+−–]?\d{1,3}(?:\s?[,;]\s?\d{1,3})*$/;
const PRICE = /[$€£]\s?(?:\d{1,3}(?:([.,])\d{3})+|\d+)$/;
const BEGUN_CENTS = /[$€£]\s?[\d.,]*\d[.,]$/;
const SIGNS: Readonly<Record<string, string>> = { '+': '⁺', '-': '⁻', '−': '⁻', '–': '⁻' };

export function isRaisedMark(text: string): boolean {
  return MARK.test(text);
}

/** Returns how a raised text is written after `before` and before `next`: as cents, with raised digits, or apart. A link is a mark. */
export function raisedText(before: string, raised: string, next = '', isLink = false): string {
  const text = raised.trim();
  if (!MARK.test(text)) return /\d$/.test(before) && /^\d/.test(text) ? ` ${raised}` : raised;
  const isPair = !isLink && /^\d\d$/.test(text);
  const price = isPair ? PRICE.exec(before) : null;
  if (price) return `${price[1] === ',' ? '.' : ','}${text}`;
  const isBeforeNumber = /^\d/.test(next);
  const isNumber = !isLink && (/(?:^|[$€£])\s*$/.test(before) || (isPair && BEGUN_CENTS.test(before)));
  if (isNumber && !isBeforeNumber) return raised;
  const digits = text.replace(/[\d+−–-]/g, sign => SIGNS[sign] ?? '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(sign)));
  return isBeforeNumber ? `${digits} ` : digits;
}

/** Returns how digits below the line are written: as they are, as in `CO2`, unless they would be part of a number. */
export function loweredText(before: string, lowered: string, next: string): string {
  const text = lowered.trim();
  const isBeforeNumber = /^\d/.test(next);
  if (!/\d$/.test(before) && !isBeforeNumber) return text;
  const digits = text.replace(/\d/g, digit => '₀₁₂₃₄₅₆₇₈₉'.charAt(Number(digit)));
  return isBeforeNumber ? `${digits} ` : digits;
}
