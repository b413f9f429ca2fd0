export interface OpenBracket {
  isImage: boolean;
  at: number;
  /** Start of the text after the bracket. */
  from: number;
  /** The text node that contains it, and the position in that text. */
  node: number;
  plainFrom: number;
  /** Of a tag of HTML, which no bracket closes. */
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

  /** The opening bracket for a closing one, if they may still form a link or image. */
  pop(): OpenBracket | undefined {
    if (this.#open.at(-1)?.href !== undefined) return undefined;
    const bracket = this.#open.pop();
    const isDead = bracket?.isImage === true && this.#open.length < this.#imageFloor;
    this.#imageFloor = Math.min(this.#imageFloor, this.#open.length);
    return isDead ? undefined : bracket;
  }

  /** The opening tag for a closing one; brackets that are open inside it are text. */
  popTag(): OpenBracket | undefined {
    if (this.#tagCount === 0) return undefined;
    this.#tagCount -= 1;
    const [tag] = this.#open.splice(this.#open.findLastIndex(({ href }) => href !== undefined));
    this.#imageFloor = Math.min(this.#imageFloor, this.#open.length);
    return tag;
  }

  /** Call it when the bracket has formed a link or image: discards surrounding brackets that may not contain it. */
  use({ isImage }: OpenBracket): void {
    if (isImage) this.#imageFloor = this.#open.length;
    else [this.#open, this.#tagCount] = [[], 0];
  }
}
