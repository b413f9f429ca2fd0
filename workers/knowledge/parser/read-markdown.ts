import type { RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { toString as textOf } from 'mdast-util-to-string';
import { gfmTable } from 'micromark-extension-gfm-table';
import type { Block, DocumentText } from '../../domain/documents/block.ts';

/** Markdown keeps its own spelling: only headings and tables are taken apart. */
export function readMarkdown(source: string): DocumentText {
  const { children } = fromMarkdown(source, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  return { blocks: children.map(child => blockOf(child, source)) };
}

function blockOf(node: RootContent, source: string): Block {
  if (node.type === 'heading') return { kind: 'heading', level: node.depth, text: textOf(node) };
  if (node.type === 'table') return tableOf(node);
  const { start, end } = node.position ?? {};
  return { kind: 'text', text: source.slice(start?.offset ?? 0, end?.offset ?? 0) };
}

function tableOf({ children }: Table): Block {
  const [header = [], ...rows] = children.map(row => row.children.map(cell => textOf(cell)));
  return { kind: 'table', header, rows };
}
