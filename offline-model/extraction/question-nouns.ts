import { derivedStemOf } from '../../text/words.ts';
import { findExpectedKinds } from './answer-kinds.ts';
import { stopWords } from './stop-words.ts';
import { splitIntoWords } from './words.ts';

// A noun follows an article. After a preposition, an infinitive can follow instead, which is no noun.
const articles = new Set(
  'o os as um uma uns umas ao aos do da dos das no na nos nas num numa pelo pela pelos pelas pro pros pras meu minha meus minhas seu sua seus suas'.split(
    ' ',
  ),
);
const prepositions = new Set('a de em com sem por para pra sobre'.split(' '));

const isInfinitive = (word: string) => /[aeio]r$/.test(word);

/** A modifier follows the head of its noun phrase, like an adjective. */
type NounRole = 'head' | 'modifier';

/** stem → its role in the noun phrase */
export type QuestionNouns = ReadonlyMap<string, NounRole>;

function isNounPhraseStart(
  previous: string,
  word: string,
  isGeneralStem: (stem: string) => boolean,
): boolean {
  if (articles.has(previous)) return true;
  return (prepositions.has(previous) || isGeneralStem(derivedStemOf(previous))) && !isInfinitive(word);
}

function isContentWord(word: string): boolean {
  return !stopWords.has(word) && /^[a-z]{2,}$/.test(word);
}

/**
 * The stems of the nouns of a question and of the words next to them ("vestibular online"). Nouns are recognized by
 * position: after an article, a preposition, or a general verb such as "custa". Words that name the kind of answer,
 * such as "taxa", are left out: the answer contains the amount, not the word.
 */
export function findQuestionNouns(text: string, isGeneralStem: (stem: string) => boolean): QuestionNouns {
  const nouns = new Map<string, NounRole>();
  for (const clause of text.split(/[,;:.!?]/)) {
    let previous = '';
    let isInPhrase = false;
    for (const word of splitIntoWords(clause)) {
      const wasInPhrase = isInPhrase;
      isInPhrase = isContentWord(word) && (isInPhrase || isNounPhraseStart(previous, word, isGeneralStem));
      if (isInPhrase && findExpectedKinds(word).length === 0)
        nouns.set(derivedStemOf(word), wasInPhrase ? 'modifier' : 'head');
      previous = word;
    }
  }
  return nouns;
}
