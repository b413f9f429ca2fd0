import { foldText } from '../../../text/fold.ts';
import { toPortuguese } from '../../../text/foreign-words.ts';
import { foldTyped } from '../../../text/typed-words.ts';
import { isSpecific, wordsOf } from '../../../text/words.ts';

export interface RetrievalQuery {
  /** The current question, or the last one if there is none. */
  readonly query: string;
  /** Earlier questions of the end user, the newest last; empty if the query is self-contained. */
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
 * Builds the query for the knowledge search. "e aos sábados?" needs the question before it: a short question, or one that
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

export function joinQuery({ query, earlier }: RetrievalQuery): string {
  return [...earlier, query].join(' ');
}

function isFollowUp(question: string): boolean {
  const { words } = toPortuguese(question);
  const specific = words.filter(isSpecific).filter(word => !pointing.has(word));
  if (wordsOf(foldTyped(question)).length <= SHORT || specific.length <= FEW_SPECIFIC) return true;
  return words[0] === 'e' || words.some(word => pointing.has(word));
}

const ordinals: readonly (readonly string[])[] = ['primeir', 'segund', 'terceir', 'quart', 'quint'].map(
  stem => [`${stem}o`, `${stem}a`],
);
const last = ['ultimo', 'ultima'];
/** After these words it is a day of the week. */
const ofDays = new Set('na de ate toda'.split(' '));
/** With these nouns it is a name or counts something else: "segunda chamada". */
const ofNames = new Set(
  'feira chamada via semestre periodo parcela dose vez ano dia mes turma grau graduacao fase etapa mao aula instancia'.split(
    ' ',
  ),
);
const MAX_CHARACTERS = 2_000;
const MAX_ITEM = 120;

/**
 * Replaces "o segundo" in the question by the item of the assistant's list; undefined if none is meant. "Na segunda" is a day,
 * and "a segunda chamada" a name.
 */
export function nameListedItem(question: string, lastAnswer: string): string | undefined {
  if (question.length > MAX_CHARACTERS) return undefined;
  const items = itemsOf(lastAnswer.slice(0, MAX_CHARACTERS));
  if (items.length < 2) return undefined;
  const pieces = question.split(/(?<=\p{L})(?!\p{L})/u);
  for (const [at, piece] of pieces.entries()) {
    const [word = ''] = wordsOf(foldText(piece)).slice(-1);
    const place = ordinals.findIndex(forms => forms.includes(word));
    const item = last.includes(word) ? items.at(-1) : items[place];
    const [next = ''] = wordsOf(foldText(pieces[at + 1] ?? ''));
    const [before = ''] = wordsOf(foldText(pieces[at - 1] ?? '')).slice(-1);
    if (!item || ofNames.has(next) || (place > 0 && ofDays.has(before))) continue;
    return [...pieces.slice(0, at), ` ${item}`, ...pieces.slice(at + 1)].join('');
  }
  return undefined;
}

const marker = /(?:^|[\s;:,])(?:\d{1,2}[.)ºª-]|[-•*])\s+/;

/** Returns the items of a numbered or bulleted list, also within a line. */
function itemsOf(answer: string): string[] {
  const [, ...items] = answer.split(marker);
  return items.map(item => item.split('\n')[0]?.trim().slice(0, MAX_ITEM) ?? '').filter(Boolean);
}
