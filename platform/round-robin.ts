/** First come, first served for each key (token, host); the keys in turn. */
export class RoundRobin<T> {
  readonly #queues = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  add(key: string, item: T): void {
    const queue = this.#queues.get(key);
    if (queue) queue.push(item);
    else this.#queues.set(key, [item]);
  }

  take(): T | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [key, queue] = first;
    const item = queue.shift();
    this.#queues.delete(key);
    // Re-inserted at the end: the other keys come first.
    if (queue.length > 0) this.#queues.set(key, queue);
    return item;
  }
}
