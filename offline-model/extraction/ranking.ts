import { type ContextTexts, collectContextTexts, groupContextTexts } from './context-texts.ts';
import { isContinuation } from './continuation.ts';
import { countUnitsByStem, indexUnits } from './indexed-units.ts';
import type { Question } from './question.ts';
import { computeShapePenalty, isRuleStatement, scoreKind } from './statement-scores.ts';
import { computeShare, hasEachNoun, scoreTerms } from './term-scores.ts';
import type { Unit } from './units.ts';
import { type WeightedTerm, weighTerms } from './weighted-terms.ts';

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

/** A unit that covers less of the subject is about something else. */
export const MIN_ABOUTNESS = 0.5;
/** The share of the score that the expected kind of answer contributes. */
const KIND_FRACTION = 0.3;

const TOPIC_BONUS = 0.2;
const OFF_SUBJECT_PENALTY = 0.3;

/** An adjective that no text contains may have another wording; a noun may not. */
function isRequiredNoun({ nouns }: Question, { stem, variants }: WeightedTerm): boolean {
  return (
    nouns.get(stem) === 'head' || (nouns.has(stem) && [...variants.values()].some(strength => strength === 1))
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
  const kindWeight = question.kinds.length > 0 ? (totalWeight * KIND_FRACTION) / (1 - KIND_FRACTION) : 0;
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
