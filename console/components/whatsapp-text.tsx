import type { ComponentChild } from 'preact';

/*
 * The text of a message as WhatsApp shows it: *bold*, _italic_, ~struck~ and code in back-quotes. A mark counts only next to
 * its words and with a boundary outside, so that 2*3*4 and snake_case stay unchanged.
 */

const tags = { '*': 'strong', _: 'em', '~': 's' } as const;
const codePattern = /```([\s\S]+?)```|`([^`\n]+)`/g;
const emphasisPattern = /(?<![\p{L}\p{N}*_~])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/gu;

const wordPattern = /[\p{L}\p{N}]+/gu;

/** The words of a text, without its marks. */
export const listWords = (text: string): string[] => text.match(wordPattern) ?? [];

export function WhatsappText({
  text,
  marked,
}: {
  readonly text: string;
  /** Places of the words to be marked. */
  readonly marked?: ReadonlySet<number>;
}) {
  const renderWords = marked ? makeWordMarker(marked) : (words: string) => [words];
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const match of text.matchAll(codePattern)) {
    const [all, block, inline = ''] = match;
    parts.push(...renderEmphasis(text.slice(from, match.index), renderWords));
    parts.push(
      block === undefined ? <code>{renderWords(inline)}</code> : <pre>{renderWords(block.trim())}</pre>,
    );
    from = match.index + all.length;
  }
  return <>{[...parts, ...renderEmphasis(text.slice(from), renderWords)]}</>;
}

type RenderWords = (text: string) => ComponentChild[];

function renderEmphasis(text: string, renderWords: RenderWords): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const { 0: all, 1: mark, 2: inside = '', index } of text.matchAll(emphasisPattern)) {
    const Tag = tags[mark as keyof typeof tags];
    parts.push(...renderWords(text.slice(from, index)), <Tag>{renderEmphasis(inside, renderWords)}</Tag>);
    from = index + all.length;
  }
  return [...parts, ...renderWords(text.slice(from))];
}

/** Counts the words through all parts of one text. */
function makeWordMarker(marked: ReadonlySet<number>): RenderWords {
  let place = 0;
  return text => {
    const parts: ComponentChild[] = [];
    let from = 0;
    for (const { 0: word, index } of text.matchAll(wordPattern)) {
      if (marked.has(place)) {
        parts.push(text.slice(from, index), <mark>{word}</mark>);
        from = index + word.length;
      }
      place += 1;
    }
    return [...parts, text.slice(from)];
  };
}
