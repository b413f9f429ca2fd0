import { chainsIn, type DigitChain, numberOf } from './digit-chain.ts';
import type { Identifier } from './identifier.ts';
import { LONGEST_NUMBER, mayBeNumber, type NumberMatch, numberMatchOf } from './number-kinds.ts';

/*
 * Digits come in groups, and groups in chains: `11 98888-7777 01310-100` is one chain. Only the kinds of the numbers tell where
 * one ends and the next begins, so of all divisions of a chain the one is taken that leaves the fewest digits uncovered; among
 * those the one with the surest kinds and the fewest numbers. A number has a bounded number of digits, so this takes linear time.
 */

const MIN_DIGITS = 8;
/** A boleto in groups of four has twelve; a phone number with its country code, digit by digit, has thirteen. */
const MAX_GROUPS = 14;
/** Two phone numbers, with each digit apart. */
const MAX_DIVIDED_RUN = 26;
/** Stray digits before and after a number whose digits are apart. */
const MAX_STRAY_DIGITS = 2;
const COVERED_DIGIT = 16;
const EACH_NUMBER = -3;
const SURENESS: Readonly<Record<NumberMatch['sureness'], number>> = { usual: 4, weak: 1, odd: 0 };

interface Division {
  readonly score: number;
  /** The last number, and the index of its first group. */
  readonly last?: { readonly from: number; readonly match: NumberMatch };
}

const NOTHING: Division = { score: 0 };

/** CPF, CNPJ, phone, postal code, card and boleto numbers of a folded text, in order. */
export function findNumbers(text: string): Identifier[] {
  const found: Identifier[] = [];
  for (const chain of chainsIn(text)) {
    if (chain.values.length < MIN_DIGITS) continue;
    found.push(...identifiersIn(text, chain, divide(text, chain)));
  }
  return found;
}

/** The best division of the first groups, for each number of groups. */
function divide(text: string, chain: DigitChain): Division[] {
  const best: Division[] = [{ score: 0 }];
  const count = chain.starts.length;
  const runEnds = findRunEnds(chain);
  for (let from = 0; from < count; from++) {
    const { score } = best[from] ?? NOTHING;
    improve(best, from + 1, { score });
    const run = runEnds[from] ?? 0;
    // In a long row of single digits, a number has all but a few at the ends.
    if (run > from && run - (runEnds[from - MAX_STRAY_DIGITS] ?? 0) === 0) continue;
    const least = run > from ? run - MAX_STRAY_DIGITS : from + 1;
    const most = run > from ? run : Math.min(from + MAX_GROUPS, count);
    for (let to = Math.max(least, from + 1); to <= most; to++) addMatch(best, text, chain, from, to);
  }
  return best;
}

function addMatch(best: Division[], text: string, chain: DigitChain, from: number, to: number): void {
  const { values, offsets, starts } = chain;
  const start = offsets[from] ?? 0;
  const length = (offsets[to] ?? 0) - start;
  if (length > LONGEST_NUMBER) return;
  const hasPlus = text[(starts[from] ?? 0) - 1] === '+';
  if (!hasPlus && !mayBeNumber(values, start, length, to - from)) return;
  const match = numberMatchOf(numberOf(text, chain, from, to));
  if (!match) return;
  const value = COVERED_DIGIT * length + SURENESS[match.sureness] + EACH_NUMBER;
  improve(best, to, { score: (best[from] ?? NOTHING).score + value, last: { from, match } });
}

function improve(best: Division[], at: number, division: Division): void {
  if (division.score > (best[at]?.score ?? -1)) best[at] = division;
}

/** For each group of one digit in a long row of them, the end of the row; 0 for other groups. */
function findRunEnds({ offsets, starts }: DigitChain): Int32Array {
  const ends = new Int32Array(starts.length);
  for (let from = 0; from < starts.length; ) {
    let to = from;
    while ((offsets[to + 1] ?? 0) - (offsets[to] ?? 0) === 1) to += 1;
    if (to - from > MAX_DIVIDED_RUN) ends.fill(to, from, to);
    from = Math.max(to, from + 1);
  }
  return ends;
}

/** Follows the best division back from its end. */
function identifiersIn(text: string, chain: DigitChain, best: readonly Division[]): Identifier[] {
  const { starts, ends } = chain;
  const found: Identifier[] = [];
  for (let at = starts.length; at > 0; ) {
    const last = best[at]?.last;
    if (last) {
      const { kind, key } = last.match;
      const end = ends[at - 1] ?? 0;
      found.push({ kind, key, start: startWithSigns(text, starts[last.from] ?? 0, end), end });
    }
    at = last?.from ?? at - 1;
  }
  return found.toReversed();
}

/** Includes the plus of a country code and the bracket of an area code: without them a value put back would be another. */
function startWithSigns(text: string, start: number, end: number): number {
  const at = text[start - 1] === '+' ? start - 1 : start;
  const number = text.slice(start, end);
  const closed = number.indexOf(')');
  const isClosed = closed >= 0 && !number.slice(0, closed).includes('(');
  return isClosed && text[at - 1] === '(' ? at - 1 : at;
}
