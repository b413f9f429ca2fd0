/**
 * Cuts a text into pieces of at most `limit` UTF-16 units, so that the caller can pause between two. A piece ends after the last
 * of the first of these signs that leaves it at least half full, otherwise anywhere. No character is split.
 */
export function* piecesOf(text: string, limit: number, signs: readonly string[]): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = from + endOfPiece(text.slice(from, from + limit + 1), limit, signs);
    yield text.slice(from, end);
    from = end;
  }
}

/** Ends of a line, a sentence, a word. */
const ENDS = ['\n', '. ', '? ', '! ', '; ', ' '];

/** The same without blanks around the pieces. Each piece is made when it is needed. */
export function* splitText(text: string, limit: number): Generator<string> {
  let rest = text.trim();
  while (rest.length > limit) {
    const end = endOfPiece(rest, limit, ENDS);
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') yield rest;
}

function endOfPiece(text: string, limit: number, signs: readonly string[]): number {
  if (text.length <= limit) return text.length;
  for (const sign of signs) {
    const at = text.lastIndexOf(sign, limit - sign.length);
    if (at >= limit / 2) return at + sign.length;
  }
  const last = text.charCodeAt(limit - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return isHighSurrogate && limit > 1 ? limit - 1 : limit;
}
