import { hasAnswerOfKind } from './answer-kinds.ts';
import { isContinuation } from './continuation.ts';
import {
  collectPassageStems,
  countUnitsByStem,
  type IndexedUnit,
  indexUnits,
  makeCachedStemmer,
} from './indexed-units.ts';
import type { Question } from './question.ts';
import type { Unit } from './units.ts';
import type { Variants } from './vocabulary.ts';
import { type WeightedTerm, weighTerms } from './weighted-terms.ts';
import { stemWord, toComparableText } from './words.ts';

/**
 * Scores each unit by the share of the question's weight that it covers. A word counts fully in the unit itself, and
 * less in its context: the FAQ question above it, its lead-in or headings, the sentence before it (which a pronoun
 * may refer to), the passage. Words are weighted by rarity among the given units; the expected kind of answer counts
 * like a word.
 */
export interface RankedUnit {
  readonly unit: Unit;
  readonly index: number;
  readonly score: number;
  /** the share of the question's words: whether the knowledge covers the topic at all */
  readonly coverage: number;
  /** the share of the question's subject in the unit or its headings */
  readonly aboutness: number;
  /**
   * whether it or its headings mention each noun of the question; also true of headings, and of statements that are no
   * rule where the question asks for none
   */
  readonly isOnSubject: boolean;
  /** whether it contains the expected kind of answer */
  readonly hasExpectedKind: boolean;
}

type ContextTexts = readonly (readonly [strength: number, stems: ReadonlySet<string>])[];

// Shares from 0 to 1, tuned with the tuning questions.

/** How much a word counts that only a context text contains; `topic` is a heading or lead-in. */
const CONTEXT_STRENGTHS = { faqQuestion: 0.9, topic: 0.65, previousUnit: 0.4, passage: 0.25 };
/** From this strength on, a context text states the topic of the unit. */
const MIN_TOPIC_STRENGTH = CONTEXT_STRENGTHS.topic;
/** A weaker variant does not count as a mention: synonyms do, derivations do not. */
const MIN_VARIANT_STRENGTH = 0.55;
/** The part of its weight that a subject keeps if no text contains it. */
const UNSEEN_SUBJECT_SHARE = 0.3;
/** How much a subject counts that only the previous unit, or only another part of the passage, mentions. */
const PREVIOUS_UNIT_SHARE = 0.8;
const PASSAGE_SHARE = 0.5;
/** A unit that covers less of the subject is about something else. */
export const MIN_ABOUTNESS = 0.5;
/** The share of the score that the expected kind of answer contributes. */
const KIND_SHARE = 0.3;
/** A figure without the counted noun beside it, where the question counts something. */
const UNCOUNTED_FIGURE_SCORE = 0.6;
const TOPIC_BONUS = 0.2;
const OFF_SUBJECT_PENALTY = 0.3;

const numerals = new Set(
  'dois duas três quatro cinco seis sete oito nove dez doze vinte'
    .split(' ')
    .map(word => stemWord(toComparableText(word))),
);
const isNumeral = (term: string) => /^\d/.test(term) || numerals.has(term);

/** The context texts of each unit, which may contain words that it omits. */
function collectContextTexts(indexedUnits: readonly IndexedUnit[]): ContextTexts[] {
  const readStems = makeCachedStemmer();
  const passages = collectPassageStems(indexedUnits);
  return indexedUnits.map(({ unit }, index) => {
    const { faqQuestion, lead, headings, passage } = unit;
    const previous = indexedUnits[index - 1];
    const contextTexts: [number, ReadonlySet<string>][] = headings.map(text => [
      CONTEXT_STRENGTHS.topic,
      readStems(text),
    ]);
    if (faqQuestion !== undefined) contextTexts.push([CONTEXT_STRENGTHS.faqQuestion, readStems(faqQuestion)]);
    if (lead) contextTexts.push([CONTEXT_STRENGTHS.topic, readStems(lead.text)]);
    if (previous?.unit.passage === passage)
      contextTexts.push([CONTEXT_STRENGTHS.previousUnit, previous.stems]);
    contextTexts.push([CONTEXT_STRENGTHS.passage, passages.get(passage) ?? new Set()]);
    return contextTexts;
  });
}

/** The context texts by origin, each with the share at which it counts as mentioning the subject. */
function groupContextTexts(contextTexts: ContextTexts) {
  const select = (share: number, isSelected: (strength: number) => boolean): ContextTexts =>
    contextTexts.filter(([strength]) => isSelected(strength)).map(([, stems]) => [share, stems]);
  return {
    topicTexts: select(1, strength => strength >= MIN_TOPIC_STRENGTH),
    previousTexts: select(PREVIOUS_UNIT_SHARE, strength => strength === CONTEXT_STRENGTHS.previousUnit),
    passageTexts: select(PASSAGE_SHARE, strength => strength === CONTEXT_STRENGTHS.passage),
  };
}

function findStrength(stems: ReadonlySet<string>, variants: Variants): number {
  let bestStrength = 0;
  for (const [stem, strength] of variants)
    if (strength > bestStrength && stems.has(stem)) bestStrength = strength;
  return bestStrength;
}

function scoreTerms(
  terms: readonly WeightedTerm[],
  unitStems: ReadonlySet<string>,
  contextTexts: ContextTexts,
): number {
  let sum = 0;
  for (const { weight, variants } of terms) {
    let bestStrength = findStrength(unitStems, variants);
    for (const [factor, stems] of contextTexts) {
      if (factor > bestStrength)
        bestStrength = Math.max(bestStrength, factor * findStrength(stems, variants));
    }
    sum += weight * bestStrength;
  }
  return sum;
}

/** The share of the subjects in these texts. A subject that no text contains may have another wording here. */
function computeShare(subjects: readonly WeightedTerm[], texts: ContextTexts): number {
  let totalWeight = 0;
  let matchedWeight = 0;
  for (const { weight, variants } of subjects) {
    const subjectWeight = variants.size === 0 ? weight * UNSEEN_SUBJECT_SHARE : weight;
    const isMentionedIn = ([, stems]: ContextTexts[number]) =>
      findStrength(stems, variants) >= MIN_VARIANT_STRENGTH;
    totalWeight += subjectWeight;
    matchedWeight += subjectWeight * Math.max(0, ...texts.filter(isMentionedIn).map(([share]) => share));
  }
  return totalWeight === 0 ? 0 : matchedWeight / totalWeight;
}

/** "11.200 estudantes": a number shortly before the counted noun */
function hasCountedNoun(terms: readonly string[], countedVariants: Variants): boolean {
  return terms.some(
    (term, index) => countedVariants.has(term) && terms.slice(Math.max(0, index - 2), index).some(isNumeral),
  );
}

function scoreKind(
  { kinds }: Question,
  { unit, comparableText, terms }: IndexedUnit,
  countedVariants: Variants | undefined,
): number {
  if (unit.kind === 'heading') return 0;
  if (countedVariants && hasCountedNoun(terms, countedVariants)) return 1;
  const hasKind = kinds.some(kind => hasAnswerOfKind(kind, unit.text, comparableText));
  return hasKind ? (countedVariants ? UNCOUNTED_FIGURE_SCORE : 1) : 0;
}

/** A figure or condition applies only to its own subject. */
function isRuleStatement({ comparableText }: IndexedUnit): boolean {
  return /\d|\b(e preciso|precisam?|exig|obrigat|deve[mr]?\b|so (pode|vale|aceita)|somente|apenas)/.test(
    comparableText,
  );
}

/** Headings, fragments, long sentences and passages that retrieval ranked low are worse answers. */
function computeShapePenalty({ unit, terms: { length } }: IndexedUnit): number {
  const headingPenalty = unit.kind === 'heading' ? 0.2 : 0;
  const shortPenalty = length < 3 && unit.kind === 'sentence' ? 0.08 : 0;
  const longPenalty = Math.min(0.1, Math.max(0, length - 25) * 0.004);
  const latePenalty = Math.min(0.05, unit.passage * 0.005);
  return headingPenalty + shortPenalty + longPenalty + latePenalty;
}

/** An adjective that no text contains may have another wording; a noun may not. */
function isRequiredNoun({ nouns }: Question, { stem, variants }: WeightedTerm): boolean {
  return (
    nouns.get(stem) === 'head' || (nouns.has(stem) && [...variants.values()].some(strength => strength === 1))
  );
}

function hasEachNoun(nouns: readonly WeightedTerm[], texts: readonly ReadonlySet<string>[]): boolean {
  return nouns.every(({ variants }) =>
    texts.some(stems => findStrength(stems, variants) >= MIN_VARIANT_STRENGTH),
  );
}

/** The answer would be a figure, a permission or a condition; instructions can apply to several subjects. */
function asksForRule({ kinds, asksPermission, asksCondition, asksFigure }: Question): boolean {
  if (kinds.includes('procedure')) return false;
  return asksPermission || asksCondition || asksFigure;
}

/** All units in the order of the text with their scores; empty if the question has no specific word. */
export function rankUnits(question: Question, units: readonly Unit[]): RankedUnit[] {
  const indexedUnits = indexUnits(units);
  const terms = weighTerms(question.terms, countUnitsByStem(indexedUnits), indexedUnits.length);
  const totalWeight = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (totalWeight === 0) return [];
  const countedVariants = terms.find(({ stem }) => stem === question.countedNoun)?.variants;
  const kindWeight = question.kinds.length > 0 ? (totalWeight * KIND_SHARE) / (1 - KIND_SHARE) : 0;
  const contexts = collectContextTexts(indexedUnits);
  const subjects = terms.filter(({ stem }) => question.subjects.has(stem));
  const requiredNouns = terms.filter(term => isRequiredNoun(question, term));
  const asksRule = asksForRule(question);
  return indexedUnits.map((entry, index) => {
    const contextTexts = contexts[index] ?? [];
    const termScore = scoreTerms(terms, entry.stems, contextTexts);
    const kindScore = scoreKind(question, entry, countedVariants);
    const { topicTexts, previousTexts, passageTexts } = groupContextTexts(contextTexts);
    const texts: ContextTexts = [[1, entry.stems], ...topicTexts, ...previousTexts, ...passageTexts];
    const aboutness = computeShare(subjects, texts);
    const statementTexts = isContinuation(entry.unit) ? [...topicTexts, ...previousTexts] : topicTexts;
    const hasAllNouns = hasEachNoun(requiredNouns, [
      entry.stems,
      ...statementTexts.map(([, stems]) => stems),
    ]);
    const isOnSubject = entry.unit.kind === 'heading' || hasAllNouns || !(asksRule || isRuleStatement(entry));
    const isOffSubject = subjects.length > 0 && aboutness < MIN_ABOUTNESS && isRuleStatement(entry);
    const score =
      (termScore + kindScore * kindWeight) / (totalWeight + kindWeight) +
      TOPIC_BONUS * computeShare(subjects, topicTexts) -
      computeShapePenalty(entry) -
      (isOffSubject ? OFF_SUBJECT_PENALTY : 0);
    return {
      unit: entry.unit,
      index,
      score,
      coverage: termScore / totalWeight,
      aboutness,
      isOnSubject,
      hasExpectedKind: kindScore > 0,
    };
  });
}
