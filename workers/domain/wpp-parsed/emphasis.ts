import { CHAR, isDigit, isSign, isSpace, isWordChar } from '../../../text/char-kind.ts';
import { type InlineNode, LINE_BREAK, type MarkRun, WHATSAPP_MARK } from './wpp-item.ts';

/*
 * Emphasis pairing as in CommonMark. Runs that can open are pushed on a stack; a run that can close searches the
 * stack downwards for its partner, and runs that it skips become text. `floors` stores, for each kind of closing
 * run, the lowest index that can still hold a partner, so that no part of the stack is searched twice: linear time
 * on any input.
 */

function codePointBefore(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  const isLowHalf = code >= 0xdc00 && code <= 0xdfff && at > 1;
  return isLowHalf ? (text.codePointAt(at - 2) ?? code) : code;
}

function isSpaceAt(text: string, at: number): boolean {
  return at < 0 || at >= text.length || isSpace(text.charCodeAt(at));
}

/** Unlike CommonMark: `2*3*4`, `2**3` and `alun*s` are no emphasis, because people write them as plain text. */
function isInsideWord(text: string, start: number, end: number): boolean {
  const [before, after] = [text.charCodeAt(start - 1), text.charCodeAt(end)];
  return end - start === 1 ? isWordChar(before) && isWordChar(after) : isDigit(before) && isDigit(after);
}

/** Returns the run of marks at `start`; undefined if it cannot be emphasis. */
export function markRunAt(text: string, start: number, end: number): MarkRun | undefined {
  const sign = text.charAt(start);
  // WhatsApp also strikes text between single tildes.
  if (sign === '~' && end - start > 2) return undefined;
  if (sign === '*' && isInsideWord(text, start, end)) return undefined;
  const spaceBefore = isSpaceAt(text, start - 1);
  const spaceAfter = isSpaceAt(text, end);
  const signBefore = !spaceBefore && isSign(codePointBefore(text, start));
  const signAfter = !spaceAfter && isSign(text.codePointAt(end) ?? 0);
  // Models write `**Prazo:**até`: for two stars only spaces decide which side opens, not punctuation.
  const isStrong = sign === '*' && end - start > 1;
  const isLineStart = start === 0 || text.charCodeAt(start - 1) === CHAR.newline;
  const left =
    (!spaceAfter && (isStrong || !signAfter || spaceBefore || signBefore)) || (isStrong && isLineStart);
  // A label in one star, `*Prazo:*10/03`, is meant for WhatsApp.
  const isLabelEnd = sign === '*' && text.charCodeAt(start - 1) === CHAR.colon;
  const right = !spaceBefore && (isStrong || isLabelEnd || !signBefore || spaceAfter || signAfter);
  const canOpen = left && (sign !== '_' || !right || signBefore);
  const canClose = right && (sign !== '_' || !left || signAfter);
  if (!canOpen && !canClose) return undefined;
  return makeRun(sign, end - start, canOpen, canClose);
}

export function makeRun(sign: string, length: number, canOpen: boolean, canClose: boolean): MarkRun {
  const unpaired = { closes: '', opens: '', isPaired: false, isBeforeWord: false };
  return { kind: 'run', sign, length, fullLength: length, canOpen, canClose, ...unpaired };
}

/** If both lengths are odd, italic is paired first and is therefore inside: `***x***` is bold around italic. */
function widthOf(opener: MarkRun, closer: MarkRun): 1 | 2 {
  if (opener.sign === '~') return opener.length === 1 ? 1 : 2;
  if (opener.length < 2 || closer.length < 2) return 1;
  return opener.length % 2 === 1 && closer.length % 2 === 1 ? 1 : 2;
}

function markOf(sign: string, width: 1 | 2): string {
  if (sign === '~') return WHATSAPP_MARK.strike;
  return width === 2 ? WHATSAPP_MARK.bold : WHATSAPP_MARK.italic;
}

/** CommonMark's rule of three, which keeps `*a**b*` one emphasis. */
function isPair(opener: MarkRun, closer: MarkRun): boolean {
  if (opener.sign !== closer.sign) return false;
  if (opener.sign === '~') return opener.length === closer.length;
  if (!opener.canClose && !closer.canOpen) return true;
  return (opener.fullLength + closer.fullLength) % 3 !== 0 || opener.fullLength % 3 === 0;
}

const KINDS_OF_CLOSER = 24;

/** Runs of the same kind find the same partners. */
function kindOfCloser(run: MarkRun): number {
  return '*_~='.indexOf(run.sign) * 6 + (run.canOpen ? 3 : 0) + (run.fullLength % 3);
}

const NO_FLOORS: readonly number[] = Array.from({ length: KINDS_OF_CLOSER }, () => 0);

interface Pair {
  readonly opener: MarkRun;
  readonly closer: MarkRun;
  readonly mark: string;
}

class EmphasisPairer {
  readonly pairs: Pair[] = [];
  readonly #waiting: MarkRun[] = [];
  readonly #floors = [...NO_FLOORS];

  pair(run: MarkRun): void {
    if (run.canClose) while (run.length > 0 && this.#closeOne(run));
    if (run.canOpen && run.length > 0) this.#waiting.push(run);
    run.isPaired = true;
  }

  #closeOne(run: MarkRun): boolean {
    const kind = kindOfCloser(run);
    const at = this.#partnerOf(run, this.#floors[kind] ?? 0);
    const opener = this.#waiting[at];
    if (!opener) {
      this.#floors[kind] = this.#waiting.length;
      return false;
    }
    const width = widthOf(opener, run);
    const mark = markOf(run.sign, width);
    opener.opens += mark;
    run.closes += mark;
    this.pairs.push({ opener, closer: run, mark });
    opener.length -= width;
    run.length -= width;
    this.#dropAbove(opener.length > 0 ? at + 1 : at);
    return true;
  }

  #partnerOf(run: MarkRun, floor: number): number {
    for (let at = this.#waiting.length - 1; at >= floor; at--) {
      const opener = this.#waiting[at];
      if (opener && isPair(opener, run)) return at;
    }
    return -1;
  }

  #dropAbove(height: number): void {
    this.#waiting.length = height;
    for (let kind = 0; kind < KINDS_OF_CLOSER; kind++) {
      if ((this.#floors[kind] ?? 0) > height) this.#floors[kind] = height;
    }
  }
}

export function pairEmphasis(nodes: readonly InlineNode[]): void {
  let pairing: EmphasisPairer | undefined;
  for (const node of nodes) {
    if (typeof node === 'object' && node.kind === 'run' && !node.isPaired)
      (pairing ??= new EmphasisPairer()).pair(node);
  }
  if (!pairing) return;
  pairBlankEnded(nodes);
  if (pairing.pairs.length > 0) partFromWords(nodes, pairing.pairs);
}

const ENDS_WITH_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}]/u;

/** WhatsApp shows a mark that stands between letters or digits: behind a sign it gets a blank, and others go. */
function partFromWords(nodes: readonly InlineNode[], pairs: readonly Pair[]): void {
  const besides = new Map<MarkRun, { readonly before: string; readonly after: string }>();
  for (const [at, node] of nodes.entries())
    if (typeof node === 'object' && node.kind === 'run')
      besides.set(node, {
        before: wordsOf(nodes[at - 1]).slice(-2),
        after: wordsOf(nodes[at + 1]).slice(0, 2),
      });
  for (const { opener, closer, mark } of pairs) {
    const [opening, closing] = [besides.get(opener), besides.get(closer)];
    const isInside =
      ENDS_WITH_WORD.test(closing?.before ?? '') && BEGINS_WITH_WORD.test(closing?.after ?? '');
    if (isInside || (ENDS_WITH_WORD.test(opening?.before ?? '') && !/^\s/.test(opening?.after ?? ''))) {
      opener.opens = opener.opens.replace(mark, '');
      closer.closes = closer.closes.replace(mark, '');
    } else if (BEGINS_WITH_WORD.test(closing?.after ?? '')) closer.isBeforeWord = true;
  }
}

function wordsOf(node: InlineNode | undefined): string {
  return typeof node === 'string' ? node : '';
}

/** Models write `**Prazo: **até`, whose second run looks like an opening one: two runs left over on a line are a pair. */
function pairBlankEnded(nodes: readonly InlineNode[]): void {
  let opener: MarkRun | undefined;
  for (const node of nodes) {
    if (node === LINE_BREAK) opener = undefined;
    if (typeof node !== 'object' || node.kind !== 'run' || node.sign !== '*' || node.length < 2) continue;
    if (!node.canOpen || node.opens !== '' || node.closes !== '') opener = undefined;
    else if (opener === undefined) opener = node;
    else {
      opener.opens += WHATSAPP_MARK.bold;
      node.closes += WHATSAPP_MARK.bold;
      opener.length -= 2;
      node.length -= 2;
      opener = undefined;
    }
  }
}
