export interface OpenBracket {
  isImage: boolean;
  at: number;
  /** Where the text behind it starts. */
  from: number;
  /** The plain text it stands in: its place in the list of nodes, and in the text. */
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

  /** The partner of a closing bracket, if it may still make a link or picture. */
  pop(): OpenBracket | undefined {
    const bracket = this.#open.pop();
    const isDead = bracket?.isImage === true && this.#open.length < this.#imageFloor;
    this.#imageFloor = Math.min(this.#imageFloor, this.#open.length);
    return isDead ? undefined : bracket;
  }

  /** Call it when the bracket has made a link or image: brackets around it that may not contain it are discarded. */
  use({ isImage }: OpenBracket): void {
    if (isImage) this.#imageFloor = this.#open.length;
    else this.#open = [];
  }
}
