import { CHAR } from '../../../text/char-kind.ts';
import { closingParensOf, type LinkTarget, labelOf, MAX_LABEL_LENGTH, TargetReader } from './link-target.ts';
import type { ParseContext } from './parse-context.ts';

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
