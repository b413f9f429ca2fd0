import { decodeHTMLAttribute } from 'entities/decode';
import { findBareUrlEnd, isWebUrl, normalizeUrl } from '../../../text/bare-url.ts';
import { CHAR, isAsciiSign, isWordChar, readEntityAt } from '../../../text/char-kind.ts';
import { codeSpanClosersOf, runEnd } from './code-fence.ts';
import { makeRun, markRunAt, pairEmphasis } from './emphasis.ts';
import { FormulaFinder } from './formula.ts';
import { BracketStack, type FoundLink, LinkFinder, linkNodes, type OpenBracket } from './link-finder.ts';
import type { ParseContext } from './parse-context.ts';
import { PaymentFinder, paymentOf } from './payment.ts';
import {
  type InlineNode,
  LINE_BREAK,
  type MarkRun,
  makeItemNode,
  makePaymentNode,
  makeUrlItem,
  WHATSAPP_MARK,
} from './wpp-item.ts';

const STARTS = new Uint8Array(128);
for (const sign of '\n\\`*_~[]!<&=$hHwW0123456789') STARTS[sign.charCodeAt(0)] = 1;

function startsAnything(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (STARTS[text.charCodeAt(at)] === 1) return true;
  return false;
}

/** Reads the content of a block: words, breaks, marks and items, in order. */
export function parseInlineNodes(text: string, context: ParseContext): readonly InlineNode[] {
  return startsAnything(text) ? new InlineReader(text, context).nodes() : [text];
}

const LINE_BREAK_TAG = /<(?:br|hr)\s{0,8}\/?>/iy;
const COMMENT = /<!--[^>]{0,2000}-->/y;
/** HTML that models write instead of Markdown; a link's attributes are never longer. */
const TAG =
  /<(\/?)(a|img|b|strong|i|em|s|del|strike|u|mark|span|font|small|sup|sub|code|details|summary|p|div|ul|ol|li|h[1-6])(\s(?:[^<>"']|"[^"<]{0,2000}"|'[^'<]{0,2000}'){0,2000}|\s[^<>]{0,2000})?>/iy;
const MARK_OF_TAG: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '_',
  em: '_',
  s: '~~',
  del: '~~',
  strike: '~~',
};
/** These end a line; other tags without a mark say nothing on WhatsApp. */
const PARAGRAPHS = new Set(['p', 'div', 'ul', 'ol']);
/** White space after these only separates their lines. */
const LISTS = /^(?:ul|ol|li|h[1-6])$/;

/** A text between two equals signs on each side, on one line. */
const HIGHLIGHT = /==(?=[^\s=])[^=\n]{0,300}(?<!\s)==(?![=\p{L}\p{N}])/uy;

const ATTRIBUTE = /\s(href|src|alt) {0,8}= {0,8}(?:"([^"]*)"|'([^']*)'|([^\s"'][^\s]*))/gi;

/** Returns the value of a tag's attribute; empty if it has none. */
function attributeOf(attributes: string, name: string): string {
  for (const [, found, double, single, bare] of attributes.matchAll(ATTRIBUTE))
    if (found?.toLowerCase() === name) return decodeHTMLAttribute(double ?? single ?? bare ?? '').trim();
  return '';
}

/**
 * Reads the text of a block in one pass. Plain characters are skipped; a character that may start a construct is
 * passed to its method, which returns the position to continue from: after the construct, or after the plain text.
 */
class InlineReader {
  readonly #text: string;
  readonly #context: ParseContext;
  readonly #nodes: InlineNode[] = [];
  /** The finders are made when needed: most texts are short and have few constructs. */
  #payments: PaymentFinder | undefined;
  #links: LinkFinder | undefined;
  #formulas: FormulaFinder | undefined;
  #brackets: BracketStack | undefined;
  /** Marks with an open run. Without one, a run that can only close is plain text. */
  #openedSigns = '';
  #codeClosers: ReadonlyMap<number, number> | undefined;
  readonly #openedTags = new Set<string>();
  /** The place where each tag is closed for the last time, by its name. */
  readonly #lastClosing = new Map<string, number>();
  #highlightEnd = -1;
  #plainFrom = 0;

  constructor(text: string, context: ParseContext) {
    this.#text = text;
    this.#context = context;
  }

  nodes(): readonly InlineNode[] {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      at = code > 127 || STARTS[code] === 0 ? at + 1 : this.#read(code, at);
    }
    this.#endPlain(text.length);
    pairEmphasis(this.#nodes);
    return withoutStruckPayments(this.#nodes);
  }

  #read(code: number, at: number): number {
    switch (code) {
      case CHAR.newline:
        return this.#take(at, at + 1, LINE_BREAK);
      case CHAR.backslash:
        return this.#escape(at);
      case CHAR.backQuote:
        return this.#code(at);
      case CHAR.star:
      case CHAR.underscore:
      case CHAR.tilde:
        return this.#marks(code, at);
      case CHAR.openBracket:
        return this.#openBracket(at, at + 1, false);
      case CHAR.bang:
        return this.#text.charCodeAt(at + 1) === CHAR.openBracket
          ? this.#openBracket(at, at + 2, true)
          : at + 1;
      case CHAR.closeBracket:
        return this.#closeBracket(at);
      case CHAR.less:
        return this.#angle(at);
      case CHAR.amp:
        return this.#entity(at);
      case CHAR.dollar:
        return this.#formula(at, 'atDollar') ?? at + 1;
      case CHAR.equals:
        return this.#highlight(at);
      default:
        return code < 58 ? this.#number(at) : this.#bareUrl(at);
    }
  }

  #endPlain(at: number): void {
    if (at > this.#plainFrom) this.#nodes.push(this.#text.slice(this.#plainFrom, at));
  }

  #take(start: number, end: number, node: InlineNode): number {
    this.#endPlain(start);
    this.#nodes.push(node);
    this.#plainFrom = end;
    return end;
  }

  #formula(at: number, where: 'atDollar' | 'atBackslash'): number | undefined {
    this.#formulas ??= new FormulaFinder(this.#text);
    const found = this.#formulas[where](at);
    return found && this.#take(at, found.end, found.text);
  }

  /** The escaped character starts the next plain text. */
  #escape(at: number): number {
    const formulaEnd = this.#formula(at, 'atBackslash');
    if (formulaEnd !== undefined) return formulaEnd;
    const next = this.#text.charCodeAt(at + 1);
    if (next !== CHAR.newline && !isAsciiSign(next)) return at + 1;
    this.#endPlain(at);
    this.#plainFrom = at + 1;
    return next === CHAR.newline ? at + 1 : at + 2;
  }

  #code(at: number): number {
    const text = this.#text;
    this.#codeClosers ??= codeSpanClosersOf(text);
    const inside = runEnd(text, at, CHAR.backQuote);
    const closer = this.#codeClosers.get(at);
    if (closer === undefined) return inside;
    const end = closer + inside - at;
    const payment = paymentOf(text.slice(inside, closer), this.#context);
    const written = text.slice(at, end).replaceAll('\n', ' ');
    return this.#take(at, end, payment ? makePaymentNode(payment, written) : written);
  }

  #marks(code: number, at: number): number {
    const end = runEnd(this.#text, at, code);
    const run = markRunAt(this.#text, at, end);
    if (!run || (!run.canOpen && !this.#openedSigns.includes(run.sign))) return end;
    if (run.canOpen && !this.#openedSigns.includes(run.sign)) this.#openedSigns += run.sign;
    return this.#take(at, end, run);
  }

  /** Reads `==10/03==`, which WhatsApp lacks, as bold. */
  #highlight(at: number): number {
    if (at === this.#highlightEnd) return this.#take(at, at + 2, makeRun('=', 2, false, true));
    HIGHLIGHT.lastIndex = at;
    const isOpening = !isWordChar(this.#text.charCodeAt(at - 1)) && HIGHLIGHT.test(this.#text);
    if (!isOpening) return runEnd(this.#text, at, CHAR.equals);
    this.#highlightEnd = HIGHLIGHT.lastIndex - 2;
    return this.#take(at, at + 2, makeRun('=', 2, true, false));
  }

  #entity(at: number): number {
    const entity = readEntityAt(this.#text, at);
    return entity ? this.#take(at, entity.end, entity.text) : at + 1;
  }

  #angle(at: number): number {
    const text = this.#text;
    LINE_BREAK_TAG.lastIndex = at;
    if (LINE_BREAK_TAG.test(text)) return this.#take(at, LINE_BREAK_TAG.lastIndex, LINE_BREAK);
    COMMENT.lastIndex = at;
    if (COMMENT.test(text)) return this.#take(at, COMMENT.lastIndex, '');
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    if (tag)
      return this.#tag(at, at + tag[0].length, tag[1] === '/', tag[2]?.toLowerCase() ?? '', tag[3] ?? '');
    let end = at + 1;
    while (end < text.length && !'<> \t\n'.includes(text.charAt(end))) end++;
    if (text.charCodeAt(end) !== CHAR.greater) return at + 1;
    const inside = text.slice(at + 1, end);
    if (isWebUrl(inside)) return this.#take(at, end + 1, this.#bareItem(inside));
    const isMail = (inside.includes('@') && !inside.startsWith('/')) || /^tel:[+\d(]/i.test(inside);
    return isMail
      ? this.#take(at, end + 1, inside.replace(/^(?:mailto|tel):/i, '').split('?', 1)[0] ?? '')
      : at + 1;
  }

  /** Reads a tag as its Markdown. An opening tag that is never closed, and a closing one that closes nothing, stay text. */
  #tag(at: number, end: number, isClosing: boolean, name: string, attributes: string): number {
    const href = attributeOf(attributes, name === 'img' ? 'src' : 'href');
    if (name === 'img') {
      if (!isWebUrl(href)) return at + 1;
      const words = attributeOf(attributes, 'alt');
      const [node = '', ...others] = linkNodes([words], { url: href, title: '' }, true, this.#context);
      this.#take(at, end, node);
      this.#nodes.push(...others);
      return end;
    }
    if (name === 'a') return isClosing ? this.#closeTag(at, end) : this.#openTag(at, end, href);
    if (name === 'details' || name === 'summary') return this.#detailsTag(at, end, name, isClosing);
    const mark = MARK_OF_TAG[name] ?? '';
    if (!isClosing && !this.#isClosedLater(name, end)) return at + 1;
    if (isClosing && !this.#openedTags.delete(name)) return at + 1;
    if (!isClosing) this.#openedTags.add(name);
    if (LISTS.test(name)) return this.#listTag(at, end, name, isClosing);
    if (mark === '') return this.#take(at, end, isClosing && PARAGRAPHS.has(name) ? LINE_BREAK : '');
    return this.#take(at, end, makeRun(mark.charAt(0), mark.length, !isClosing, isClosing));
  }

  /** Reads a list, an item of it, or a heading, which becomes a line of bold. */
  #listTag(at: number, end: number, name: string, isClosing: boolean): number {
    let next = end;
    while (/\s/.test(this.#text.charAt(next))) next++;
    const isHeading = name.startsWith('h');
    const hasBreak = isHeading || (name === 'li') !== isClosing;
    const bold = isHeading ? [makeRun('*', 2, !isClosing, isClosing)] : [];
    const begin = name === 'li' && !isClosing ? ['- '] : bold;
    this.#take(at, next, hasBreak && !(isHeading && isClosing) ? LINE_BREAK : '');
    this.#nodes.push(...begin, ...(isHeading && isClosing ? [LINE_BREAK] : []));
    return next;
  }

  /** Reads the summary of details as a line of bold. The tags stand in blocks of their own, so none needs its partner. */
  #detailsTag(at: number, end: number, name: string, isClosing: boolean): number {
    const isBold =
      name === 'summary' && (isClosing ? this.#openedTags.delete(name) : this.#isClosedLater(name, end));
    if (isBold && !isClosing) this.#openedTags.add(name);
    this.#take(at, end, isBold ? makeRun('*', 2, !isClosing, isClosing) : '');
    if (!isClosing) return end;
    this.#nodes.push(LINE_BREAK);
    while (/\s/.test(this.#text.charAt(this.#plainFrom))) this.#plainFrom++;
    return this.#plainFrom;
  }

  #isClosedLater(name: string, from: number): boolean {
    const last = this.#lastClosing.get(name) ?? this.#text.toLowerCase().lastIndexOf(`</${name}>`);
    this.#lastClosing.set(name, last);
    return last >= from;
  }

  #openTag(at: number, end: number, href: string): number {
    if (href === '' || !this.#isClosedLater('a', end)) return at + 1;
    this.#brackets ??= new BracketStack();
    this.#brackets.push({
      isImage: false,
      at,
      from: end,
      node: this.#nodes.length,
      plainFrom: this.#plainFrom,
      href,
    });
    return end;
  }

  #closeTag(at: number, end: number): number {
    const opener = this.#brackets?.popTag();
    return opener
      ? this.#makeLink(opener, at, { target: { url: opener.href ?? '', title: '' }, end })
      : at + 1;
  }

  #bareUrl(at: number): number {
    const end = findBareUrlEnd(this.#text, at);
    return end === at ? at + 1 : this.#take(at, end, this.#bareItem(this.#text.slice(at, end)));
  }

  #bareItem(raw: string): InlineNode {
    const url = normalizeUrl(raw);
    return makeItemNode(makeUrlItem(url, '', 'bare'), raw.includes('@') ? url : raw);
  }

  #number(at: number): number {
    this.#payments ??= new PaymentFinder(this.#text, this.#context);
    const { payments, end } = this.#payments.find(at);
    for (const { start, end: last, item } of payments)
      this.#take(start, last, makePaymentNode(item, this.#text.slice(start, last)));
    return end;
  }

  /** The bracket is a text node of its own until it is part of a link, so that it can be removed. */
  #openBracket(at: number, from: number, isImage: boolean): number {
    this.#brackets ??= new BracketStack();
    this.#brackets.push({ isImage, at, from, node: this.#nodes.length, plainFrom: this.#plainFrom });
    return from;
  }

  #closeBracket(at: number): number {
    const opener = this.#brackets?.pop();
    if (!opener) return at + 1;
    this.#links ??= new LinkFinder(this.#text, this.#context);
    const link = this.#links.find(opener.from, at);
    return link ? this.#makeLink(opener, at, link) : at + 1;
  }

  #makeLink(opener: OpenBracket, at: number, link: FoundLink): number {
    const inner = this.#cutInner(opener, at);
    pairEmphasis(inner);
    for (const node of linkNodes(withoutStruckPayments(inner), link.target, opener.isImage, this.#context))
      this.#nodes.push(node);
    this.#brackets?.use(opener);
    this.#plainFrom = link.end;
    return link.end;
  }

  /** Removes the nodes inside the bracket from the list; the first of them is the text with the bracket. */
  #cutInner(opener: OpenBracket, at: number): InlineNode[] {
    this.#endPlain(at);
    const [first, ...inner] = this.#nodes.splice(opener.node);
    const plain = typeof first === 'string' ? first : '';
    if (opener.at > opener.plainFrom) this.#nodes.push(this.#text.slice(opener.plainFrom, opener.at));
    const words = plain.slice(opener.from - opener.plainFrom);
    return words === '' ? inner : [words, ...inner];
  }
}

function strikesIn(marks: string): number {
  return marks.split(WHATSAPP_MARK.strike).length - 1;
}

function isStrike(node: InlineNode): node is MarkRun {
  return typeof node === 'object' && node.kind === 'run' && node.sign === '~';
}

/** A struck-through payment must not be paid, so it becomes text. Must be called after the marks are settled. */
function withoutStruckPayments(nodes: readonly InlineNode[]): readonly InlineNode[] {
  if (!nodes.some(isStrike)) return nodes;
  let depth = 0;
  return nodes.map(node => {
    if (isStrike(node)) depth += strikesIn(node.opens) - strikesIn(node.closes);
    const isStruck = depth > 0 && typeof node === 'object' && node.kind === 'item';
    return isStruck && node.written !== undefined ? node.written : node;
  });
}
