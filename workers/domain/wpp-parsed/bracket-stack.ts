export interface OpenBracket {
  isImage: boolean;
  at: number;
  /** Where the text behind it starts. */
  from: number;
  /** The plain text it stands in: its place in the list of nodes, and in the text. */
  node: number;
  plainFrom: number;
}

/** The brackets that wait for their partner. A link holds no link and a picture no picture, but a link may hold a picture. */
export class BracketStack {
  #open: OpenBracket[] = [];
  /** Below this height a picture's bracket opens nothing any more. */
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

  /** To be called when it has: what it may not stand in opens nothing any more. */
  use({ isImage }: OpenBracket): void {
    if (isImage) this.#imageFloor = this.#open.length;
    else this.#open = [];
  }
}
