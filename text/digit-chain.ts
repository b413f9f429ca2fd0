/** Digits in groups that are so close together that several groups may be one number. */
export interface DigitChain {
  readonly digits: string;
  readonly values: Uint8Array;
  /** The number of digits before each group; the last entry counts all digits. */
  readonly offsets: readonly number[];
  /** Where each group begins in the text, and where it ends. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Some groups of a chain, as one number. */
export interface GroupedNumber {
  /** All digits of the chain, and which of them belong to this number. */
  readonly values: Uint8Array;
  readonly start: number;
  readonly length: number;
  readonly digits: string;
  readonly sizes: readonly number[];
  /** The separators between the groups. */
  readonly separators: readonly string[];
  readonly hasPlus: boolean;
}

/** At most four separators between two groups, in one line; a comma stands alone, because lists have one with a blank. */
const CHAIN = /[0-9]+(?:(?:[ \t.\-/()+\\_:*|•·[\]{}]{1,4}|,)[0-9]+)*/g;
const GROUP = /[0-9]+/g;

export function* chainsIn(text: string): Generator<DigitChain, void> {
  for (const { 0: chain, index } of text.matchAll(CHAIN)) {
    const starts: number[] = [];
    const ends: number[] = [];
    const offsets = [0];
    let digits = '';
    for (const { 0: group, index: at } of chain.matchAll(GROUP)) {
      starts.push(index + at);
      ends.push(index + at + group.length);
      digits += group;
      offsets.push(digits.length);
    }
    yield { digits, values: valuesOf(digits), offsets, starts, ends };
  }
}

function valuesOf(digits: string): Uint8Array {
  const values = new Uint8Array(digits.length);
  for (let at = 0; at < digits.length; at++) values[at] = digits.charCodeAt(at) - 48;
  return values;
}

/** The groups from `from` to before `to`, as one number. */
export function numberOf(text: string, chain: DigitChain, from: number, to: number): GroupedNumber {
  const { values, offsets, starts, ends } = chain;
  const start = offsets[from] ?? 0;
  const end = offsets[to] ?? 0;
  const sizes: number[] = [];
  const separators: string[] = [];
  for (let at = from; at < to; at++) {
    sizes.push((offsets[at + 1] ?? 0) - (offsets[at] ?? 0));
    if (at > from) separators.push(text.slice(ends[at - 1], starts[at]));
  }
  const digits = chain.digits.slice(start, end);
  const hasPlus = text[(starts[from] ?? 0) - 1] === '+';
  return { values, start, length: end - start, digits, sizes, separators, hasPlus };
}
