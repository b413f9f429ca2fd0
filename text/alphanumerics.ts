import { normalizeText, valueOfDigit } from './fold.ts';

/** A slice is short enough that the caller can pause between two. */
const MAX_SLICE_LENGTH = 4_096;

const unchanged = (text: string) => text;

/**
 * Cuts before an ASCII character, which never combines with the one before it; otherwise anywhere but within a
 * surrogate pair.
 */
function findSliceEnd(text: string, from: number): number {
  const most = from + MAX_SLICE_LENGTH;
  if (most >= text.length) return text.length;
  for (let at = most; at > from + MAX_SLICE_LENGTH / 2; at--) if (text.charCodeAt(at) < 0x80) return at;
  const isInPair = (text.charCodeAt(most) & 0xfc00) === 0xdc00;
  return isInPair ? most - 1 : most;
}

/**
 * Yields the letters and digits of a text in a normalized form, in slices. `rewrite` may change a slice before the other
 * characters are removed.
 */
export function* alphanumericsOf(text: string, rewrite = unchanged): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = findSliceEnd(text, from);
    const slice = normalizeText(text.slice(from, end), 'NFKC');
    yield rewrite(slice)
      .replace(/(?![0-9])\p{Nd}/gu, digit => String(valueOfDigit(digit)))
      .replace(/[^\p{L}\p{N}]+/gu, '')
      .toLowerCase();
    from = end;
  }
}

export function* digitsOf(text: string, rewrite = unchanged): Generator<string, void> {
  for (const characters of alphanumericsOf(text, rewrite)) yield characters.replace(/\D+/g, '');
}
