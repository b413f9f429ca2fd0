import type { Figure, Meaning } from '../../../text/figures/figure.ts';
import type { FoundFigures } from '../../../text/figures/find-figures.ts';
import type { Token } from '../../../text/figures/tokens.ts';
import { contentStemOf } from './figure-places.ts';
import type { SourcePiece } from './read-source-piece.ts';
import { weightOfCount } from './source-passages.ts';

/*
 * Figures that a person would calculate: `duas parcelas de R$ 300` are R$ 600. The numbers that are taken stand in one
 * passage, beside words of the sentence, or in the sentence itself. A share is taken without further words, and so is what the
 * sentence multiplies; sums and differences only where a word says so (`total`, `a mais`, `termina`), or where the sentence
 * names all that is counted together.
 */

interface Amount {
  /** `money`, `percent`, `count`, `day`, `year`, or a dimension. */
  readonly kind: string;
  readonly value: number;
  /** The noun that is counted, if the sentence says it too. */
  readonly noun?: string | undefined;
}

const SUMS =
  /\b(?:total|totaliza\w{0,4}|soma(?:m|ndo|d[oa]s?)?|ao todo|junt[oa]s|amb[oa]s|diferenca|a mais|a menos|econom\w{1,8}|rest[ae]\w{0,6}|sobra\w{0,3})\b/;
const YEARLY = /\b(?:an[ou]|anual|anuais|12 meses|doze meses)\b/;
/** Money may also be added to other money with these words. */
const WITH = /\b(?:com|primeir[oa]|mais)\b/;
const TIMES =
  /\b(?:termin\w{1,4}|acab\w{1,4}|encerr\w{1,4}|dur\w{1,6}|abert[oa]|noites?|dias?|anos?|horas?|depois|apos|renova\w{1,6}|prazo|podem)\b/;
const LEAST_NEAR = 0.02;
/** The nearness of a word beside the figure. */
const NEXT = 0.8;
const LEAST_OF_MOST = 0.75;
/** A sentence with more figures than this is not calculated. */
const MAX_CALCULATED = 12;
/** A passage with more operands is a table. */
const MAX_OPERANDS = 30;
/** Pairs of amounts. */
const MAX_COMPARED = 20_000;
const MAX_PIECES = 60;
const MAX_NEAREST = 3;

/** Returns where the figures begin that the folded sentence has calculated, or has only as parts of a calculation. */
export type CalculationFinder = (
  isMissing: (figure: Figure) => boolean,
  sentence: string,
  found: FoundFigures,
  pieces: readonly SourcePiece[],
) => ReadonlySet<number>;

/** The finder is for the sentences of one answer, which share the limit of comparisons. */
export function makeCalculationFinder(): CalculationFinder {
  let left = MAX_COMPARED;
  return (isMissing, sentence, { figures, tokens }, pieces) => {
    const starts = new Set<number>();
    const missing = figures.filter(figure => figure.isClaim && isMissing(figure));
    if (missing.length === 0 || missing.length > MAX_CALCULATED) return starts;
    const stems = new Set(wordsBeside(missing, tokens).flatMap(token => contentStemOf(token) ?? []));
    const named = nearestOf(pieces, stems).map(piece => amountsNamed(piece, stems));
    const says = wordsOf(sentence);
    for (const figure of missing) {
      if (isCountOfList(figure, sentence)) starts.add(figure.start);
      const own = figures.filter(each => each !== figure).flatMap(ownAmountsOf);
      if (own.length > MAX_OPERANDS) continue;
      for (const operands of [[], ...named]) {
        left -= (operands.length + own.length) ** 2;
        const used = left < 0 ? undefined : usedIn(figure, operands, own, says);
        for (const { start } of used ?? []) starts.add(start);
        if (used) starts.add(figure.start);
      }
    }
    return starts;
  };
}

/** Kinds of calculation that the folded sentence speaks of. */
interface CalculationWords {
  readonly sums: boolean;
  readonly yearly: boolean;
  readonly additions: boolean;
  readonly times: boolean;
}

function wordsOf(sentence: string): CalculationWords {
  return {
    sums: SUMS.test(sentence),
    yearly: YEARLY.test(sentence),
    additions: WITH.test(sentence),
    times: TIMES.test(sentence),
  };
}

/** Returns the words of the sentence without the figures in question. */
function wordsBeside(figures: readonly Figure[], tokens: readonly Token[]): Token[] {
  let next = 0;
  return tokens.filter(({ start }) => {
    while ((figures[next]?.end ?? start + 1) <= start) next += 1;
    return start < (figures[next]?.start ?? start + 1);
  });
}

/** Returns the pieces with the most of the words, each weighted by how few pieces have it. */
function nearestOf(pieces: readonly SourcePiece[], stems: ReadonlySet<string>): SourcePiece[] {
  const read = pieces.slice(0, MAX_PIECES);
  const shares = new Map<SourcePiece, number>();
  for (const stem of stems) {
    const having = read.filter(({ words }) => words.known.has(stem));
    const weight = weightOfCount(having.length, read.length);
    for (const piece of having) shares.set(piece, (shares.get(piece) ?? 0) + weight);
  }
  const most = Math.max(...shares.values());
  return [...shares]
    .filter(([, share]) => share >= LEAST_OF_MOST * most)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_NEAREST)
    .map(([piece]) => piece);
}

/** Returns the amounts of a passage that stand beside words of the sentence. */
function amountsNamed({ figures, nearAt }: SourcePiece, stems: ReadonlySet<string>): Amount[] {
  if (figures.length > MAX_OPERANDS) return [];
  return figures.flatMap(({ figure }, at) => {
    const near = nearAt(at);
    const known = [...stems].filter(stem => (near.get(stem) ?? 0) > LEAST_NEAR);
    const noun = known.find(stem => (near.get(stem) ?? 0) > NEXT);
    return known.length === 0 ? [] : amountsOf(figure).map(amount => ({ ...amount, noun }));
  });
}

function ownAmountsOf(figure: Figure): OwnAmount[] {
  return amountsOf(figure).map(amount => ({ ...amount, figure }));
}

/** Matches `quatro documentos: RG, CPF, histórico e fotos`. */
function isCountOfList({ meanings, end }: Figure, sentence: string): boolean {
  const [meaning] = meanings;
  const colon = sentence.indexOf(':', end);
  if (meaning?.type !== 'count' || colon < 0) return false;
  const items = sentence.slice(colon + 1).split(/[,;]| e | ou /);
  return items.filter(item => item.trim() !== '').length === meaning.value;
}

type OwnAmount = Amount & { readonly figure: Figure };

/** Returns the figures of the sentence that are used; undefined if the figure is not calculated. */
function usedIn(
  figure: Figure,
  operands: readonly Amount[],
  own: readonly OwnAmount[],
  says: CalculationWords,
): Figure[] | undefined {
  const wanted = amountsOf(figure).filter(({ value }) => value > 0);
  const isWanted = (list: Iterable<Amount>) => hasOneOf(list, wanted);
  const all = [...operands, ...own];
  for (const factor of own)
    for (const operand of all)
      if (operand !== factor && isWanted(multiplied(operand, factor))) return [factor.figure];
  if (says.yearly && isWanted(yearlyOf(operands))) return own.filter(isOneYear).map(each => each.figure);
  const isAny = (calculate: (one: Amount, other: Amount) => Iterable<Amount>) =>
    all.some((one, at) => all.slice(at + 1).some(other => isWanted(calculate(one, other))));
  const isFound =
    (all.some(({ kind }) => kind === 'percent') && isAny(sharesOfEither)) ||
    (says.sums && (isWanted(totalsOf(operands)) || isAny(sumsOf))) ||
    (says.additions && isAny(figure.kind === 'money' ? addedTo : countedTogether)) ||
    (says.times && (isAny(timesOf) || isWanted(spansOf(operands))));
  return isFound ? [] : undefined;
}

function hasOneOf(list: Iterable<Amount>, wanted: readonly Amount[]): boolean {
  for (const { kind, value } of list)
    if (wanted.some(each => each.kind === kind && Math.abs(each.value - value) < ROUNDING)) return true;
  return false;
}

function* sharesOfEither(one: Amount, other: Amount): Generator<Amount> {
  yield* sharesOf(one, other);
  yield* sharesOf(other, one);
}

function* addedTo(one: Amount, other: Amount): Generator<Amount> {
  if (one.kind === other.kind) yield { ...one, value: one.value + other.value };
}

/** Matches `em um ano`, with which a price is calculated. */
function isOneYear({ kind, value }: Amount): boolean {
  return kind === 'months' && value === MONTHS_OF_YEAR;
}

/** Splits `29 pessoas, com alunos e monitores` into 25 and 4. */
function* countedTogether(one: Amount, other: Amount): Generator<Amount> {
  if (one.kind === 'count' && one.noun !== undefined && other.noun !== undefined && one.noun !== other.noun)
    yield* addedTo(one, other);
}

function* yearlyOf(operands: readonly Amount[]): Generator<Amount> {
  for (const { kind, value } of operands)
    if (kind.startsWith('money')) yield { kind, value: value * MONTHS_OF_YEAR };
}

function* multiplied(operand: Amount, factor: Amount): Generator<Amount> {
  if (factor.kind === 'count' && factor.value >= 2 && operand.kind !== 'percent') {
    yield { ...operand, value: operand.value * factor.value };
    yield { ...operand, value: operand.value / factor.value };
  }
  yield* sharesOf(operand, factor);
}

function* sharesOf(whole: Amount, part: Amount): Generator<Amount> {
  if (part.kind !== 'percent' || !whole.kind.startsWith('money')) return;
  yield { ...whole, value: (whole.value * part.value) / 100 };
  yield { ...whole, value: whole.value * (1 - part.value / 100) };
  yield { ...whole, value: whole.value * (1 + part.value / 100) };
}

function* sumsOf(one: Amount, other: Amount): Generator<Amount> {
  if (one.kind === other.kind && one.kind !== 'day' && one.kind !== 'year') {
    yield { ...one, value: one.value + other.value };
    yield { ...one, value: Math.abs(one.value - other.value) };
  }
  for (const [operand, factor] of [
    [one, other],
    [other, one],
  ] as const)
    if (
      factor.kind === 'count' &&
      factor.value >= 2 &&
      (operand.kind === 'count' || operand.kind.startsWith('money'))
    )
      yield* multiplied(operand, factor);
}

const MONTHS_OF_YEAR = 12;

/** Yields the rest of a percentage, and the sum of more than two figures of a kind. */
function* totalsOf(operands: readonly Amount[]): Generator<Amount> {
  for (const { kind, value } of operands) if (kind === 'percent') yield { kind, value: 100 - value };
  for (const kind of new Set(operands.map(each => each.kind))) {
    const values = operands.filter(each => each.kind === kind).map(({ value }) => value);
    if (values.length > 2) yield { kind, value: values.reduce((sum, value) => sum + value, 0) };
  }
}

const DAY = 24 * 60;
/** A little more than half a cent. */
const ROUNDING = 0.006;

function* timesOf(one: Amount, other: Amount): Generator<Amount> {
  const [first, last] = one.value <= other.value ? [one, other] : [other, one];
  if (first.kind === 'minutes' && last.kind === 'minutes' && last.value <= DAY) {
    yield { kind: 'minutes', value: last.value - first.value };
    yield { kind: 'minutes', value: last.value + first.value };
  }
  if (first.kind === 'year' && last.kind === 'year')
    yield { kind: 'months', value: 12 * (last.value - first.value) };
  if (first.kind === 'day' && last.kind === 'day') {
    const days = last.value - first.value;
    for (const value of [days, days + 1]) {
      yield { kind: 'minutes', value: value * DAY };
      yield { kind: 'count', value };
    }
  }
  const [day, length] = one.kind === 'day' ? [one, other] : [other, one];
  if (day.kind !== 'day' || length.kind !== 'minutes' || length.value % DAY !== 0) return;
  yield { kind: 'day', value: day.value + length.value / DAY };
  yield { kind: 'day', value: day.value - length.value / DAY };
}

/** Yields the sum of the times from one to the next: `das 8h às 12h e das 13h às 17h`. */
function* spansOf(operands: readonly Amount[]): Generator<Amount> {
  const times = operands.filter(({ kind }) => kind === 'minutes').map(({ value }) => value);
  if (times.length < 4 || times.length % 2 !== 0) return;
  yield { kind: 'minutes', value: times.reduce((sum, time, at) => sum + (at % 2 === 0 ? -time : time), 0) };
}

const MS_OF_DAY = 86_400_000;
/** Any year serves for dates without one. */
const ANY_YEAR = 2027;

function amountsOf({ meanings }: Figure): Amount[] {
  return meanings.flatMap((meaning): Amount[] => {
    switch (meaning.type) {
      case 'money':
        return [{ kind: `money ${meaning.currency}`, value: meaning.value }];
      case 'percent':
        return [{ kind: 'percent', value: meaning.value }];
      case 'quantity':
        return [{ kind: meaning.dimension, value: meaning.value }];
      case 'count':
        return meaning.of === 'order' ? [] : [{ kind: 'count', value: meaning.value }];
      case 'date':
        return dateAmounts(meaning);
      case 'term':
      case 'phone':
      case 'email':
      case 'url':
      case 'code':
        return [];
    }
  });
}

function dateAmounts({ year, month, day }: Extract<Meaning, { type: 'date' }>): Amount[] {
  if (month === undefined) return year === undefined ? [] : [{ kind: 'year', value: year }];
  if (day === undefined) return [];
  return [{ kind: 'day', value: Date.UTC(year ?? ANY_YEAR, month - 1, day) / MS_OF_DAY }];
}
