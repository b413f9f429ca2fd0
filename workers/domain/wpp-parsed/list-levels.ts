/** The lists that are open, by the columns of their markers, outermost first. */
export class ListLevels {
  readonly #columns: number[] = [];

  get isOpen(): boolean {
    return this.#columns.length > 0;
  }

  close(): void {
    this.#columns.length = 0;
  }

  /** The margin of an item. Models indent by two, three or four columns: two more than the marker above are a level. */
  marginAt(column: number): string {
    while ((this.#columns.at(-1) ?? 0) > column) this.#columns.pop();
    const last = this.#columns.at(-1);
    if (last === undefined || column >= last + 2) this.#columns.push(column);
    return '  '.repeat(this.#columns.length - 1);
  }
}
