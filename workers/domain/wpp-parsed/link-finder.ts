import { isWebUrl, normalizeUrl } from '../../../text/bare-url.ts';
import { CHAR } from '../../../text/char-kind.ts';
import { closingParensOf, type LinkTarget, labelOf, MAX_LABEL_LENGTH, TargetReader } from './link-target.ts';
import type { ParseContext } from './parse-context.ts';
import { paymentOf } from './payment.ts';
import { type InlineNode, makeItemNode, makePaymentNode, makeUrlItem } from './wpp-item.ts';

export interface FoundLink {
  target: LinkTarget;
  end: number;
}

/** Finds the target of a pair of brackets: `(target)`, `[label]`, or the text in the brackets as a label. */
export class LinkFinder {
  readonly #text: string;
  readonly #context: ParseContext;
  readonly #targets: TargetReader;
  #parens: ReadonlyMap<number, number> | undefined;

  constructor(text: string, context: ParseContext) {
    this.#text = text;
    this.#context = context;
    this.#targets = new TargetReader(text);
  }

  /** The text is between `from` and the closing bracket at `at`. */
  find(from: number, at: number): FoundLink | undefined {
    const next = this.#text.charCodeAt(at + 1);
    const inline = next === CHAR.openParen ? this.#inline(at + 1) : undefined;
    return inline ?? (this.#context.definitions.size > 0 ? this.#findDefined(from, at, next) : undefined);
  }

  #inline(open: number): FoundLink | undefined {
    this.#parens ??= closingParensOf(this.#text);
    const close = this.#parens.get(open);
    if (close === undefined) return undefined;
    const target = this.#targets.read(open + 1, close);
    return target && { target, end: close + 1 };
  }

  #findDefined(from: number, at: number, next: number): FoundLink | undefined {
    if (next === CHAR.openBracket) {
      const close = this.#text.slice(at + 2, at + 3 + MAX_LABEL_LENGTH).indexOf(']');
      if (close > 0) return this.#findLabelled(at + 2, at + 2 + close, at + 3 + close);
      if (close === 0) return this.#findLabelled(from, at, at + 3);
    }
    // `[label]:` is a definition or introduces something; it is no link.
    return next === CHAR.colon ? undefined : this.#findLabelled(from, at, at + 1);
  }

  #findLabelled(from: number, to: number, end: number): FoundLink | undefined {
    if (to - from > MAX_LABEL_LENGTH) return undefined;
    const target = this.#context.use(labelOf(this.#text.slice(from, to)));
    return target ? { target, end } : undefined;
  }
}

export interface OpenBracket {
  isImage: boolean;
  at: number;
  /** The start of the text after the bracket. */
  from: number;
  /** The text node that contains it, and the position in that text. */
  node: number;
  plainFrom: number;
  /** The address of an HTML tag, which no bracket closes. */
  href?: string;
}

/** The open brackets. A link contains no link and an image no image, but a link may contain an image. */
export class BracketStack {
  #open: OpenBracket[] = [];
  /** Below this height an image bracket can no longer open. */
  #imageFloor = 0;
  #tagCount = 0;

  push(bracket: OpenBracket): void {
    if (bracket.href !== undefined) this.#tagCount += 1;
    this.#open.push(bracket);
  }

  /** Returns the opening bracket for a closing one, if they may still form a link or image. */
  pop(): OpenBracket | undefined {
    if (this.#open.at(-1)?.href !== undefined) return undefined;
    const bracket = this.#open.pop();
    const isDead = bracket?.isImage === true && this.#open.length < this.#imageFloor;
    this.#imageFloor = Math.min(this.#imageFloor, this.#open.length);
    return isDead ? undefined : bracket;
  }

  /** Returns the opening tag for a closing one; brackets that are open inside it are text. */
  popTag(): OpenBracket | undefined {
    if (this.#tagCount === 0) return undefined;
    this.#tagCount -= 1;
    const [tag] = this.#open.splice(this.#open.findLastIndex(({ href }) => href !== undefined));
    this.#imageFloor = Math.min(this.#imageFloor, this.#open.length);
    return tag;
  }

  /** Must be called when the bracket has formed a link or image: discards surrounding brackets that may not contain it. */
  use({ isImage }: OpenBracket): void {
    if (isImage) this.#imageFloor = this.#open.length;
    else [this.#open, this.#tagCount] = [[], 0];
  }
}

function wordsOf(node: InlineNode): string {
  if (typeof node === 'string') return node;
  return node.kind === 'run' ? node.sign.repeat(node.length) : (node.words ?? '');
}

function descriptionOf(inner: readonly InlineNode[], title: string): string {
  const words = inner.map(wordsOf).join('').replace(/\s+/g, ' ').trim();
  if (title === '' || title === words) return words;
  return words === '' ? title : `${words} (${title})`;
}

/**
 * Returns the nodes of a link or image. Items inside it (an image, a payment) come first, because a description holds words
 * only. A target that no browser can open is appended in brackets.
 */
export function linkNodes(
  inner: readonly InlineNode[],
  target: LinkTarget,
  isImage: boolean,
  context: ParseContext,
): readonly InlineNode[] {
  if (isWebUrl(target.url)) {
    const item = makeUrlItem(
      normalizeUrl(target.url),
      descriptionOf(inner, target.title),
      isImage ? 'image' : 'link',
    );
    const items = inner.filter(
      node => typeof node !== 'string' && node.kind === 'item' && node.words === undefined,
    );
    return [...items, makeItemNode(item)];
  }
  const payment = paymentOf(target.url, context);
  if (payment) return [...inner, makePaymentNode(payment, target.url)];
  const address = contactOf(target.url) ?? target.url;
  const rest = [address, target.title].filter(part => part !== '').join(' ');
  const name = inner.map(wordsOf).join('').trim();
  if (rest === '' || isSaid(address, name)) return inner;
  return [...inner, name === '' ? rest : ` (${rest})`];
}

/** Returns the person whom `tel:` or `mailto:` reaches; undefined for another kind of address. */
function contactOf(url: string): string | undefined {
  const [, contact] = /^(?:mailto|tel):([^?]*)/i.exec(url) ?? [];
  return contact?.replaceAll('%40', '@').replaceAll('%20', ' ').replaceAll('%2B', '+');
}

/** Whether the name already contains the contact: a phone in any grouping, with or without the country. */
function isSaid(contact: string, name: string): boolean {
  const digits = name.replace(/\D/g, '');
  const isPhone = /^\+?[\d\s().-]+$/.test(name) && digits.length >= 8;
  return isPhone
    ? contact.replace(/\D/g, '').endsWith(digits)
    : name !== '' && name.toLowerCase() === contact.toLowerCase();
}
