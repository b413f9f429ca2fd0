import { foldText } from '../../../text/fold.ts';
import { isSpecific, wordsOf } from '../../../text/words.ts';
import { nameListedItem } from './listed-item.ts';

export interface RetrievalQuery {
  /** The current question, or the last one where there is none. */
  readonly query: string;
  /** Earlier questions of the end user, the newest last; empty where the query is self-contained. */
  readonly earlier: readonly string[];
}

/** Words that refer to something mentioned before. */
const pointing = new Set(
  (
    'ele ela eles elas dele dela deles delas nele nela neles nelas isso isto disso disto nisso esse essa esses essas ' +
    'desse dessa desses dessas nesse nessa aquele aquela aquilo mesmo mesma outro outra outros outras la ai'
  ).split(' '),
);
const SHORT = 5;
const FEW_SPECIFIC = 2;
const MAX_EARLIER_QUESTIONS = 2;

/**
 * The query for the knowledge search. "e aos sábados?" needs the question before it: a short question, or one that
 * refers back, is combined with earlier questions of the end user, repeatedly for a chain of follow-ups. "E o segundo?" names
 * the item of the list in the assistant's last answer.
 */
export function retrievalQueryOf(
  question: string | undefined,
  earlierQuestions: readonly string[],
  lastAnswer = '',
): RetrievalQuery {
  if (question === undefined) return { query: earlierQuestions.at(-1) ?? '', earlier: [] };
  const earlier: string[] = [];
  let newest = question;
  for (const before of earlierQuestions.slice(-MAX_EARLIER_QUESTIONS).toReversed()) {
    if (!isFollowUp(newest)) break;
    earlier.unshift(before);
    newest = before;
  }
  const named = nameListedItem(question, lastAnswer);
  return { query: named ?? question, earlier };
}

/** The query in one line, for the receipt. */
export function joinQuery({ query, earlier }: RetrievalQuery): string {
  return [...earlier, query].join(' ');
}

function isFollowUp(question: string): boolean {
  const words = wordsOf(foldText(question));
  const specific = words.filter(isSpecific).filter(word => !pointing.has(word));
  if (words.length <= SHORT || specific.length <= FEW_SPECIFIC) return true;
  return words[0] === 'e' || words.some(word => pointing.has(word));
}
