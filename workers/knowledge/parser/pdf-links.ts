import type { Block } from '../../domain/documents/block.ts';
import type { PdfItem } from '../../domain/documents/pdf-blocks.ts';
import { UnreadableError } from '../document-kind.ts';
import { addressBehind } from './html-page.ts';

/** A part of a page, from its left bottom corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly end: number;
  readonly top: number;
}

/*
 * A link of a PDF is a box over its words. They stay as they stand on the page, so that a phrase that one of them is part of is
 * still found, and the address follows in brackets: `pelo SIGAA (https://…)`. Lines are joined, divided and sorted before its words have a text to stand in, so each
 * of them has a mark until then: a character behind its first one, where no rule on beginnings and ends of texts sees it.
 */

const FIRST_MARK = 0xf0000;
const MAX_MARKS = 0xfffd;
const MARK = /[\u{F0000}-\u{FFFFD}]/u;
const MARKS = /[\u{F0000}-\u{FFFFD}]/gu;
/** Without it, one address of 2,000 characters behind each word of 16 MiB would be 16 GiB. */
const MAX_ADDRESSES = 16 * 1_048_576;
/** The width of a blank in most fonts, as a part of the size. */
export const BLANK_EM = 0.28;

export interface Link {
  readonly address: string;
  readonly box: Box;
}

export class PdfLinks {
  readonly #addresses: string[] = [];
  readonly #numbers = new Map<string, number>();
  #length = 0;

  /** Returns the items with a mark in each word that a link covers at least half of, or more of than of any other. */
  mark(items: readonly PdfItem[], links: readonly Link[]): PdfItem[] {
    // A document's own characters of this kind would be links.
    const marked = items.map(item => ({ ...item, text: item.text.replace(MARKS, '') }));
    const words = links.length > 0 ? marked.map(wordsOf) : [];
    const marks = marked.map(() => new Map<number, string>());
    for (const { address, box } of links) {
      const covered = marked.flatMap((item, at) => {
        const middle = item.y + 0.3 * item.size;
        if (middle < box.y || middle > box.top) return [];
        return (words[at] ?? []).flatMap(({ start, x, end }) => {
          const share = (Math.min(end, box.end) - Math.max(x, box.x)) / (end - x);
          return share > 0 ? [{ at, start, share }] : [];
        });
      });
      const most = covered.reduce((max, { share }) => Math.max(max, share), 0);
      for (const { at, start, share } of covered)
        if (share >= Math.min(0.5, most)) marks[at]?.set(start, this.#markOf(address));
    }
    return marked.map((item, at) => ({ ...item, text: withMarks(item.text, marks[at]) }));
  }

  #markOf(address: string): string {
    const number = this.#numbers.get(address) ?? this.#addresses.length;
    if (number >= MAX_MARKS) return '';
    if (number === this.#addresses.length) this.#addresses.push(address);
    this.#numbers.set(address, number);
    return String.fromCodePoint(FIRST_MARK + number);
  }

  /** Writes the addresses behind their words. Those of a heading or a header follow it, which would otherwise stand in each passage. */
  write(block: Block): Block[] {
    if (block.kind === 'heading' || block.kind === 'entry') {
      const { plain, links } = this.#read(block.text);
      return [{ ...block, text: plain }, ...this.#below(links, block)];
    }
    if (block.kind === 'text') return [{ ...block, text: this.#read(block.text).text }];
    const header = block.header.map(cell => this.#read(cell));
    const rows = block.rows.map(row => row.map(cell => this.#read(cell).text));
    const links = header.flatMap(cell => cell.links);
    return [{ ...block, header: header.map(({ plain }) => plain), rows }, ...this.#below(links, block)];
  }

  #below(links: readonly string[], { place }: Block): Block[] {
    if (links.length === 0) return [];
    return [{ kind: 'text', text: links.join('\n'), ...(place !== undefined && { place }) }];
  }

  #read(text: string): { readonly text: string; readonly plain: string; readonly links: string[] } {
    if (!MARK.test(text)) return { text, plain: text, links: [] };
    const links: string[] = [];
    const lines = text.split('\n').map(line => {
      const said: string[] = [];
      let name: string[] = [];
      const words = line.split(' ');
      for (const [at, word] of words.entries()) {
        const mark = MARK.exec(word)?.[0];
        name.push(word.replace(MARKS, ''));
        if (mark !== undefined && MARK.exec(words[at + 1] ?? '')?.[0] === mark) continue;
        said.push(mark === undefined ? name.join(' ') : this.#link(name.join(' '), mark, links));
        name = [];
      }
      return said.join(' ');
    });
    return { text: lines.join('\n'), plain: text.replace(MARKS, ''), links };
  }

  #link(text: string, mark: string, links: string[]): string {
    const address = this.#addresses[(mark.codePointAt(0) ?? 0) - FIRST_MARK] ?? '';
    this.#length += address.length;
    if (this.#length > MAX_ADDRESSES) throw new UnreadableError('too-large');
    const start = /^[("'“[]*/.exec(text)?.[0] ?? '';
    const ends = text.includes('(', start.length) ? /[.,;:!?"'”]{1,5}$/ : /[.,;:!?)\]"'”]{1,5}$/;
    const name = text.slice(start.length).replace(ends, '');
    const rest = text.slice(start.length + name.length);
    const behind = addressBehind(name, address);
    if (behind === undefined) return text;
    // An address that is printed over two lines is whole again.
    const joined = name.replaceAll(' ', '');
    if (addressBehind(joined, address) === undefined) return start + joined + rest;
    const link = `${name} (${behind.replace(/^(?:mailto|tel):/, '')})`;
    links.push(link);
    return start + link + rest;
  }
}

/** Returns the words with their places. A short number that stands alone is none: it may be digits above the line. */
function wordsOf({ text, x, width }: PdfItem): { start: number; x: number; end: number }[] {
  const all = widthOf(text);
  const hasLetters = /\p{L}/u.test(text);
  let [from, left] = [0, 0];
  return [...text.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
    left += widthOf(text.slice(from, index));
    const start = x + (left / all) * width;
    left += widthOf(word);
    from = index + word.length;
    const isWord = hasLetters || word.length > 3;
    return isWord ? [{ start: index, x: start, end: x + (left / all) * width }] : [];
  });
}

function withMarks(text: string, marks: ReadonlyMap<number, string> | undefined): string {
  if (!marks || marks.size === 0) return text;
  let said = '';
  let from = 0;
  for (const [start, mark] of [...marks].toSorted(([a], [b]) => a - b)) {
    const end = start + (text.codePointAt(start)! > 0xffff ? 2 : 1);
    said += text.slice(from, end) + mark;
    from = end;
  }
  return said + text.slice(from);
}

/** The approximate width of a text in these letters, in the same unit. */
export function widthOf(text: string): number {
  const letters = text.normalize('NFC');
  let width = 0;
  for (const letter of letters)
    width += /[\sijlítfrìîï.,'I]/u.test(letter)
      ? BLANK_EM
      : /[mwMW]/.test(letter)
        ? 0.8
        : /\p{Lu}/u.test(letter)
          ? 0.68
          : 0.56;
  return width;
}
