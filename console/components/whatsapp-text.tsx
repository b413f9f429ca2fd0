import type { ComponentChild } from 'preact';
import { listEmphases } from '../emphasis.ts';

/* The text of a message as WhatsApp shows it: *bold*, _italic_, ~struck~ and code in back-quotes. */

const tags = { '*': 'strong', _: 'em', '~': 's' } as const;
const codePattern = /```([\s\S]+?)```|`([^`\n]+)`/g;

const wordPattern = /[\p{L}\p{N}]+/gu;

export const listWords = (text: string): string[] => text.match(wordPattern) ?? [];

export function WhatsappText(props: {
  readonly text: string;
  /** Positions of the words to mark. */
  readonly marked?: ReadonlySet<number>;
}) {
  const { text, marked } = props;
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
  for (const { mark, start, end } of listEmphases(text)) {
    const Tag = tags[mark];
    const inside = text.slice(start + 1, end);
    parts.push(...renderWords(text.slice(from, start)), <Tag>{renderEmphasis(inside, renderWords)}</Tag>);
    from = end + 1;
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
