const STEP = 500;

/** Does it with each item, and yields after some: for lists that are as long as a text of a caller makes them. */
export function* inSteps<T>(items: Iterable<T>, act: (item: T) => void): Generator<void, void> {
  let done = 0;
  for (const item of items) {
    act(item);
    done += 1;
    if (done % STEP === 0) yield;
  }
}
