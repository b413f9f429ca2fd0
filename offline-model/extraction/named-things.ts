import { kindsAskedFor } from './answer-kinds.ts';
import { stopWords } from './stop-words.ts';
import { stemOf, wordsOf } from './words.ts';

// After these stands a noun; after the second kind also an infinitive, which names nothing.
const articles = new Set(
  'o os as um uma uns umas ao aos do da dos das no na nos nas num numa pelo pela pelos pelas pro pros pras meu minha meus minhas seu sua seus suas'.split(
    ' ',
  ),
);
const prepositions = new Set('a de em com sem por para pra sobre'.split(' '));

const isInfinitive = (word: string) => /[aeio]r$/.test(word);

/** stem → whether it heads a name or stands beside its head, as an adjective does */
export type NamedThings = ReadonlyMap<string, 'beside' | 'head'>;

function opensName(before: string, word: string, isAskedOfAnything: (stem: string) => boolean): boolean {
  if (articles.has(before)) return true;
  return (prepositions.has(before) || isAskedOfAnything(stemOf(before))) && !isInfinitive(word);
}

function namesAThing(word: string): boolean {
  return !stopWords.has(word) && /^[a-z]{2,}$/.test(word);
}

/**
 * The stems of the nouns that carry a question, with what stands right beside them ("vestibular online"). They are
 * told by their place: after an article, a preposition, or a verb that is asked of anything, such as "custa". A word
 * that itself says which kind of answer is wanted, as "taxa", is left out: the answer holds the amount, not the word.
 */
export function namedThingsIn(text: string, isAskedOfAnything: (stem: string) => boolean): NamedThings {
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
