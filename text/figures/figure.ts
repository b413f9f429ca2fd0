export type FigureKind = 'date' | 'money' | 'percent' | 'phone' | 'email' | 'url' | 'number';

/** The meanings of a figure; an ambiguous one has several. */
export type Meaning =
  | { readonly type: 'money'; readonly currency: string; readonly value: number }
  | { readonly type: 'percent'; readonly value: number }
  | { readonly type: 'date'; readonly year?: number; readonly month?: number; readonly day?: number }
  /** A part of a year: `2027/1`, the first half of 2027. */
  | { readonly type: 'term'; readonly year: number; readonly part: number }
  /** In the smallest unit of its dimension: minutes, months, metres. `written` is the number as the text has it. */
  | {
      readonly type: 'quantity';
      readonly dimension: string;
      readonly value: number;
      readonly written?: number;
    }
  /**
   * `named`: a word that is no unit follows, as in `60 vagas`; `alone`: no word stands beside it, as in a table, so that it
   * may be of any unit.
   */
  | {
      readonly type: 'count';
      readonly value: number;
      readonly of: 'alone' | 'nothing' | 'named' | 'order';
    }
  | { readonly type: 'phone'; readonly digits: string }
  | { readonly type: 'email' | 'url' | 'code'; readonly text: string };

export interface Figure {
  readonly kind: FigureKind;
  readonly start: number;
  readonly end: number;
  readonly meanings: readonly Meaning[];
  /** False if an answer needs no source for it, such as `uma` and the numbers of a list. */
  readonly isClaim: boolean;
}

/** An address supports at most this many addresses above it. */
const MAX_PARTS = 12;
/** Lengths of a subscriber number without area code. */
const LOCAL_LENGTHS = [8, 9];

/** Yields the keys that a text with this figure supports; `acceptedKeysOf` of a figure in the answer may name them. */
export function* offeredKeys(meaning: Meaning): Generator<string> {
  switch (meaning.type) {
    case 'money':
      yield `money ${meaning.currency} ${keyOf(meaning.value)}`;
      return yield `any ${keyOf(meaning.value)}`;
    case 'percent':
      yield `percent ${keyOf(meaning.value)}`;
      return yield `any ${keyOf(meaning.value)}`;
    case 'date':
      return yield* offeredByDate(meaning);
    case 'term':
      yield termKeyOf(meaning);
      yield `date ${meaning.year}`;
      return yield `order ${meaning.part}`;
    case 'quantity':
      yield `${meaning.dimension} ${keyOf(meaning.value)}`;
      if (meaning.written !== undefined) yield `any ${keyOf(meaning.written)}`;
      return;
    case 'count':
      yield `any ${keyOf(meaning.value)}`;
      if (meaning.of === 'order') return yield `order ${keyOf(meaning.value)}`;
      yield `count ${keyOf(meaning.value)}`;
      if (meaning.of === 'alone') yield `bare ${keyOf(meaning.value)}`;
      return;
    case 'phone':
      yield `phone ${meaning.digits}`;
      if (isLocal(meaning.digits)) yield `phone-local ${localOf(meaning.digits)}`;
      return yield `phone-end ${localOf(meaning.digits)}`;
    case 'url':
      return yield* offeredByUrl(meaning.text);
    case 'email':
    case 'code':
      yield `${meaning.type} ${meaning.text}`;
  }
}

/** Yields the keys of which a text must offer one to be a source of the figure. */
function* acceptedKeys(meaning: Meaning): Generator<string> {
  switch (meaning.type) {
    case 'money':
      yield `money ${meaning.currency} ${keyOf(meaning.value)}`;
      return yield `bare ${keyOf(meaning.value)}`;
    case 'percent':
      yield `percent ${keyOf(meaning.value)}`;
      return yield `bare ${keyOf(meaning.value)}`;
    case 'date':
      return yield* acceptedByDate(meaning);
    case 'term':
      return yield termKeyOf(meaning);
    case 'quantity':
      yield `${meaning.dimension} ${keyOf(meaning.value)}`;
      if (meaning.written !== undefined) yield `bare ${keyOf(meaning.written)}`;
      return;
    case 'count':
      if (meaning.of === 'alone' || meaning.of === 'nothing') return yield `any ${keyOf(meaning.value)}`;
      yield `${meaning.of === 'order' ? 'order' : 'count'} ${keyOf(meaning.value)}`;
      return yield `bare ${keyOf(meaning.value)}`;
    case 'phone':
      // A number with area code and one without support each other.
      yield `phone ${meaning.digits}`;
      if (isLocal(meaning.digits)) return yield `phone-end ${localOf(meaning.digits)}`;
      return yield `phone-local ${localOf(meaning.digits)}`;
    case 'email':
    case 'url':
    case 'code':
      yield `${meaning.type} ${meaning.text}`;
  }
}

/** A text must offer one of these keys to be a source of the figure. */
export function acceptedKeysOf({ meanings }: Pick<Figure, 'meanings'>): string[] {
  return meanings.flatMap(meaning => [...acceptedKeys(meaning)]);
}

function* offeredByDate({ year, month, day }: Extract<Meaning, { type: 'date' }>) {
  if (year !== undefined) yield `date ${year}`;
  if (month !== undefined) yield `date -${month}`;
  if (day !== undefined) yield `date --${day}`;
  if (day !== undefined && month === undefined) yield `any ${day}`;
  if (year !== undefined && month === undefined) yield `any ${year}`;
  if (year !== undefined && month !== undefined) yield `date ${year}-${month}`;
  if (month !== undefined && day !== undefined) yield `date -${month}-${day}`;
  if (year !== undefined && month !== undefined && day !== undefined) yield `date ${year}-${month}-${day}`;
}

function* acceptedByDate({ year, month, day }: Extract<Meaning, { type: 'date' }>) {
  const isDayAlone = day !== undefined && month === undefined;
  if (isDayAlone) {
    yield `date --${day}`;
    yield `order ${day}`;
    yield `bare ${day}`;
  } else if (year !== undefined && month === undefined) {
    yield `date ${year}`;
    yield `any ${year}`;
  } else yield `date ${year ?? ''}-${month}${day === undefined ? '' : `-${day}`}`;
}

/** Yields the address and those above it: a text that names a page names its site. */
function* offeredByUrl(text: string) {
  let end = text.length;
  for (let part = 0; part < MAX_PARTS && end > 0; part += 1) {
    yield `url ${text.slice(0, end)}`;
    end = Math.max(text.lastIndexOf('/', end - 1), text.lastIndexOf('?', end - 1));
  }
}

function termKeyOf({ year, part }: Extract<Meaning, { type: 'term' }>): string {
  return `term ${year}/${part}`;
}

function isLocal(digits: string): boolean {
  return LOCAL_LENGTHS.includes(digits.length);
}

/** Drops the area code and the ninth digit. */
function localOf(digits: string): string {
  return digits.slice(-8);
}

function keyOf(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
