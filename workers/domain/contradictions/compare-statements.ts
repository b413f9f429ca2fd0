import type { Span } from '../../../text/sentences.ts';
import { keyOf, type ReadPassage, type StatedWord, type Statement } from './read-statements.ts';
import { differInSubject, type SubjectSide, synonymStemsOf, type WeightOf } from './subjects.ts';
import type { StatedValue } from './value-classes.ts';

export type ContradictionKind = 'date' | 'price' | 'number' | 'weekday' | 'time' | 'negation';

/** What two statements contradict each other in, with the place of it in each. */
export interface Difference {
  readonly kind: ContradictionKind;
  readonly claims: readonly [Claim, Claim];
  /** How much of the one's words the other has, up to 1. */
  readonly likeness: number;
  /** They are of two years, so that only versions of a document contradict each other in it. */
  readonly isOtherYear: boolean;
}

/** A statement with what of it is compared: a value, or a word that it denies or says. */
export interface Claim extends SubjectSide {
  readonly mark: Span;
  readonly near: Near;
  readonly documentId?: string | undefined;
}

interface Side {
  readonly passage: ReadPassage;
  readonly statement: Statement;
  readonly documentId?: string | undefined;
}

/** The words of a value, by how near they stand to it. */
type Near = ReadonlyMap<string, number>;

const HALF_DISTANCE = 16;
const BEHIND_EQUAL_CLASS = 0.3;
const BEHIND_CLAUSE = 0.6;
/** A word of the heading, or of another sentence of the passage, stands for the same word of the statement so far. */
const IN_HEADING = 0.95;
const IN_PASSAGE = 0.6;
const AS_SYNONYM = 0.75;
/** Another value that both have. */
const BESIDE = 0.5;
const TOGETHER = 4;
/** Chosen by what bench/contradictions.bench.ts prints. */
const BOUNDS = { better: 0.66, worse: 0.34, sum: 1.15, shared: 2.2, whole: 0.94, least: 0.26 };

/** The clearest difference of two passages. */
export function findDifference(
  one: Subject,
  other: Subject,
  weightOf: WeightOf,
  nearOfValue = makeNears(),
): Difference | undefined {
  let best: Difference | undefined;
  const offer = (found: Difference | undefined) => {
    if (found && (!best || rankOf(found) > rankOf(best)) && !isSaidByBoth(found, one, other, weightOf))
      best = found;
  };
  for (const [of, stated] of one.byClass) {
    const rivals = other.byClass.get(of);
    if (rivals)
      for (const each of stated)
        for (const rival of rivals) offer(differenceOf(each, rival, weightOf, nearOfValue));
  }
  for (const each of one.negated) for (const difference of deniedBy(each, other, weightOf)) offer(difference);
  for (const each of other.negated)
    for (const difference of deniedBy(each, one, weightOf)) offer(swap(difference));
  return best;
}

/** Who says both of it means two things: the one's passage says what the other says of it, too. */
function isSaidByBoth(
  { claims: [claim, rival], likeness }: Difference,
  one: Subject,
  other: Subject,
  weightOf: WeightOf,
): boolean {
  return (
    (claim.value !== undefined && rival.value !== undefined && areBeside(claim, rival)) ||
    says(other, claim, rival, likeness, weightOf) ||
    says(one, rival, claim, likeness, weightOf)
  );
}

/**
 * Of the values of two statements those are compared that the other lacks: `R$ 500 à vista ou R$ 560 parcelado` says what `R$ 560
 * parcelado` says. In the same words each is compared with the one in its place: `6 h e 3 h` is not `3 h e 3 h`.
 */
function areBeside(claim: Claim, rival: Claim): boolean {
  const of = claim.value?.of;
  const [own, others] = [claim, rival].map(({ statement }) =>
    statement.values.filter(each => each.of === of),
  );
  if (!own || !others) return false;
  if (own.length === others.length && keyOfWords(claim.statement) === keyOfWords(rival.statement))
    return placeOf(own, claim) !== placeOf(others, rival);
  return !isLeft(claim, own, others) || !isLeft(rival, others, own);
}

function placeOf(values: readonly StatedValue[], { value }: Claim): number {
  return values.findIndex(({ from }) => from === value?.from);
}

function isLeft({ value }: Claim, own: readonly StatedValue[], others: readonly StatedValue[]): boolean {
  const count = (values: readonly StatedValue[]) => values.filter(each => each.value === value?.value).length;
  return count(own) > count(others);
}

/** Whether the passage says the same in another statement than the one that differs, in words as near. */
export function says(
  subject: Subject,
  claim: Claim,
  { statement: rival }: Claim,
  least: number,
  weightOf: WeightOf,
): boolean {
  const { value } = claim;
  if (!value) return subject.read.statements.some(each => isSaidSo(each, claim.statement));
  return (subject.byClass.get(value.of) ?? []).some(stated => {
    if (stated.value.value !== value.value || stated.statement === rival) return false;
    const other = { ...stated, near: nearOf(stated.statement, stated.value) };
    return (coverOf(claim, other, weightOf) + coverOf(other, claim, weightOf)) / 2 >= least;
  });
}

function isSaidSo(one: Statement, other: Statement): boolean {
  return keyOfWords(one) === keyOfWords(other) && one.negations.length === other.negations.length;
}

/** Two statements with one key differ in their values alone. */
function keyOfWords({ words }: Statement): string {
  return words.map(({ stem }) => stem).join(' ');
}

const rankOf = ({ isOtherYear, likeness }: Difference) => (isOtherYear ? likeness - 1 : likeness);

/** A passage that is compared. */
export interface Subject {
  readonly read: ReadPassage;
  /** Its values that another may contradict. */
  readonly byClass: ReadonlyMap<string, readonly Stated[]>;
  readonly negated: readonly Side[];
  readonly documentId?: string | undefined;
}

/** Values of one class of a passage: more are a table. */
const MAX_OF_CLASS = 64;

interface Stated extends Side {
  readonly value: StatedValue;
}

export function toSubject(read: ReadPassage, documentId?: string): Subject {
  const byClass = new Map<string, Stated[]>();
  const sides = read.statements.map(statement => ({ passage: read, statement, documentId }));
  for (const side of sides)
    for (const value of side.statement.values) {
      if (CLASSES_WITHOUT_RIVALS.test(value.of)) continue;
      const list = byClass.get(value.of);
      // An array that begins empty has room for 17.
      if (!list) byClass.set(value.of, [{ ...side, value }]);
      else if (list.length < MAX_OF_CLASS) list.push({ ...side, value });
    }
  return {
    read,
    byClass,
    negated: sides.filter(({ statement }) => statement.negations.length > 0),
    documentId,
  };
}

/** Remembers the words near each value: one passage is compared with many. */
export function makeNears(): (stated: Stated) => Near {
  const known = new Map<Stated, Near>();
  return stated => {
    const near = known.get(stated) ?? nearOf(stated.statement, stated.value);
    known.set(stated, near);
    return near;
  };
}

function differenceOf(
  one: Stated,
  other: Stated,
  weightOf: WeightOf,
  nearOfValue: (stated: Stated) => Near,
): Difference | undefined {
  if (one.value.value === other.value.value) return undefined;
  // The rows of a table are of several things, though only its other columns tell which.
  if (isOneDocument(one, other) && one.statement.isRow && other.statement.isRow) return undefined;
  const [near, others] = [nearOfValue(one), nearOfValue(other)];
  const likeness = likenessOf({ near, ...one }, { near: others, ...other }, weightOf);
  const differs = likeness === undefined ? 'yes' : differInSubject(one, other, near, others, weightOf);
  if (likeness === undefined || differs === 'yes') return undefined;
  return {
    isOtherYear: differs === 'years',
    kind: kindOf(one.value.of),
    likeness,
    claims: [
      { ...one, near, mark: spanOf(one.value) },
      { ...other, near: others, mark: spanOf(other.value) },
    ],
  };
}

/** They name what a statement is about. */
const CLASSES_WITHOUT_RIVALS = /^(?:order (?!and$)|term|year$|weekdays$)/;

const spanOf = ({ from, to }: Span): Span => ({ from, to });

function kindOf(of: string): ContradictionKind {
  if (of.startsWith('money')) return 'price';
  if (of === 'day' || of === 'month' || of.startsWith('day of') || of.startsWith('year')) return 'date';
  if (of === 'clock' || of === 'attribute shift') return 'time';
  if (of.startsWith('attribute')) return 'negation';
  return of === 'weekday' ? 'weekday' : 'number';
}

function nearOf(
  { words, values }: Statement,
  { of, at: own }: Pick<StatedValue, 'of' | 'at'>,
  without = -1,
): Map<string, number> {
  const near = new Map<string, number>();
  const rivals = values.filter(each => each.of === of && Math.abs(each.at - own) > TOGETHER);
  const clause = words.findLast(word => word.at <= own)?.clause ?? words[0]?.clause ?? 0;
  for (const { stem, at, clause: its } of words) {
    // `Gratuito` is a word and a price, and none of the words near it.
    if (at === without || (of !== '' && at === own)) continue;
    const isBehindRival = rivals.some(
      rival => (at < rival.at && rival.at < own) || (own < rival.at && rival.at < at),
    );
    const nearness =
      ((isBehindRival ? BEHIND_EQUAL_CLASS : 1) * BEHIND_CLAUSE ** Math.min(3, Math.abs(its - clause))) /
      (1 + Math.abs(at - own) / HALF_DISTANCE);
    near.set(stem, Math.max(near.get(stem) ?? 0, nearness));
  }
  for (const each of values) if (each.of !== of) near.set(keyOf(each), BESIDE);
  return near;
}

interface Compared extends Side {
  readonly near: Near;
}

/** The likeness of two statements around a value of each; undefined where they speak of different things. */
function likenessOf(one: Compared, other: Compared, weightOf: WeightOf, bounds = BOUNDS): number | undefined {
  const shared = sharedOf(one.near, other.near, weightOf);
  if (shared < bounds.shared) return undefined;
  const [a, b] = [coverOf(one, other, weightOf), coverOf(other, one, weightOf)];
  const [worse, better] = a < b ? [a, b] : [b, a];
  if (isOneDocument(one, other) && worse < OF_ONE_DOCUMENT) return undefined;
  const isClear = better >= bounds.whole ? worse >= bounds.least : worse >= bounds.worse;
  return better >= bounds.better && isClear && better + worse >= bounds.sum ? (a + b) / 2 : undefined;
}

/** The sentences of one document resemble each other, and it seldom says a thing twice. */
const OF_ONE_DOCUMENT = 0.95;

function isOneDocument(one: Side, other: Side): boolean {
  return one.documentId !== undefined && one.documentId === other.documentId;
}

function sharedOf(one: Near, other: Near, weightOf: WeightOf): number {
  let sum = 0;
  for (const stem of one.keys()) {
    if (other.has(stem)) sum += weightOf(stem);
    else if (synonymStemsOf(stem).some(each => other.has(each))) sum += AS_SYNONYM * weightOf(stem);
  }
  return sum;
}

/** The part of the words around a value that the other side has. */
function coverOf(one: Compared, other: Compared, weightOf: WeightOf): number {
  let [found, all] = [0, 0];
  for (const [stem, nearness] of one.near) {
    const weight = nearness * weightOf(stem);
    const presence = isOneDocument(one, other) ? Number(other.near.has(stem)) : presenceOf(stem, other);
    // Values that differ are no words that are missing.
    if (presence > 0 || !stem.includes(' ')) all += weight;
    found += weight * presence;
  }
  return all === 0 ? 0 : found / all;
}

function presenceOf(stem: string, { near: others, statement, passage: { stems } }: Compared): number {
  const heading = statement.heading.stems;
  const direct = others.has(stem) ? 1 : heading.has(stem) ? IN_HEADING : stems.has(stem) ? IN_PASSAGE : 0;
  if (direct > AS_SYNONYM) return direct;
  let most = direct;
  for (const synonym of synonymStemsOf(stem)) {
    const by =
      others.has(synonym) || heading.has(synonym)
        ? AS_SYNONYM
        : stems.has(synonym)
          ? IN_PASSAGE * AS_SYNONYM
          : 0;
    if (by > most) most = by;
  }
  return most;
}

function swap({ claims: [claim, other], ...rest }: Difference): Difference {
  return { ...rest, claims: [other, claim] };
}

const NEGATION = { better: 0.72, worse: 0.42, sum: 1.25, shared: 3, whole: 2, least: 0 };

/** What the first denies and a statement of the other passage says. */
function* deniedBy(one: Side, { read, documentId }: Subject, weightOf: WeightOf): Generator<Difference> {
  for (const negation of one.statement.negations) {
    const { stem } = negation;
    if (!(read.stems.has(stem) || synonymStemsOf(stem).some(each => read.stems.has(each)))) continue;
    const near = nearOf(one.statement, { of: '', at: negation.at }, negation.at);
    near.set(stem, 1);
    for (const statement of read.statements) {
      const stated = findStated(stem, statement);
      if (!stated || havePrices(one.statement, statement)) continue;
      const others = nearOf(statement, { of: '', at: stated.at });
      const other = { passage: read, statement, documentId };
      const likeness = likenessOf({ ...one, near }, { ...other, near: others }, weightOf, NEGATION);
      if (likeness === undefined) continue;
      const claims: [Claim, Claim] = [
        { ...one, value: undefined, near, mark: spanOf(negation) },
        { ...other, value: undefined, near: others, mark: spanOf(stated) },
      ];
      const differs = differInSubject(...claims, near, others, weightOf);
      if (differs === 'yes') continue;
      yield { kind: 'negation', claims, likeness, isOtherYear: differs === 'years' };
    }
  }
}

/** A word that is denied beside another price tells who pays it: `R$ 50 para sócios`, `R$ 100 para não sócios`. */
function havePrices(...both: readonly Statement[]): boolean {
  return both.every(({ values }) => values.some(({ of, value }) => of.startsWith('money') && value !== '0'));
}

/** The word that is denied elsewhere, in a clause that denies nothing. */
function findStated(stem: string, { words, negations, isConditional }: Statement): StatedWord | undefined {
  const isSame = (each: string) => each === stem || synonymStemsOf(stem).includes(each);
  if (isConditional || negations.some(each => isSame(each.stem))) return undefined;
  return words.find(each => isSame(each.stem) && !negations.some(({ clause }) => clause === each.clause));
}
