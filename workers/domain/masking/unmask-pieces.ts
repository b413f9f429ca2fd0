import type { Masking } from './masking.ts';

/** A token, however it is spelled, is shorter. */
const MAX_TOKEN_LENGTH = 40;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Returns a function that takes a text in pieces and returns the pieces without tokens. What may still become a token, or
 * half of a character, is held back until the next piece.
 */
export function makePieceUnmasker(masking: Pick<Masking, 'isOn' | 'unmask'>): (piece: string) => string {
  let held: string[] = [];
  // The end of what is held. What was read once is not read again: it does not change whether a blank of before is safe.
  let tail = '';
  return piece => {
    const text = piece.replaceAll('\0', '');
    const seen = tail + text;
    const end = masking.isOn
      ? findSafeEnd(seen, tail.length)
      : seen.length - (HIGH_SURROGATE.test(seen) ? 1 : 0);
    if (end < tail.length) {
      held.push(text);
      tail = seen.slice(-MAX_TOKEN_LENGTH);
      return '';
    }
    const whole = held.join('') + text.slice(0, end - tail.length);
    held = [seen.slice(end)];
    tail = seen.slice(Math.max(end, seen.length - MAX_TOKEN_LENGTH));
    return masking.unmask(whole).toWellFormed();
  };
}

/** Behind a blank at or after `from` that no token can contain; -1 where there is none. */
function findSafeEnd(text: string, from: number): number {
  for (let at = text.length - 1; at >= from; at -= 1) {
    if (!/\s/.test(text.charAt(at))) continue;
    if (!hasOpenBracket(text.slice(Math.max(0, at - MAX_TOKEN_LENGTH), at))) return at + 1;
  }
  return -1;
}

/** Only between brackets may a token have a blank. */
function hasOpenBracket(text: string): boolean {
  const upper = text.toUpperCase();
  const lastOf = (...brackets: string[]) => Math.max(...brackets.map(bracket => upper.lastIndexOf(bracket)));
  return lastOf('[', '%5B') > lastOf(']', '%5D');
}
