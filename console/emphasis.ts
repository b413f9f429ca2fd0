/** The marks of WhatsApp: *bold*, _italic_ and ~struck~. */
export type Mark = '*' | '_' | '~';

export interface Emphasis {
  readonly mark: Mark;
  /** Index of its first mark. */
  readonly start: number;
  readonly end: number;
}

/** A mark counts only next to its words and with a boundary outside, so that 2*3*4 and snake_case stay unchanged. */
const opening = /(?<![\p{L}\p{N}*_~])[*_~](?=\S)/gu;
/** A mark may also close at the end of its line. */
const closings: Readonly<Record<Mark, RegExp>> = {
  '*': /(?<=\S)\*(?![\p{L}\p{N}])|\n/gu,
  _: /(?<=\S)_(?![\p{L}\p{N}])|\n/gu,
  '~': /(?<=\S)~(?![\p{L}\p{N}])|\n/gu,
};

/**
 * Finds the emphasized parts of a text, but not those within another. Takes linear time, because anybody may have written the
 * text.
 */
export function listEmphases(text: string): Emphasis[] {
  const found: Emphasis[] = [];
  // A mark that opens before this index has no closing one.
  const openUntil = { '*': 0, _: 0, '~': 0 };
  let from = 0;
  for (const { 0: opened, index: start } of text.matchAll(opening)) {
    const mark = opened as Mark;
    if (start < Math.max(from, openUntil[mark])) continue;
    const closing = closings[mark];
    closing.lastIndex = start + 2;
    const closed = closing.exec(text);
    if (closed?.[0] !== mark) openUntil[mark] = closed?.index ?? text.length;
    else {
      found.push({ mark, start, end: closed.index });
      from = closed.index + 1;
    }
  }
  return found;
}
