import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { findOne, getElementsByTagName, textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { type Block, type DocumentText, RULE } from '../../domain/documents/block.ts';
import { isRaisedMark } from '../../domain/documents/raised.ts';
import { shown } from './docx-numbers.ts';
import { contactsOf, faqsOf, footersOf, isWhite, wordsOfPicture } from './html-asides.ts';
import { type Leads, leadsOf } from './html-leads.ts';
import { isHidden, isToggle, linkText, MAX_DEPTH, makePage, type Page } from './html-page.ts';
import {
  hasSpacedChildren,
  INLINE,
  isNamedSpaced,
  isRaised,
  isShownApart,
  isStruck,
  stylesOf,
} from './html-style.ts';
import { captionedTable, captionOf, isDataTable, nameTables, readTable, tableBelow } from './html-table.ts';
import { makeTextCollector, oneLine } from './html-text.ts';

/*
 * Reads the text of a page, in the order of its elements. Parts that only lead elsewhere (menus, header, footer) are left out,
 * and so are parts that a browser does not show, unless a button of the page shows them. Fields and buttons are left out, but
 * not the form that they stand in: many systems put a whole page into one. Struck text is left out and counted.
 * Nothing is run, and nothing that the page names is fetched.
 */

const LEFT_OUT = new Set(
  'title script style noscript noframes template nav footer button select datalist textarea svg canvas iframe object video audio head'.split(
    ' ',
  ),
);
const ROLES_LEFT_OUT = new Set(['navigation', 'banner', 'contentinfo', 'search', 'dialog']);
const HEADING = /^h([1-6])$/;
const MAX_TITLE = 1_000;
const LINES = new Set(['li', 'dt', 'dd', 'tr']);
/** These are paragraphs elsewhere, but lines within an item. */
const LINES_OF_ITEM = new Set(['ul', 'ol', 'dl', 'p', 'div']);
const NUMBERS = new Map([
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
]);

export interface HtmlText extends DocumentText {
  readonly title: string;
  readonly leads: Leads;
}

/** `address` is where the page is, so that its relative links lead somewhere. */
export function readHtml(html: string, address?: string): HtmlText {
  const document = parseDocument(html);
  nameTables(document.children);
  const title = oneLine(textContent(getElementsByTagName('title', document, true, 1)).slice(0, MAX_TITLE));
  const main = findOne(
    element => element.name === 'main' || element.attribs['role'] === 'main',
    document.children,
  );
  const roots = main ? [main] : document.children;
  const [base] = getElementsByTagName('base', document, true, 1);
  const href = base?.attribs['href'] ?? '';
  const start = URL.canParse(href, address) ? new URL(href, address).href : address;
  const page = makePage(roots, {
    length: html.length,
    address: start,
    styles: stylesOf(document),
  });
  const blocks: Block[] = [];
  const isInMain = Boolean(main);
  const reading = { page, blocks, text: makeTextCollector(blocks), isInMain, isInPart: isInMain };
  for (const node of roots) readNode(node, reading, 0);
  reading.text.end();
  addAsides(document.children, reading);
  const leads = leadsOf(document, start);
  return { title, leads, blocks, ...(page.struck === 0 ? {} : { struck: page.struck }) };
}

/** Adds contacts of the footer and questions of the page's data to the end, under no heading of the text. */
function addAsides(nodes: readonly AnyNode[], reading: Reading): void {
  const { blocks } = reading;
  const said = blocks.map(block => ('text' in block ? block.text : '')).join('\n');
  const footers = footersOf(nodes).map(footer => flatText(footer.children, reading, 0));
  const contacts = [...new Set(contactsOf(footers.join('\n')))].filter(line => !said.includes(line));
  const faqs = faqsOf(nodes, said);
  if (contacts.length + faqs.length === 0) return;
  blocks.push({ kind: 'heading', level: 1, text: '' });
  if (contacts.length > 0) blocks.push({ kind: 'text', text: contacts.join('\n') });
  for (const { question, answer } of faqs) {
    blocks.push({ kind: 'heading', level: 2, text: question });
    blocks.push({ kind: 'text', text: flatText(parseDocument(answer).children, reading, 0) });
  }
}

interface Reading {
  readonly page: Page;
  readonly blocks: Block[];
  readonly text: ReturnType<typeof makeTextCollector>;
  /** Within the main part or an article, a box beside the text is about it. */
  readonly isInMain: boolean;
  /** Within these and sections, a header has the heading of the part, and not the banner of the page. */
  readonly isInPart: boolean;
  /** Keeps lines and their spaces as they are. */
  readonly isPre?: boolean;
  /** Set in a cell, a heading, a note or a link's name, in which nothing is a heading or a table of its own. */
  readonly isFlat?: boolean;
  readonly isNote?: boolean;
  /** Set in an item of a list, which is one text with the other items, whatever paragraphs it has. */
  readonly isItem?: boolean;
  /** The list of this item, if it has numbers. */
  readonly numbers?: { readonly format: string; next: number } | undefined;
  /** Set within a raised text: the text of 190 nested ones of 4 MB would otherwise be read as often, for 18 s. */
  readonly isRaised?: boolean;
  /** Collects links that must not stand in the text. */
  readonly links?: string[];
}

function readNode(node: AnyNode, reading: Reading, depth: number): void {
  const { page, blocks, text, isFlat = false } = reading;
  if (isText(node)) return text.add(reading.isPre ? node.data : node.data.replace(/\s+/g, ' '));
  if (!isTag(node) || isLeftOut(node, reading)) return;
  if (isStruck(node, page.styles)) {
    if (textContent(node).trim() !== '') page.struck += 1;
  } else if (depth > MAX_DEPTH) text.add(` ${textContent(node)} `);
  else if (page.panels.has(node) || node.name === 'details') readPanel(node, reading, depth);
  else if (HEADING.test(node.name) && !isFlat) readHeading(node, reading, depth);
  else if (node.name === 'table' && !isFlat && isDataTable(node)) {
    text.end();
    blocks.push(...tableOf(node, reading, depth));
  } else if (node.name === 'hr' && !isFlat) {
    text.end();
    blocks.push({ kind: 'text', text: RULE });
  } else if (node.name === 'br') text.add('\n');
  else if (node.name === 'img') text.add(` ${wordsOfPicture(node)} `);
  else if (node.name === 'a') readLink(node, reading, depth);
  else if (node.name === 'sub' && isRaisedMark(textContent(node)))
    text.lower(textContent(node), textAfter(node));
  else if (!reading.isRaised && isRaised(node, page.styles)) readRaised(node, reading, depth);
  else readChildren(node, reading, depth);
}

function readChildren(node: Element, outer: Reading, depth: number): void {
  const { text } = outer;
  const { name } = node;
  const isInline = INLINE.has(name);
  // The items of a list are one text, because one alone says little.
  const isLine = LINES.has(name);
  const isLineOfItem = outer.isItem === true && LINES_OF_ITEM.has(name);
  if (name === 'li') text.mark(markOf(node, outer));
  else if (isLine || isLineOfItem) text.add('\n');
  else if (!isInline) text.end(outer.isPre);
  const reading = readingOf(node, outer);
  const space = () => outer.isPre || text.part();
  const isApart = isInline && isShownApart(node, outer.page.styles);
  const isSpaced = hasSpacedChildren(node, outer.page.styles);
  const isNamed = isNamedSpaced(node);
  if (isApart) space();
  for (const child of node.children) {
    if (isSpaced || (isNamed && isTag(child) && child.prev && isTag(child.prev))) space();
    readNode(child, reading, depth + 1);
  }
  if (isApart) space();
  if (isLineOfItem) text.add('\n');
  else if (!isInline && !isLine) text.end(reading.isPre);
}

function readingOf({ name, attribs }: Element, outer: Reading): Reading {
  if (name === 'article' || attribs['role'] === 'article')
    return { ...outer, isInMain: true, isInPart: true };
  if (name === 'section') return { ...outer, isInPart: true };
  if (name === 'pre') return { ...outer, isPre: true };
  if (name === 'ul') return { ...outer, numbers: undefined };
  if (name === 'ol') {
    const next = Number.parseInt(attribs['start'] ?? '1', 10);
    const format = NUMBERS.get(attribs['type'] ?? '') ?? 'decimal';
    return { ...outer, numbers: { format, next: Number.isNaN(next) ? 1 : next } };
  }
  return LINES.has(name) && name !== 'tr' ? { ...outer, isItem: true } : outer;
}

function markOf({ attribs }: Element, { numbers }: Reading): string {
  if (!numbers) return '-';
  const own = Number.parseInt(attribs['value'] ?? '', 10);
  const number = Number.isNaN(own) ? numbers.next : own;
  numbers.next = number + 1;
  return `${number > 0 ? shown(number, numbers.format) : number}.`;
}

/** Reads an element as one text whatever is in it, each block on a line. */
function flatText(nodes: readonly AnyNode[], outer: Reading, depth: number): string {
  const blocks: Block[] = [];
  const text = makeTextCollector(blocks);
  for (const node of nodes) readNode(node, { ...outer, blocks, text, isPre: false, isFlat: true }, depth + 1);
  text.end();
  return blocks.flatMap(block => (block.kind === 'text' ? [block.text] : [])).join('\n');
}

/** A heading's links follow it: within it, their addresses would stand in the path of each passage. */
function readHeading(node: Element, reading: Reading, depth: number): void {
  const { page, blocks, text } = reading;
  text.end();
  const links: string[] = [];
  const struckBefore = page.struck;
  const heading = oneLine(flatText(node.children, { ...reading, links }, depth));
  const level = Math.max(Number(HEADING.exec(node.name)?.[1]), page.section.floor + 1);
  // An empty heading is often only a gap; a struck one ends the heading before it.
  if (heading === '' && page.struck === struckBefore) return;
  page.section = { ...page.section, level };
  blocks.push({ kind: 'heading', level, text: heading });
  if (links.length > 0) blocks.push({ kind: 'text', text: links.join('\n') });
}

/** Content that a button opens has the button as its heading, which ends with it. */
function readPanel(node: Element, reading: Reading, depth: number): void {
  const { page, blocks, text, isFlat } = reading;
  const button = page.panels.get(node) ?? node.children.filter(isTag).find(({ name }) => name === 'summary');
  const links: string[] = [];
  const title = button ? oneLine(flatText(button.children, { ...reading, links }, depth)) : '';
  if (title === '' || isFlat) {
    if (title !== '') text.add(`\n${title}\n`);
    return readChildren(node, reading, depth);
  }
  text.end();
  const before = page.section;
  const level = Math.max(before.level, 1) + 1;
  page.section = { level, floor: level };
  blocks.push({ kind: 'heading', level, text: title });
  if (links.length > 0) text.add(links.join('\n'));
  readChildren(node, reading, depth);
  text.end();
  blocks.push({ kind: 'heading', level, text: '' });
  page.section = before;
}

function readLink(node: Element, reading: Reading, depth: number): void {
  const { page, text, links, isNote } = reading;
  const note = isNote ? undefined : page.notes.get(node);
  const hasBlocks = !reading.isFlat && findOne(({ name }) => !INLINE.has(name), node.children) !== null;
  const address = page.addressOf(node);
  if (hasBlocks || (address === undefined && !note && !isNote)) {
    readChildren(node, reading, depth);
    // A link around whole parts of a page has no name of its own: its address follows them.
    if (address === undefined || !hasBlocks) return;
    text.add(`\n${page.repeat(address)}`);
    return text.end();
  }
  const name = flatText(node.children, { ...reading, links: [] }, depth) || oneLine(pictureText(node));
  // The blank between two words may stand within the link.
  const [start = '', end = ''] = [/^\s/, /\s$/].map(blank => (blank.test(textContent(node)) ? ' ' : ''));
  if (note) text.add(noteText(name, flatText(note.children, { ...reading, isNote: true }, depth), page));
  // A link back to its mark is not text.
  else if (address === undefined) text.add(/\p{L}{2}/u.test(name) ? `${start}${name}${end}` : '');
  else if (name !== '') {
    const link = linkText(name, page.repeat(address));
    if (links && link !== name) links.push(link);
    text.add(start);
    if (links && isRaisedMark(name) && findOne(each => isRaised(each, page.styles), [node]))
      text.raise(name, '', true);
    else text.add(links ? name : link);
    text.add(end);
  }
}

/** Returns a picture's text, for a link that shows nothing else. */
function pictureText({ attribs, children }: Element): string {
  const texts = getElementsByTagName('img', children).map(image => image.attribs['alt'] ?? '');
  return texts.join(' ').trim() || attribs['aria-label'] || attribs['title'] || '';
}

/** Reads digits above the line, which are no part of the number before them; a note has parentheses of its own. */
function readRaised(node: Element, reading: Reading, depth: number): void {
  const { page, text } = reading;
  const said = oneLine(textContent(node));
  if (isRaisedMark(said) && findOne(each => page.notes.has(each), node.children) === null) {
    const isLink = findOne(({ name }) => name === 'a', [node]) !== null;
    return text.raise(flatText(node.children, reading, depth), textAfter(node), isLink);
  }
  if (/^\d/.test(said)) text.add(' ');
  readChildren(node, { ...reading, isRaised: true }, depth);
}

function textAfter({ next }: Element): string {
  return next && isText(next) ? next.data : '';
}

function noteText(mark: string, note: string, page: Page): string {
  const sign = mark.replace(/^[[(]|[\])]$/g, '');
  const said = oneLine(note.replace(/^- /, ''));
  if (said === '') return sign === '' ? '' : ` (${sign})`;
  return page.repeat(` (${sign === '' || said.startsWith(sign) ? '' : `${sign}: `}${said})`);
}

function isLeftOut(element: Element, { page, isInMain, isInPart, isNote }: Reading): boolean {
  const { name, attribs } = element;
  const { role = '' } = attribs;
  if (page.titles.has(element) || (name === 'summary' && isDetails(element.parent))) return true;
  if (page.noteTexts.has(element) && !isNote) return true;
  if (name === 'figcaption') return captionedTable(element) !== undefined;
  if (name === 'p' && attribs['class'] === 'caption') return tableBelow(element) !== undefined;
  const isButton = name === 'button' && isToggle(element);
  if ((LEFT_OUT.has(name) && !isButton) || ROLES_LEFT_OUT.has(role)) return true;
  if ((name === 'header' && !isInPart) || ((name === 'aside' || role === 'complementary') && !isInMain))
    return true;
  return !page.panels.has(element) && (isHidden(element) || isWhite(element));
}

function isDetails(node: AnyNode | null): boolean {
  return node !== null && isTag(node) && node.name === 'details';
}

/** Returns the table, and the links of its header, which would otherwise stand in each part of it. */
function tableOf(table: Element, reading: Reading, depth: number): Block[] {
  const { page } = reading;
  const links: string[] = [];
  const plain = { ...reading, links };
  const caption = captionOf(table);
  const block = readTable(table, caption ? oneLine(flatText(caption.children, plain, depth)) : '', {
    readCell: (cell, isHeader) =>
      isLeftOut(cell, reading) ? '' : cellText(cell, isHeader ? plain : reading, depth),
    repeat: page.repeat,
  });
  return links.length === 0 ? [block] : [block, { kind: 'text', text: links.join('\n') }];
}

function cellText(cell: Element, reading: Reading, depth: number): string {
  if (!isStruck(cell, reading.page.styles)) return flatText(cell.children, reading, depth);
  if (textContent(cell).trim() !== '') reading.page.struck += 1;
  return '';
}
