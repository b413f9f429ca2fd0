import { foldText, isSpecific, wordsOf } from './folded-words.ts';

export interface RetrievalQuery {
  /** What is asked now, or what was asked last where nothing is. */
  readonly query: string;
  /** What the same person asked before, the newest last; none where the query stands for itself. */
  readonly earlier: readonly string[];
}

/** Words that point back to what was spoken of. */
const pointing = new Set(
  (
    'ele ela eles elas dele dela deles delas nele nela neles nelas isso isto disso disto nisso esse essa esses essas ' +
    'desse dessa desses dessas nesse nessa aquele aquela aquilo mesmo mesma outro outra outros outras la ai'
  ).split(' '),
);
const SHORT = 5;
const FEW_SPECIFIC = 2;
const MOST_EARLIER = 2;

/**
 * What to look for in the knowledge: "e aos sábados?" only makes sense with what was asked before it. So a question
 * that is short, or points back, brings along what the person asked before; a follow-up of a follow-up reaches further.
 */
export function retrievalQueryOf(question: string | undefined, asked: readonly string[]): RetrievalQuery {
  if (question === undefined) return { query: asked.at(-1) ?? '', earlier: [] };
  const earlier: string[] = [];
  let newest = question;
  for (const before of asked.slice(-MOST_EARLIER).toReversed()) {
    if (!isFollowUp(newest)) break;
    earlier.unshift(before);
    newest = before;
  }
  return { query: question, earlier };
}

/** The query in one line, for whoever has to explain what was found. */
export function joinQuery({ query, earlier }: RetrievalQuery): string {
  return [...earlier, query].join(' ');
}

function isFollowUp(question: string): boolean {
  const words = wordsOf(foldText(question));
  const specific = words.filter(isSpecific).filter(word => !pointing.has(word));
  if (words.length <= SHORT || specific.length <= FEW_SPECIFIC) return true;
  return words[0] === 'e' || words.some(word => pointing.has(word));
}
