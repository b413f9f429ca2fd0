import { composeAnswer } from './compose-answer.ts';
import { type Question, questionOf, questionTextsOf } from './question.ts';
import { MIN_ABOUTNESS, type RankedUnit, rankUnits } from './ranking.ts';
import { type Unit, unitsOf } from './units.ts';

export interface ExtractedAnswer {
  readonly text: string;
  /** false if the passages contain too few words of the question */
  readonly isSure: boolean;
}

// Shares of the question's words. On the tuning questions, 90 % reach the first share if a passage holds the answer,
// and one in seven if none does; between the two shares an answer is given with a warning.
const sureCoverage = 0.5;
const MIN_COVERAGE = 0.2;
const MIN_SCORE = 0.35;

function bestOf(ranked: readonly RankedUnit[]): RankedUnit | undefined {
  let best: RankedUnit | undefined;
  for (const candidate of ranked) if (!best || candidate.score > best.score) best = candidate;
  return best;
}

/**
 * If the question asks for a figure, a sentence without one is no answer, and one on another subject a wrong answer.
 */
function holdsFigure({ subjects }: Question) {
  return ({ unit, holdsKind, aboutness }: RankedUnit) =>
    unit.kind !== 'heading' && holdsKind && (subjects.size === 0 || aboutness >= MIN_ABOUTNESS);
}

function answerQuestion(
  text: string,
  background: string,
  earlier: readonly string[],
  units: readonly Unit[],
): ExtractedAnswer | undefined {
  const question = questionOf(text, background, earlier);
  const ranked = rankUnits(question, units);
  const candidates = ranked.filter(({ isOnSubject }) => isOnSubject);
  const best = bestOf(question.asksFigure ? candidates.filter(holdsFigure(question)) : candidates);
  if (!best || best.coverage < MIN_COVERAGE || best.score < MIN_SCORE) return undefined;
  const isSure = best.coverage >= sureCoverage;
  const told = composeAnswer(best, question, ranked);
  // A merely similar sentence must not contain figures: users would take them for the answer.
  return isSure || best.aboutness >= MIN_ABOUTNESS || !/\d/.test(told) ? { text: told, isSure } : undefined;
}

/**
 * The sentences of the passages that answer the message; undefined if none does. `earlier` holds earlier messages of
 * the user, oldest first. Linear in the length of the passages.
 */
export function extractAnswer(
  message: string,
  passages: readonly string[],
  earlier: readonly string[] = [],
): ExtractedAnswer | undefined {
  const units = unitsOf(passages);
  const { asked, background } = questionTextsOf(message);
  const answers = asked.map(text => answerQuestion(text, background, earlier, units));
  const found = answers.filter(answer => answer !== undefined);
  const sure = found.filter(answer => answer.isSure);
  const told = sure.length > 0 ? sure : found.slice(0, 1);
  if (told.length === 0) return undefined;
  return { text: [...new Set(told.map(answer => answer.text))].join('\n\n'), isSure: sure.length > 0 };
}
