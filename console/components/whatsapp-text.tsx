import type { ComponentChild } from 'preact';

/*
 * The text of a message as WhatsApp shows it: *bold*, _italic_, ~struck~ and code in back-quotes. A mark counts only next to
 * its words and with a boundary outside, so that 2*3*4 and snake_case stay unchanged.
 */

const tags = { '*': 'strong', _: 'em', '~': 's' } as const;
const codePattern = /```([\s\S]+?)```|`([^`\n]+)`/g;
const emphasisPattern = /(?<![\p{L}\p{N}*_~])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/gu;

export function WhatsappText({ text }: { readonly text: string }) {
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const match of text.matchAll(codePattern)) {
    const [all, block, inline = ''] = match;
    parts.push(...renderEmphasis(text.slice(from, match.index)));
    parts.push(block === undefined ? <code>{inline}</code> : <pre>{block.trim()}</pre>);
    from = match.index + all.length;
  }
  return <>{[...parts, ...renderEmphasis(text.slice(from))]}</>;
}

function renderEmphasis(text: string): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const { 0: all, 1: mark, 2: inside = '', index } of text.matchAll(emphasisPattern)) {
    const Tag = tags[mark as keyof typeof tags];
    parts.push(text.slice(from, index), <Tag>{renderEmphasis(inside)}</Tag>);
    from = index + all.length;
  }
  return [...parts, text.slice(from)];
}
