/**
 * Splits a text into parts of at most `limit` UTF-16 units: at the last end of a line, else of a sentence, else of a word,
 * that leaves a part at least half full. No character is split. A part is made when it is asked for.
 */
export function* splitText(text: string, limit: number): Generator<string> {
  let rest = text.trim();
  while (rest.length > limit) {
    const end = endOfPart(rest, limit);
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') yield rest;
}

const ENDS = ['\n', '. ', '? ', '! ', '; ', ' '];

function endOfPart(text: string, limit: number): number {
  for (const end of ENDS) {
    const at = text.lastIndexOf(end, limit - end.length);
    if (at >= limit / 2) return at + end.length;
  }
  const last = text.charCodeAt(limit - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return isHighSurrogate && limit > 1 ? limit - 1 : limit;
}
