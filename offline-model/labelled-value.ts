import { foldText } from '../text/fold.ts';

const letters = 'aáàâã cç eéê ií oóôõ uúü'.split(' ');
const accentPatterns = new Map(letters.map(forms => [forms.charAt(0), `[${forms}]`]));
/** Characters. A longer match is prose, not the value of a field. */
const MAX_VALUE_LENGTH = 120;

/** Finds the value of a field in a text by its label: "curso: Direito", "o curso de Direito", "semestre 3". */
export function findLabelledValue(text: string, name: string): string | undefined {
  const words = foldText(name).match(/[a-z0-9]+/g) ?? [];
  if (words.length === 0) return undefined;
  const label = words
    .map(word => word.replaceAll(/./g, letter => accentPatterns.get(letter) ?? letter))
    .join('[\\s_-]+(?:d[aeo]s?\\s+)?');
  const groups = new RegExp(
    `(?<![\\p{L}\\d_])${label}(?![\\p{L}\\d_])(?:\\s*[:=]\\s*(?<afterSign>(?:[^\\n;,.]|,(?=\\d)|\\.(?=\\S))+)|\\s+(?:é|d[aeo]s?|em)\\s+(?<afterWord>[^\\n;,.!?]+)|\\s+(?<number>\\d[\\d./-]*))`,
    'iu',
  ).exec(text)?.groups;
  const afterWord = groups?.['afterWord']?.split(/(?<!\s)\s+(?:e|com|para|no|na|mas|ou)\s+/u)[0];
  const value = (groups?.['afterSign'] ?? afterWord ?? groups?.['number'])
    ?.trim()
    .replace(/(?<![.!?/-])[.!?/-]+$/, '');
  return value && value.length <= MAX_VALUE_LENGTH ? value : undefined;
}

/** Whether a text contains these whole words, ignoring accents and case. */
export function hasWords(text: string, words: string): boolean {
  const plain = (each: string) => (foldText(each).match(/[a-z0-9]+/g) ?? []).join(' ');
  const phrase = plain(words);
  return phrase !== '' && ` ${plain(text)} `.includes(` ${phrase} `);
}
