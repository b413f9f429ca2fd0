import { distinctiveEnglishWords, englishPhrases, englishWords } from './english-dictionary.ts';
import { toComparableText } from './extraction/words.ts';

/** Fewer such words can be a name or a loanword in a Portuguese question. */
const MIN_ENGLISH_WORDS = 2;
/** Characters, counted from the end. */
const MAX_QUESTION_LENGTH = 600;

/**
 * Replaces the words of an English question by Portuguese ones: sufficient to search the knowledge. Undefined
 * where the question is not English.
 */
export function translateToPortuguese(question: string): string | undefined {
  const words = toComparableText(question.slice(-MAX_QUESTION_LENGTH))
    .replaceAll(/['’]s\b/g, '')
    .match(/[a-z0-9]+/g);
  if (!words || words.filter(word => distinctiveEnglishWords.has(word)).length < MIN_ENGLISH_WORDS)
    return undefined;
  let text = ` ${words.join(' ')} `;
  for (const [english, portuguese] of englishPhrases)
    text = text.replaceAll(` ${english} `, ` ${portuguese} `);
  const remainingWords = text.trim().split(' ');
  return remainingWords
    .flatMap(word =>
      distinctiveEnglishWords.has(word) && !englishWords.has(word) ? [] : [englishWords.get(word) ?? word],
    )
    .join(' ');
}
