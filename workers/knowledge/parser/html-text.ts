import type { Block } from '../../domain/documents/block.ts';
import { loweredText, RAISED_AFTER, raisedText } from '../../domain/documents/raised.ts';

/* The text of a paragraph of a page, as it is collected from the elements within it. */

/** These follow what they belong to, however a page lays them: the cents of a price are often an element of their own. */
const FOLLOWS = /^\s*[,.:;!?)\]%/⁰¹²³⁴-⁹]/;

/** Collects the text of one line or one paragraph. */
export function makeTextCollector(blocks: Block[]) {
  let [collected, mark, tail] = ['', '', ''];
  let isApart = false;
  return {
    add(more: string): void {
      if (isApart && more.trim() !== '') {
        isApart = false;
        if (!FOLLOWS.test(more)) this.add(' ');
      }
      if (mark === '') collected += more;
      else if (more.trim() !== '') {
        collected += `\n${mark} ${more.trimStart()}`;
        mark = '';
        tail = '';
      }
      tail = (tail + more).slice(-RAISED_AFTER);
    },
    raise(raised: string, next: string, isLink: boolean): void {
      this.add(raisedText(mark === '' ? tail : '', raised, next, isLink));
    },
    lower(lowered: string, next: string): void {
      this.add(loweredText(mark === '' ? tail : '', lowered, next));
    },
    /** Puts a blank before the next text. */
    part(): void {
      isApart = true;
    },
    /** Puts an item's mark before its first text, and nowhere if it has none. */
    mark(next: string): void {
      mark = next;
    },
    end(isPre = false): void {
      const lines = collected.split('\n').map(line => (isPre ? line.trimEnd() : oneLine(line)));
      const isKept = (line: string, at: number) => line !== '' || (isPre && lines[at - 1] !== '');
      const text = lines
        .filter(isKept)
        .join('\n')
        .replace(/^\n|\n$/g, '');
      if (text !== '') blocks.push({ kind: 'text', text });
      [collected, mark, tail, isApart] = ['', '', '', false];
    },
  };
}

export function oneLine(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}
