import { isSpace } from './char-kind.ts';

/*
 * The maximum length that is parsed at once. A paragraph is parsed in one go, so an endless one would block the event
 * loop; a longer one is parsed in pieces, and a mark or link across their border stays text.
 */
export const MAX_PIECE_LENGTH = 20_000;

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * Cuts at the last line break of the second half, because no payment spans lines; else at the last space; else
 * anywhere.
 */
function pieceEnd(text: string, from: number): number {
  const most = from + MAX_PIECE_LENGTH;
  if (most >= text.length) return text.length;
  const least = from + MAX_PIECE_LENGTH / 2;
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
