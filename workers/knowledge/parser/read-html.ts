import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { findOne, getElementsByTagName, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { type Block, type DocumentText, RULE } from '../../domain/documents/block.ts';

/*
 * The text of a page, in the order of its elements. What only leads elsewhere (menus, header, footer) is left out, and what
 * a browser does not show. Nothing is run, and nothing that the page names is fetched.
 */

const LEFT_OUT = new Set(
  'title script style noscript template nav aside footer form button select svg canvas iframe object video audio head'.split(
    ' ',
  ),
);
const ROLES_LEFT_OUT = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary', 'dialog']);
const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const HEADING = /^h([1-6])$/;
/** Deeper elements are read as their text. */
const MAX_DEPTH = 200;
const MAX_TITLE = 1_000;

export interface HtmlText extends DocumentText {
  readonly title: string;
}

export function readHtml(html: string): HtmlText {
  const page = parseDocument(html);
  const title = oneLine(textContent(getElementsByTagName('title', page, true, 1)).slice(0, MAX_TITLE));
  const main = findOne(
    element => element.name === 'main' || element.attribs['role'] === 'main',
    page.children,
  );
  const blocks: Block[] = [];
  const text = makeTextCollector(blocks);
  for (const node of main ? [main] : page.children)
    readNode(node, { blocks, text, isInMain: Boolean(main) }, 0);
  text.end();
  return { title, blocks };
}

interface Reading {
  readonly blocks: Block[];
  readonly text: ReturnType<typeof makeTextCollector>;
  /** Then a header is that of the text. */
  readonly isInMain: boolean;
  /** Then its lines and their spaces are those of the text. */
  readonly isPre?: boolean;
}

/** Collects what stands on one line or in one paragraph. */
function makeTextCollector(blocks: Block[]) {
  let collected = '';
  return {
    add(more: string): void {
      collected += more;
    },
    end(isPre = false): void {
      const lines = collected.split('\n').map(line => (isPre ? line.trimEnd() : oneLine(line)));
      const isKept = (line: string, at: number) => line !== '' || (isPre && lines[at - 1] !== '');
      const text = lines
        .filter(isKept)
        .join('\n')
        .replace(/^\n|\n$/g, '');
      if (text !== '') blocks.push({ kind: 'text', text });
      collected = '';
    },
  };
}

function readNode(node: AnyNode, reading: Reading, depth: number): void {
  const { blocks, text } = reading;
  if (isText(node)) return text.add(reading.isPre ? node.data : node.data.replace(/\s+/g, ' '));
  if (!isTag(node) || isLeftOut(node, reading)) return;
  const [, level] = HEADING.exec(node.name) ?? [];
  if (level !== undefined) {
    text.end();
    blocks.push({ kind: 'heading', level: Number(level), text: oneLine(textContent(node)) });
  } else if (node.name === 'table' && isDataTable(node)) {
    text.end();
    blocks.push(tableOf(node));
  } else if (node.name === 'hr') {
    text.end();
    blocks.push({ kind: 'text', text: RULE });
  } else if (node.name === 'br') text.add('\n');
  else if (depth > MAX_DEPTH) text.add(` ${textContent(node)} `);
  else readChildren(node, reading, depth);
}

function readChildren(node: Element, outer: Reading, depth: number): void {
  const { text } = outer;
  const isInline = INLINE.has(node.name);
  // The items of a list are one text: one alone says little.
  const isLine = node.name === 'li' || node.name === 'dt' || node.name === 'dd' || node.name === 'tr';
  if (isLine) text.add(node.name === 'li' ? '\n- ' : '\n');
  else if (!isInline) text.end(outer.isPre);
  const reading = node.name === 'pre' ? { ...outer, isPre: true } : outer;
  for (const child of node.children) readNode(child, reading, depth + 1);
  if (!isInline && !isLine) text.end(reading.isPre);
}

function isLeftOut({ name, attribs }: Element, { isInMain }: Reading): boolean {
  if (LEFT_OUT.has(name) || (name === 'header' && !isInMain)) return true;
  const { role = '', hidden, style = '' } = attribs;
  return ROLES_LEFT_OUT.has(role) || hidden !== undefined || /display:\s?none/i.test(style);
}

/** One that holds other tables only arranges the page. */
function isDataTable(table: Element): boolean {
  const hasTable = getElementsByTagName('table', table.children, true, 1).length > 0;
  return !hasTable && rowsOf(table).some(row => row.length > 1);
}

function tableOf(table: Element): Block {
  const [header = [], ...rows] = rowsOf(table);
  return { kind: 'table', header, rows };
}

function rowsOf(table: Element): string[][] {
  return [...rowsIn(table.children, 0)].map(row =>
    row.children.filter(isTag).map(cell => oneLine(textContent(cell))),
  );
}

/** A row in a row is text of the outer one: as rows of their own, each would repeat all that it holds. */
function* rowsIn(nodes: readonly AnyNode[], depth: number): Generator<Element> {
  if (depth > MAX_DEPTH) return;
  for (const node of nodes) {
    if (!isTag(node)) continue;
    if (node.name === 'tr') yield node;
    else yield* rowsIn(node.children, depth + 1);
  }
}

function oneLine(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}
