import type { Html, Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { toString as textOf } from 'mdast-util-to-string';
import { gfmTable } from 'micromark-extension-gfm-table';
import type { Block, DocumentText } from '../../domain/documents/block.ts';
import { linkText } from './html-page.ts';
import { tellInPlace } from './markdown-edits.ts';
import { readHtml } from './read-html.ts';

/** Markdown is kept as written: only headings, tables and HTML are taken apart. */
export function readMarkdown(source: string): DocumentText {
  const root = parse(source);
  const { told, struck } = tellInPlace(source, root);
  const reading: Reading = { source: told, blocks: [], level: 0, details: [], struck };
  for (const child of (told === source ? root : parse(told)).children) {
    if (child.type === 'html') readHtmlNode(child, reading);
    else readNode(child, reading);
  }
  return { blocks: reading.blocks, ...(reading.struck === 0 ? {} : { struck: reading.struck }) };
}

interface Reading {
  readonly source: string;
  readonly blocks: Block[];
  level: number;
  /** Levels of the open `<details>`, whose text is Markdown. */
  readonly details: number[];
  struck: number;
}

function parse(source: string): Root {
  return fromMarkdown(source, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
}

function readNode(node: RootContent, reading: Reading): void {
  const { source, blocks } = reading;
  if (node.type === 'heading') {
    reading.level = node.depth;
    blocks.push({ kind: 'heading', level: node.depth, text: textOf(node) });
    // Addresses within a heading would stand in the path of each passage.
    const links = linksIn(node);
    if (links.length > 0) blocks.push({ kind: 'text', text: links.join('\n') });
  } else if (node.type === 'table') {
    const { children } = node;
    const [header = [], ...rows] = children.map(row => row.children);
    blocks.push({
      kind: 'table',
      header: header.map(cell => textOf(cell)),
      rows: rows.map(row => row.map(cell => cellText(cell))),
    });
    // Addresses within a header would stand in each part of the table.
    const links = header.flatMap(linksIn);
    if (links.length > 0) blocks.push({ kind: 'text', text: links.join('\n') });
  } else {
    const { start, end } = node.position ?? {};
    blocks.push({ kind: 'text', text: source.slice(start?.offset ?? 0, end?.offset ?? 0) });
  }
}

/** HTML ends at a blank line, so the content of `<details>` is Markdown, and its closing tag a separate node. */
function readHtmlNode({ value }: Html, reading: Reading): void {
  const { blocks, details, level } = reading;
  const page = readHtml(value);
  reading.struck += page.struck ?? 0;
  const countOf = (tag: RegExp) => value.match(tag)?.length ?? 0;
  const opened = countOf(/<details[\s>]/gi) - countOf(/<\/details\s*>/gi);
  const isPanel = /<(?:details|summary)[\s>]/i.test(value);
  for (const block of page.blocks) {
    if (block.kind !== 'heading' || !isPanel) blocks.push(block);
    else if (block.text !== '' || opened <= 0) blocks.push({ ...block, level: level + block.level - 1 });
  }
  if (opened > 0) details.push(level + 1);
  const ended = opened < 0 ? details.pop() : undefined;
  if (ended !== undefined) blocks.push({ kind: 'heading', level: ended, text: '' });
}

function cellText(node: Nodes): string {
  if (node.type === 'link') return linkOf(textOf(node), node.url);
  if (node.type === 'html') return /^<br\s*\/?>$/i.test(node.value) ? ' ' : node.value;
  return 'children' in node ? node.children.map(cellText).join('') : textOf(node);
}

function linksIn(node: Nodes): string[] {
  if (node.type === 'link') return [linkOf(textOf(node), node.url)];
  return 'children' in node ? node.children.flatMap(linksIn) : [];
}

function linkOf(name: string, url: string): string {
  return URL.canParse(url) ? linkText(name, url) : `[${name}](${url})`;
}
