import type { Heading, PhrasingContent, RootContent, Table, TableCell } from 'mdast';
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
  return { blocks: children.flatMap(child => blocksOf(child, source)) };
}

function blocksOf(node: RootContent, source: string): Block[] {
  if (node.type === 'heading') {
    const heading: Block = { kind: 'heading', level: node.depth, text: textOf(node) };
    return [heading, ...linksOf([node], source)];
  }
  if (node.type === 'table') return tableOf(node, source);
  return [{ kind: 'text', text: spelling(node, source) }];
}

/** Links of the header follow it: there, addresses would stand in each part. */
function tableOf({ children: [header, ...rows] }: Table, source: string): Block[] {
  const names = header?.children ?? [];
  const table: Block = {
    kind: 'table',
    header: names.map(cell => textOf(cell)),
    rows: rows.map(row => row.children.map(cell => cellText(cell, source))),
  };
  return [table, ...linksOf(names, source)];
}

/** With its links as they are spelled. */
function cellText({ children }: TableCell, source: string): string {
  return children
    .map(node => (hasLink(node) ? spelling(node, source).replaceAll('\\|', '|') : textOf(node)))
    .join('');
}

/** The links of what is a heading or a name of columns. */
function linksOf(nodes: readonly (Heading | TableCell)[], source: string): Block[] {
  const links = nodes.flatMap(({ children }) => children.filter(hasLink).map(node => spelling(node, source)));
  return links.length === 0 ? [] : [{ kind: 'text', text: links.join('\n') }];
}

function hasLink(node: PhrasingContent): boolean {
  return node.type === 'link' || ('children' in node && node.children.some(hasLink));
}

function spelling({ position }: RootContent, source: string): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}
