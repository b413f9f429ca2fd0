import type { Masking } from './masking.ts';

/** A token, however it is spelled, is shorter. */
const MAX_TOKEN_LENGTH = 40;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Returns a function that takes a text in pieces and returns the pieces without tokens. What may still become a token, or
 * half of a character, is held back until the next piece.
 */
export function makePieceUnmasker(masking: Pick<Masking, 'isOn' | 'unmask'>): (piece: string) => string {
  let held = '';
  return piece => {
    held += piece.replaceAll('\0', '');
    const end = masking.isOn ? findSafeEnd(held) : held.length - (HIGH_SURROGATE.test(held) ? 1 : 0);
    const whole = held.slice(0, end);
    held = held.slice(end);
    return masking.unmask(whole).toWellFormed();
  };
}

/** Behind a blank that no token can contain; 0 where there is none. */
function findSafeEnd(text: string): number {
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (!/\s/.test(text.charAt(at))) continue;
    if (!hasOpenBracket(text.slice(Math.max(0, at - MAX_TOKEN_LENGTH), at))) return at + 1;
  }
  return 0;
}

/** Only between brackets may a token have a blank. */
function hasOpenBracket(text: string): boolean {
  const upper = text.toUpperCase();
  const lastOf = (...brackets: string[]) => Math.max(...brackets.map(bracket => upper.lastIndexOf(bracket)));
  return lastOf('[', '%5B') > lastOf(']', '%5D');
}
