import { derivedStemOf } from '../../text/words.ts';
import { hasAnswerOfKind } from './answer-kinds.ts';
import type { IndexedUnit } from './indexed-units.ts';
import type { Question } from './question.ts';
import type { Variants } from './vocabulary.ts';
import { toComparableText } from './words.ts';

/** A figure without the counted noun beside it, where the question counts something. */
const UNCOUNTED_FIGURE_SCORE = 0.6;

const numerals = new Set(
  'dois duas três quatro cinco seis sete oito nove dez doze vinte'
    .split(' ')
    .map(word => derivedStemOf(toComparableText(word))),
);
const isNumeral = (term: string) => /^\d/.test(term) || numerals.has(term);

/** "11.200 estudantes": a number shortly before the counted noun */
function hasCountedNoun(terms: readonly string[], countedVariants: Variants): boolean {
  return terms.some(
    (term, index) => countedVariants.has(term) && terms.slice(Math.max(0, index - 2), index).some(isNumeral),
  );
}

export function scoreKind(
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
export function isRuleStatement({ comparableText }: IndexedUnit): boolean {
  return /\d|\b(e preciso|precisam?|exig|obrigat|deve[mr]?\b|so (pode|vale|aceita)|somente|apenas)/.test(
    comparableText,
  );
}

/** Headings, fragments, long sentences and passages that retrieval ranked low are worse answers. */
export function computeShapePenalty({ unit, terms: { length } }: IndexedUnit): number {
  const headingPenalty = unit.kind === 'heading' ? 0.2 : 0;
  const shortPenalty = length < 3 && unit.kind === 'sentence' ? 0.08 : 0;
  const longPenalty = Math.min(0.1, Math.max(0, length - 25) * 0.004);
  const latePenalty = Math.min(0.05, unit.passage * 0.005);
  return headingPenalty + shortPenalty + longPenalty + latePenalty;
}
