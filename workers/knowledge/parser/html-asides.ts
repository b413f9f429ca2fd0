import { type AnyNode, type Element, isTag } from 'domhandler';
import { findAll, findOne, textContent } from 'domutils';

/* Text that a page does not show in its own place: questions in its data, contacts in its footer, names of its pictures. */

const MAX_CONTACT = 300;
const CONTACTS = [
  /[^\s@]{1,64}@[^\s@]{1,190}\.\p{L}{2,}/u,
  /(?<!\d)(?:\(\d{2,3}\)|\d{2})\s?9?\d{4}[-.\s]?\d{4}(?!\d)|(?<!\d)0[38]00[-\s]?\d{3}[-\s]?\d{4}(?!\d)/,
  /(?<!\d)\d{5}-\d{3}(?!\d)/,
  /(?<!\p{L})(?:Rua|R\.|Avenida|Av\.|Alameda|Travessa|Praça|Rodovia|Estrada)\s[^\d]{2,80}\d/iu,
];
const FILE = /\.(?:jpe?g|png|gif|svg|webp|avif)$/i;
const WHITE =
  /(?:^|[;\s])color\s*:\s*(?:white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))\s*(?:!important\s*)?(?:;|$)/i;
const COLOURED = /(?:^|[;\s-])(?:color|background)/i;

export interface Faq {
  readonly question: string;
  /** May be HTML. */
  readonly answer: string;
}

/** Returns the questions of the page's data (FAQPage) that `said`, its text, does not have. */
export function faqsOf(roots: readonly AnyNode[], said: string): Faq[] {
  const scripts = findAll(
    ({ name, attribs }) =>
      name === 'script' && /^application\/ld\+json\b/i.test(attribs['type']?.trim() ?? ''),
    [...roots],
  );
  const faqs = scripts.flatMap(script => questionsOf(parsed(textContent(script))));
  return faqs.filter(({ question }) => !said.includes(question));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function questionsOf(data: unknown): Faq[] {
  const pages = listOf(data).flatMap(one => [one, ...listOf(one['@graph'])]);
  return pages
    .filter(page => typesOf(page).includes('FAQPage'))
    .flatMap(page => listOf(page['mainEntity']))
    .flatMap(({ name, acceptedAnswer }) => {
      const [answer] = listOf(acceptedAnswer);
      const text = answer?.['text'];
      return typeof name === 'string' && typeof text === 'string' && name.trim() !== '' && text.trim() !== ''
        ? [{ question: name.split(/\s+/).join(' ').trim(), answer: text }]
        : [];
    });
}

function typesOf(one: Record<string, unknown>): unknown[] {
  return [one['@type']].flat();
}

function listOf(value: unknown): Record<string, unknown>[] {
  return [value].flat().filter(one => typeof one === 'object' && one !== null) as Record<string, unknown>[];
}

export function footersOf(roots: readonly AnyNode[]): Element[] {
  const isFooter = ({ name, attribs }: Element) => name === 'footer' || attribs['role'] === 'contentinfo';
  const isOutermost = (footer: Element) => {
    for (let outer = footer.parent; outer && isTag(outer); outer = outer.parent)
      if (isFooter(outer)) return false;
    return true;
  };
  return findAll(isFooter, [...roots]).filter(isOutermost);
}

/** Keeps the lines with an address, a telephone or an e-mail, and the label above one. */
export function contactsOf(text: string): string[] {
  const lines = text.split('\n');
  const isContact = (line = '') => line.length <= MAX_CONTACT && CONTACTS.some(kind => kind.test(line));
  return lines.filter((line, at) => isContact(line) || (line.endsWith(':') && isContact(lines[at + 1])));
}

/** Returns the words of a picture that is no link; a single one, or the name of its file, only says that there is one. */
export function wordsOfPicture({ attribs, parent }: Element): string {
  const words = attribs['alt']?.split(/\s+/).join(' ').trim() ?? '';
  const isNamed = words.split(' ').filter(word => /\p{L}{2}/u.test(word)).length > 1 && !FILE.test(words);
  for (let outer = parent, at = 0; outer && isTag(outer) && at < 3; outer = outer.parent, at += 1) {
    if (outer.name === 'a') return '';
    if (outer.name === 'figure' && textContent(outer).includes(words)) return '';
  }
  return isNamed ? words : '';
}

/** Whether a text is written in white, with nothing behind it: a class or an id may have a ground by any style sheet. */
export function isWhite(element: Element): boolean {
  const { attribs, children } = element;
  const isWritten =
    WHITE.test(attribs['style'] ?? '') || /^(?:#fff(?:fff)?|white)$/i.test(attribs['color'] ?? '');
  if (!isWritten) return false;
  for (let outer: Element['parent'] = element; outer && isTag(outer); outer = outer.parent)
    if (hasGround(outer)) return false;
  return findOne(one => COLOURED.test(one.attribs['style'] ?? '') || hasGround(one), children) === null;
}

function hasGround({ attribs }: Element): boolean {
  return (
    /background/i.test(attribs['style'] ?? '') ||
    ['bgcolor', 'background', 'class', 'id'].some(name => attribs[name] !== undefined)
  );
}
