import type { Suite } from 'mocha';

type Close = () => unknown;
type Closing = { readonly [verb in 'close' | 'drop' | 'kill' | 'destroy']?: Close };

/** Each suite has opened these, for all its tests and for the one that runs. */
const opened = { afterAll: new WeakMap<Suite, Close[]>(), afterEach: new WeakMap<Suite, Close[]>() };

/**
 * A thing that the tests of a suite share: it is opened before them, and closed after them, the last one first. Its name stands for it
 * in tests and hooks; objects and functions can be taken from it beforehand, as in `const { db } = openOnce(…)`, strings cannot.
 */
export function openOnce<T extends object>(
  start: () => Promise<T> | T,
  close: (thing: T) => unknown = closeThing,
): T {
  let thing: T | undefined;
  before('opens', async function () {
    const suite = this.test?.parent as Suite;
    thing = await start();
    closingOf(suite, 'afterAll').push(() => close(thing as T));
  });
  return later(() => thing);
}

/** A thing that each test has anew: it is opened before it, and closed after it, the last one first. */
export function openEach<T extends object>(
  start: () => Promise<T> | T,
  close: (thing: T) => unknown = closeThing,
): T {
  let thing: T | undefined;
  beforeEach('opens', async function () {
    const suite = this.test?.parent as Suite;
    const own = await start();
    thing = own;
    closingOf(suite, 'afterEach').push(() => {
      thing = undefined;
      return close(own);
    });
  });
  return later(() => thing);
}

function closingOf(suite: Suite, when: keyof typeof opened): Close[] {
  const known = opened[when].get(suite);
  if (known) return known;
  const closing: Close[] = [];
  opened[when].set(suite, closing);
  // Added while the suite runs, it comes after the hooks that the file declares.
  suite[when]('closes', async () => {
    const failed: unknown[] = [];
    // One that cannot be closed leaves the others open otherwise.
    for (const close of closing.splice(0).toReversed())
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => failed.push(error));
    if (failed.length > 0) throw failed[0];
  });
  return closing;
}

function closeThing(thing: object): unknown {
  const { close, drop, kill, destroy } = thing as Closing;
  return (close ?? drop ?? kill ?? destroy)?.call(thing);
}

/** Stands for what `read` returns once it is there, and its members for theirs. */
function later<T extends object>(read: () => T | undefined): T {
  const now = (): T => {
    const thing = read();
    if (thing === undefined) throw new Error('This is used before its suite has opened it.');
    return thing;
  };
  return new Proxy((() => {}) as unknown as T, {
    get(_target, key) {
      const member = () => {
        const thing = read();
        return thing && memberOf(thing, key);
      };
      return read() || typeof key === 'symbol' || key === 'then' ? member() : later(member);
    },
    set: (_target, key, value) => Reflect.set(now(), key, value),
    getPrototypeOf: () => Reflect.getPrototypeOf(now()),
    has: (_target, key) => Reflect.has(now(), key),
    apply: (_target, self, given) => Reflect.apply(now() as unknown as Close, self, given),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor(_target, key) {
      const found = Reflect.getOwnPropertyDescriptor(now(), key);
      return found && { ...found, configurable: true };
    },
  });
}

/** Methods of a class keep their object, which may have private fields. */
function memberOf(thing: object, key: string | symbol) {
  const value = Reflect.get(thing, key);
  return typeof value === 'function' && !Object.hasOwn(thing, key) ? value.bind(thing) : value;
}
