import { englishPhrases, englishWords, onlyEnglish } from './english-dictionary.ts';
import { toComparableText } from './extraction/words.ts';

const MIN_ENGLISH_WORDS = 2;
const MAX_LENGTH = 600;

/**
 * The words of an English question in Portuguese: no translation, but sufficient to search the knowledge. Undefined
 * where the question is not English.
 */
export function portugueseWordsOf(question: string): string | undefined {
  const words = toComparableText(question.slice(-MAX_LENGTH))
    .replaceAll(/['’]s\b/g, '')
    .match(/[a-z0-9]+/g);
  if (!words || words.filter(word => onlyEnglish.has(word)).length < MIN_ENGLISH_WORDS) return undefined;
  let text = ` ${words.join(' ')} `;
  for (const [english, portuguese] of englishPhrases)
    text = text.replaceAll(` ${english} `, ` ${portuguese} `);
  const said = text.trim().split(' ');
  return said
    .flatMap(word =>
      onlyEnglish.has(word) && !englishWords.has(word) ? [] : [englishWords.get(word) ?? word],
    )
    .join(' ');
}
