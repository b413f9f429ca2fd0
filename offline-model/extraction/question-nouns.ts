import { kindsAskedFor } from './answer-kinds.ts';
import { stopWords } from './stop-words.ts';
import { stemOf, wordsOf } from './words.ts';

// A noun follows these words; after the second kind also an infinitive, which names nothing.
const articles = new Set(
  'o os as um uma uns umas ao aos do da dos das no na nos nas num numa pelo pela pelos pelas pro pros pras meu minha meus minhas seu sua seus suas'.split(
    ' ',
  ),
);
const prepositions = new Set('a de em com sem por para pra sobre'.split(' '));

const isInfinitive = (word: string) => /[aeio]r$/.test(word);

/** stem → head of a noun phrase, or next to the head, like an adjective */
export type QuestionNouns = ReadonlyMap<string, 'beside' | 'head'>;

function opensName(before: string, word: string, isAskedOfAnything: (stem: string) => boolean): boolean {
  if (articles.has(before)) return true;
  return (prepositions.has(before) || isAskedOfAnything(stemOf(before))) && !isInfinitive(word);
}

function namesAThing(word: string): boolean {
  return !stopWords.has(word) && /^[a-z]{2,}$/.test(word);
}

/**
 * The stems of the nouns of a question and of the words next to them ("vestibular online"). Nouns are recognized by
 * position: after an article, a preposition, or a general verb such as "custa". Words that name the kind of answer,
 * such as "taxa", are left out: the answer contains the amount, not the word.
 */
export function findQuestionNouns(text: string, isAskedOfAnything: (stem: string) => boolean): QuestionNouns {
  const named = new Map<string, 'beside' | 'head'>();
  for (const clause of text.split(/[,;:.!?]/)) {
    let before = '';
    let isOpen = false;
    for (const word of wordsOf(clause)) {
      const wasOpen = isOpen;
      isOpen = namesAThing(word) && (isOpen || opensName(before, word, isAskedOfAnything));
      if (isOpen && kindsAskedFor(word).length === 0) named.set(stemOf(word), wasOpen ? 'beside' : 'head');
      before = word;
    }
  }
  return named;
}
