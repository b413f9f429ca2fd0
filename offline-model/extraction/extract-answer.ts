import { composeAnswer } from './compose-answer.ts';
import { analyzeQuestion, hasSubject, type Question, splitQuestions } from './question.ts';
import { MIN_ABOUTNESS, type RankedUnit, rankUnits } from './ranking.ts';
import { splitIntoUnits, type Unit } from './units.ts';

export interface ExtractedAnswer {
  readonly text: string;
  /** false if the passages contain too few words of the question */
  readonly isSure: boolean;
}

// Shares of the question's words. On the tuning questions, 90 % reach the first share if a passage holds the answer,
// and one in seven if none does; between the two shares an answer is given with a warning.
const MIN_SURE_COVERAGE = 0.5;
const MIN_COVERAGE = 0.2;
/** A score of ranking.ts, at most about 1.2. */
const MIN_SCORE = 0.35;

function findBest(ranked: readonly RankedUnit[]): RankedUnit | undefined {
  let best: RankedUnit | undefined;
  for (const candidate of ranked) if (!best || candidate.score > best.score) best = candidate;
  return best;
}

/** If the question asks for a figure, a sentence without one is no answer, and one on another subject is wrong. */
function makeFigureFilter({ subjects }: Question) {
  return ({ unit, hasExpectedKind, aboutness }: RankedUnit) =>
    unit.kind !== 'heading' && hasExpectedKind && (subjects.size === 0 || aboutness >= MIN_ABOUTNESS);
}

function answerQuestion(
  text: string,
  background: string,
  earlier: readonly string[],
  units: readonly Unit[],
): ExtractedAnswer | undefined {
  const question = analyzeQuestion(text, background, earlier);
  const ranked = rankUnits(question, units);
  const candidates = ranked.filter(({ isOnSubject }) => isOnSubject);
  const best = findBest(question.asksFigure ? candidates.filter(makeFigureFilter(question)) : candidates);
  if (!best || best.coverage < MIN_COVERAGE || best.score < MIN_SCORE) return undefined;
  const isSure = best.coverage >= MIN_SURE_COVERAGE;
  const answer = composeAnswer(best, question, ranked);
  // A merely similar sentence must not contain figures: users would take them for the answer.
  return isSure || best.aboutness >= MIN_ABOUTNESS || !/\d/.test(answer)
    ? { text: answer, isSure }
    : undefined;
}

/**
 * The sentences of the passages that answer the message; undefined if none does. `earlier` holds earlier messages of
 * the user, oldest first. A question without a subject is about that of the question before it in the message. Linear in
 * the length of the passages.
 */
export function extractAnswer(
  message: string,
  passages: readonly string[],
  earlier: readonly string[] = [],
): ExtractedAnswer | undefined {
  const units = splitIntoUnits(passages);
  const { questions, background } = splitQuestions(message);
  const answers = questions.map((text, index) => {
    const before = hasSubject(text) ? earlier : [...earlier, ...questions.slice(0, index)];
    return answerQuestion(text, background, before, units);
  });
  const foundAnswers = answers.filter(answer => answer !== undefined);
  const sureAnswers = foundAnswers.filter(answer => answer.isSure);
  const chosenAnswers = sureAnswers.length > 0 ? sureAnswers : foundAnswers.slice(0, 1);
  if (chosenAnswers.length === 0) return undefined;
  return {
    text: [...new Set(chosenAnswers.map(answer => answer.text))].join('\n\n'),
    isSure: sureAnswers.length > 0,
  };
}
