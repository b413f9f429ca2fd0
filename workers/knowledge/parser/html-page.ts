import { type AnyNode, type Element, isTag } from 'domhandler';
import { findAll, nextElementSibling, prevElementSibling, textContent } from 'domutils';
import { maxCharactersOf } from '../../domain/documents/block.ts';
import { UnreadableError } from '../document-kind.ts';
import type { Styles } from './html-style.ts';

/* Relations between elements of a page: which button opens what, which mark names which note, and where links lead. */

export interface Page {
  /** Elements that buttons open, each with the button, or the heading that has it; undefined where that has no text. */
  readonly panels: ReadonlyMap<Element, Element | undefined>;
  /** The buttons and headings that title `panels`. */
  readonly titles: ReadonlySet<Element>;
  /** The notes, by the marks that name them. */
  readonly notes: ReadonlyMap<Element, Element>;
  readonly noteTexts: ReadonlySet<Element>;
  /** Returns the address of a link if it is worth keeping. */
  addressOf(link: Element): string | undefined;
  /** Counts text that the page has once and its reading repeats: a note for each of its marks, a cell for each row. */
  repeat(text: string): string;
  readonly styles: Styles;
  struck: number;
  /** The level of the innermost open heading, and the level below which a panel has its own headings. */
  section: { readonly level: number; readonly floor: number };
}

/** Deeper elements are read as their text. */
export const MAX_DEPTH = 200;
const MAX_ADDRESS = 2_048;
const MAX_NOTE = 1_000;
const MAX_MARK = 8;
/** A button may be alone in at most this many nested elements before the one that it opens. */
const MAX_CLIMB = 3;
const TOGGLE_CLASS = /(?:^|[\s_-])(?:accordion|acorde[aã]o|collapsible|faq|pergunta|question)/i;
/** These toggles open something that leads elsewhere, or says little. */
const OTHER_TOGGLES = /^(?:dropdown|modal|tooltip|popover|offcanvas|button|buttons)$/;

interface About extends Pick<Page, 'styles'> {
  readonly length: number;
  readonly address: string | undefined;
}

export function makePage(roots: readonly AnyNode[], { length, address, styles }: About): Page {
  const elements = findAll(() => true, [...roots]);
  const byId = new Map<string, Element>();
  for (const element of elements)
    for (const id of [element.attribs['id'], element.name === 'a' ? element.attribs['name'] : undefined])
      if (id && !byId.has(id)) byId.set(id, element);
  const { panels, titles } = findPanels(elements, byId);
  const notes = findNotes(elements, byId);
  let repeated = 0;
  return {
    panels,
    titles,
    notes,
    noteTexts: new Set(notes.values()),
    addressOf: link => addressOf(link.attribs['href'] ?? '', address),
    repeat(text) {
      repeated += text.length;
      // A note of 1,000 characters with 400,000 marks would be 400 million.
      if (repeated > maxCharactersOf(length)) throw new UnreadableError('too-many-passages');
      return text;
    },
    styles,
    struck: 0,
    section: { level: 0, floor: 0 },
  };
}

/** A button, link or tab that shows and hides something. */
export function isToggle(element: Element): boolean {
  const { name, attribs } = element;
  const toggled = attribs['data-bs-toggle'] ?? attribs['data-toggle'];
  if (OTHER_TOGGLES.test(toggled ?? '') || /^(?:true|menu)$/.test(attribs['aria-haspopup'] ?? ''))
    return false;
  if (toggled !== undefined) return true;
  const isButton = name === 'button' || /^(?:button|tab)$/.test(attribs['role'] ?? '');
  if ((isButton || name === 'a') && ('aria-expanded' in attribs || 'aria-controls' in attribs)) return true;
  return opensNext(element);
}

/** Whether this is a button named as an opener, or stands before something hidden and is the only element that can show it. */
function opensNext(element: Element): boolean {
  const { name, attribs } = element;
  const isNamed = TOGGLE_CLASS.test(attribs['class'] ?? '');
  if (name === 'button' && isNamed) return true;
  const mayOpen = isNamed || 'onclick' in attribs || /^(?:h[1-6]|dt|button)$/.test(name);
  const next = mayOpen ? nextElementSibling(element) : null;
  return next !== null && isHidden(next);
}

export function isHidden({ attribs }: Element): boolean {
  return attribs['hidden'] !== undefined || /display:\s?none/i.test(attribs['style'] ?? '');
}

function findPanels(elements: readonly Element[], byId: ReadonlyMap<string, Element>) {
  const panels = new Map<Element, Element | undefined>();
  const titles = new Set<Element>();
  for (const element of elements.filter(isToggle)) {
    const named = idsOf(element).flatMap(id => byId.get(id) ?? []);
    const [panel, ...more] = (named.length > 0 ? named : [nextOf(element)]).filter(
      each => each !== undefined && !isWithin(element, each),
    );
    for (const each of more) if (each && !panels.has(each)) panels.set(each, undefined);
    if (!panel || panels.get(panel)) continue;
    const title = headingAround(element) ?? element;
    if (isWithin(title, panel) || textContent(title).trim() === '') panels.set(panel, undefined);
    else {
      titles.add(title);
      panels.set(panel, title);
    }
  }
  return { panels, titles };
}

function idsOf({ attribs }: Element): string[] {
  const targets = [attribs['data-bs-target'], attribs['data-target'], attribs['href']];
  const ids = targets.flatMap(target => (target?.startsWith('#') ? [target.slice(1)] : []));
  return [...(attribs['aria-controls']?.split(/\s+/) ?? []), ...ids].filter(Boolean);
}

/** Returns the element after a button that stands alone in its own. */
function nextOf(button: Element): Element | undefined {
  let element = button;
  for (let climbed = 0; climbed < MAX_CLIMB; climbed += 1) {
    const next = nextElementSibling(element);
    if (next) return isToggle(next) ? undefined : next;
    if (prevElementSibling(element) || !element.parent || !isTag(element.parent)) return undefined;
    element = element.parent;
  }
  return undefined;
}

/** Finds the marks of notes: short links within the page that are in superscript, or named as notes. */
function findNotes(elements: readonly Element[], byId: ReadonlyMap<string, Element>): Map<Element, Element> {
  const notes = new Map<Element, Element>();
  for (const mark of elements) {
    const { href = '', ...attribs } = mark.attribs;
    if (mark.name !== 'a' || !href.startsWith('#')) continue;
    const isNamed = Object.values(attribs).some(value =>
      /\bnoteref\b|\bfootnote-ref\b|\b_ftnref/.test(value),
    );
    if (!isNamed && !('data-footnote-ref' in attribs) && !isRaised(mark)) continue;
    const found = byId.get(unescaped(href.slice(1)));
    const note = found?.name === 'a' || found?.name === 'sup' ? blockAround(found) : found;
    if (!note || isWithin(mark, note) || textContent(mark).trim().length > MAX_MARK) continue;
    if (textContent(note).length <= MAX_NOTE) notes.set(mark, note);
  }
  return notes;
}

function isRaised(mark: Element): boolean {
  const isSup = (node: AnyNode | null) => node !== null && isTag(node) && node.name === 'sup';
  return isSup(mark.parent) || isSup(mark.parent?.parent ?? null) || mark.children.some(isSup);
}

function blockAround(element: Element): Element | undefined {
  return ancestorsOf(element).find(({ name }) => /^(?:p|li|div|dd|td)$/.test(name));
}

function headingAround(element: Element): Element | undefined {
  return ancestorsOf(element).find(({ name }) => /^h[1-6]$/.test(name));
}

function isWithin(element: Element, outer: Element): boolean {
  return element === outer || ancestorsOf(element).includes(outer);
}

/** Returns the nearest ancestors: deeper elements are read as their text. */
function ancestorsOf({ parent }: Element): Element[] {
  const found: Element[] = [];
  for (let node = parent; node && isTag(node) && found.length < MAX_DEPTH; node = node.parent)
    found.push(node);
  return found;
}

export function addressOf(href: string, page: string | undefined): string | undefined {
  const sent = href.trim();
  if (sent === '' || sent.startsWith('#') || sent.length > MAX_ADDRESS || !URL.canParse(sent, page))
    return undefined;
  const url = new URL(sent, page);
  if (!/^(?:https?|mailto|tel):$/.test(url.protocol) || url.href.length > MAX_ADDRESS) return undefined;
  // Word takes the parenthesis before an address for a part of it: `http://(www.exemplo.br/`.
  if (/[()]|%2[89]/.test(url.hostname)) return undefined;
  if (url.hash !== '' && url.href.slice(0, -url.hash.length) === page?.split('#')[0]) return undefined;
  // These characters would end the link, or the table cell around it.
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll('|', '%7C');
}

/** Writes a link in Markdown; an address that is already the name is not repeated. */
export function linkText(name: string, address: string): string {
  const told = addressBehind(name, address);
  if (told === undefined) return isSameAddress(name, address) ? address : name;
  const label = isBalanced(name) ? name : name.replace(/[[\]]/g, '\\$&');
  return `[${label}](${told})`;
}

/** Returns where a link leads, unless its name says so. */
export function addressBehind(name: string, address: string): string | undefined {
  const { protocol, pathname } = new URL(address);
  if (protocol === 'mailto:' && name.toLowerCase().includes(unescaped(pathname).toLowerCase()))
    return undefined;
  if (protocol === 'tel:' && isSamePhone(name, pathname)) return undefined;
  if (isSameAddress(name, address)) return undefined;
  return protocol.startsWith('http') ? address : protocol + pathname;
}

function isSamePhone(name: string, phone: string): boolean {
  const [said, meant] = [name, phone].map(each => each.replace(/\D/g, ''));
  return Boolean(said && meant) && said!.length >= 3 && (meant!.endsWith(said!) || said!.endsWith(meant!));
}

function isSameAddress(name: string, address: string): boolean {
  const [said, meant] = [name, address].map(each =>
    each
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/^www\./, '')
      .replace(/\/$/, ''),
  );
  return said === meant;
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const sign of text) {
    if (sign === '[') open += 1;
    if (sign === ']' && (open -= 1) < 0) return false;
  }
  return open === 0;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
