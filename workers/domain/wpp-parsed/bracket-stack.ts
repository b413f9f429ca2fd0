export interface OpenBracket {
  isImage: boolean;
  at: number;
  /** Start of the text after the bracket. */
  from: number;
  /** The text node that contains it, and the position in that text. */
  node: number;
  plainFrom: number;
}

/** The open brackets. A link contains no link and an image no image, but a link may contain an image. */
export class BracketStack {
  #open: OpenBracket[] = [];
  /** Below this height an image bracket can no longer open. */
  #imageFloor = 0;

  push(bracket: OpenBracket): void {
    this.#open.push(bracket);
  }

  /** The opening bracket for a closing one, if they may still form a link or image. */
  pop(): OpenBracket | undefined {
    const bracket = this.#open.pop();
    const isDead = bracket?.isImage === true && this.#open.length < this.#imageFloor;
    this.#imageFloor = Math.min(this.#imageFloor, this.#open.length);
    return isDead ? undefined : bracket;
  }

  /** Call it when the bracket has formed a link or image: discards surrounding brackets that may not contain it. */
  use({ isImage }: OpenBracket): void {
    if (isImage) this.#imageFloor = this.#open.length;
    else this.#open = [];
  }
}
