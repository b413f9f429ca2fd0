import { isSpace } from './char-kind.ts';

/*
 * No more than this is read at once. All of a paragraph is read in one go, so a paragraph without end would hold whoever
 * waits for the event loop; one that is longer is read in pieces, and a mark or link that runs over their edge is text.
 */
export const LONGEST_PIECE = 20_000;

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The last line's end of the second half, for no payment runs over one; else the last space; else as it comes. */
function pieceEnd(text: string, from: number): number {
  const most = from + LONGEST_PIECE;
  if (most >= text.length) return text.length;
  const least = from + LONGEST_PIECE / 2;
  const newline = text.lastIndexOf('\n', most - 1);
  if (newline >= least) return newline + 1;
  for (let at = most; at > least; at--) if (isSpace(text.charCodeAt(at))) return at;
  return isInsidePair(text, most) ? most - 1 : most;
}

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}
