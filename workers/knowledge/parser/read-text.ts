import type { DocumentText } from '../../domain/documents/block.ts';

/** Plain text: paragraphs between blank lines. */
export function readPlainText(text: string): DocumentText {
  const paragraphs = text
    .split(/\n[ \t]*\n/)
    .map(paragraph => paragraph.trim())
    .filter(paragraph => paragraph !== '');
  return { blocks: paragraphs.map(paragraph => ({ kind: 'text', text: paragraph })) };
}
