import { holdsKind } from './answer-kinds.ts';
import { isContinuation } from './continuation.ts';
import { type IndexedUnit, indexUnits, makeStemsReader, passageStems, unitCounts } from './indexed-units.ts';
import type { Question } from './question.ts';
import type { Unit } from './units.ts';
import type { Variants } from './vocabulary.ts';
import { type WeightedTerm, weighTerms } from './weighted-terms.ts';
import { foldText, stemOf } from './words.ts';

/**
 * Scores each unit by the share of the question's weight that it covers. A word counts fully in the unit itself, and
 * less in its context: the FAQ question above it, its lead-in or headings, the sentence before it (which a pronoun
 * may refer to), the passage. Words are weighted by rarity among the given units; the expected kind of answer counts
 * like a word.
 */
export interface RankedUnit {
  readonly unit: Unit;
  readonly at: number;
  readonly score: number;
  /** the share of the question's words: whether the knowledge covers the topic at all */
  readonly coverage: number;
  /** the share of the question's subject in the unit or its headings */
  readonly aboutness: number;
  /** whether it or its headings mention each noun of the question; a heading itself states nothing */
  readonly isOnSubject: boolean;
  /** whether it contains the expected kind of answer */
  readonly holdsKind: boolean;
}

type Surroundings = readonly (readonly [strength: number, stems: ReadonlySet<string>])[];

const strengths = { asked: 0.9, context: 0.65, before: 0.4, passage: 0.25 };
/** From this strength on, a context text states the topic of the unit. */
const heading = strengths.context;
const MIN_VARIANT_STRENGTH = 0.55;
const unheardShare = 0.3;
const passageShare = 0.5;
/** A unit that covers less of the subject is about something else. */
export const MIN_ABOUTNESS = 0.5;
const kindShare = 0.3;
const topicBonus = 0.2;
const strangerPenalty = 0.3;

const numerals = new Set(
  'dois duas três quatro cinco seis sete oito nove dez doze vinte'
    .split(' ')
    .map(word => stemOf(foldText(word))),
);
const isNumeral = (term: string) => /^\d/.test(term) || numerals.has(term);

/** The context texts of each unit, which may contain words that it omits. */
function surroundingsOf(indexed: readonly IndexedUnit[]): Surroundings[] {
  const stemsOf = makeStemsReader();
  const passages = passageStems(indexed);
  return indexed.map(({ unit }, at) => {
    const { asked, lead, headings, passage } = unit;
    const before = indexed[at - 1];
    const around: [number, ReadonlySet<string>][] = headings.map(text => [strengths.context, stemsOf(text)]);
    if (asked !== undefined) around.push([strengths.asked, stemsOf(asked)]);
    if (lead) around.push([strengths.context, stemsOf(lead.text)]);
    if (before?.unit.passage === passage) around.push([strengths.before, before.stems]);
    around.push([strengths.passage, passages.get(passage) ?? new Set()]);
    return around;
  });
}

function strengthIn(stems: ReadonlySet<string>, variants: Variants): number {
  let best = 0;
  for (const [stem, strength] of variants) if (strength > best && stems.has(stem)) best = strength;
  return best;
}

function lexicalMatch(
  terms: readonly WeightedTerm[],
  own: ReadonlySet<string>,
  around: Surroundings,
): number {
  let sum = 0;
  for (const { weight, variants } of terms) {
    let best = strengthIn(own, variants);
    for (const [factor, stems] of around) {
      if (factor > best) best = Math.max(best, factor * strengthIn(stems, variants));
    }
    sum += weight * best;
  }
  return sum;
}

/** The share of the subjects in these texts. A subject that no text contains may have another wording here. */
function shareIn(subjects: readonly WeightedTerm[], texts: Surroundings): number {
  let total = 0;
  let found = 0;
  for (const { weight, variants } of subjects) {
    const own = variants.size === 0 ? weight * unheardShare : weight;
    const isIn = ([, stems]: Surroundings[number]) => strengthIn(stems, variants) >= MIN_VARIANT_STRENGTH;
    total += own;
    found += own * Math.max(0, ...texts.filter(isIn).map(([share]) => share));
  }
  return total === 0 ? 0 : found / total;
}

/** "11.200 estudantes": a number shortly before the counted noun */
function isCounted(terms: readonly string[], counted: Variants): boolean {
  return terms.some((term, at) => counted.has(term) && terms.slice(Math.max(0, at - 2), at).some(isNumeral));
}

function kindMatch(
  { kinds }: Question,
  { unit, folded, terms }: IndexedUnit,
  counted: Variants | undefined,
): number {
  if (unit.kind === 'heading') return 0;
  if (counted && isCounted(terms, counted)) return 1;
  const holds = kinds.some(kind => holdsKind(kind, unit.text, folded));
  return holds ? (counted ? 0.6 : 1) : 0;
}

/** A figure or condition applies only to its own subject. */
function isBinding({ folded }: IndexedUnit): boolean {
  return /\d|\b(e preciso|precisam?|exig|obrigat|deve[mr]?\b|so (pode|vale|aceita)|somente|apenas)/.test(
    folded,
  );
}

function shapePenalty({ unit, terms: { length } }: IndexedUnit): number {
  const isHeading = unit.kind === 'heading' ? 0.2 : 0;
  const isTiny = length < 3 && unit.kind === 'sentence' ? 0.08 : 0;
  const isLong = Math.min(0.1, Math.max(0, length - 25) * 0.004);
  const isLate = Math.min(0.05, unit.passage * 0.005);
  return isHeading + isTiny + isLong + isLate;
}

/** An adjective that no text contains may have another wording; a noun may not. */
function mustBeSaid({ named }: Question, { stem, variants }: WeightedTerm): boolean {
  return (
    named.get(stem) === 'head' || (named.has(stem) && [...variants.values()].some(strength => strength === 1))
  );
}

function speaksOfEach(named: readonly WeightedTerm[], texts: readonly ReadonlySet<string>[]): boolean {
  return named.every(({ variants }) =>
    texts.some(stems => strengthIn(stems, variants) >= MIN_VARIANT_STRENGTH),
  );
}

/** The answer would be a figure, a permission or a condition; instructions can apply to several subjects. */
function asksForRule({ kinds, asksPermission, asksCondition, asksFigure }: Question): boolean {
  if (kinds.includes('procedure')) return false;
  return asksPermission || asksCondition || asksFigure;
}

/** All units in the order of the text with their scores; empty if the question has no specific word. */
export function rankUnits(question: Question, units: readonly Unit[]): RankedUnit[] {
  const indexed = indexUnits(units);
  const terms = weighTerms(question.terms, unitCounts(indexed), indexed.length);
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [];
  const counted = terms.find(({ stem }) => stem === question.counted)?.variants;
  const kindWeight = question.kinds.length > 0 ? (total * kindShare) / (1 - kindShare) : 0;
  const surroundings = surroundingsOf(indexed);
  const subjects = terms.filter(({ stem }) => question.subjects.has(stem));
  const named = terms.filter(term => mustBeSaid(question, term));
  const asksRule = asksForRule(question);
  return indexed.map((entry, at) => {
    const around = surroundings[at] ?? [];
    const lexical = lexicalMatch(terms, entry.stems, around);
    const match = kindMatch(question, entry, counted);
    const heads = around.filter(([strength]) => strength >= heading).map(([, stems]) => [1, stems] as const);
    const beside = around
      .filter(([strength]) => strength === strengths.before)
      .map(([, stems]) => [0.8, stems] as const);
    const whole = around
      .filter(([strength]) => strength === strengths.passage)
      .map(([, stems]) => [passageShare, stems] as const);
    const aboutness = shareIn(subjects, [[1, entry.stems], ...heads, ...beside, ...whole]);
    const near = isContinuation(entry.unit) ? [...heads, ...beside] : heads;
    const speaksOfAll = speaksOfEach(named, [entry.stems, ...near.map(([, stems]) => stems)]);
    const isOnSubject = entry.unit.kind === 'heading' || speaksOfAll || !(asksRule || isBinding(entry));
    const isStranger = subjects.length > 0 && aboutness < MIN_ABOUTNESS && isBinding(entry);
    const score =
      (lexical + match * kindWeight) / (total + kindWeight) +
      topicBonus * shareIn(subjects, heads) -
      shapePenalty(entry) -
      (isStranger ? strangerPenalty : 0);
    return {
      unit: entry.unit,
      at,
      score,
      coverage: lexical / total,
      aboutness,
      isOnSubject,
      holdsKind: match > 0,
    };
  });
}
