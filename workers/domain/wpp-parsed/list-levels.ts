/** The open lists, by the columns of their markers, outermost first. */
export class ListLevels {
  readonly #columns: number[] = [];

  get isOpen(): boolean {
    return this.#columns.length > 0;
  }

  close(): void {
    this.#columns.length = 0;
  }

  /**
   * The indent of an item in the output. Models indent by two, three or four columns: two more than the marker above
   * start a new level.
   */
  marginAt(column: number): string {
    while ((this.#columns.at(-1) ?? 0) > column) this.#columns.pop();
    const last = this.#columns.at(-1);
    if (last === undefined || column >= last + 2) this.#columns.push(column);
    return '  '.repeat(this.#columns.length - 1);
  }
}
