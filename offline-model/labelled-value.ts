import { toComparableText } from './extraction/words.ts';

const accents: Readonly<Record<string, string>> = {
  a: '[aáàâã]',
  c: '[cç]',
  e: '[eéê]',
  i: '[ií]',
  o: '[oóôõ]',
  u: '[uúü]',
};
const MAX_VALUE_LENGTH = 120;

/** The value of a field in a text, by its label: "curso: Direito", "o curso de Direito", "semestre 3". */
export function findLabelledValue(text: string, name: string): string | undefined {
  const words = toComparableText(name).match(/[a-z0-9]+/g) ?? [];
  if (words.length === 0) return undefined;
  const label = words.map(spelling).join('[\\s_-]+(?:d[aeo]s?\\s+)?');
  const found = new RegExp(
    `(?<![\\p{L}\\d_])${label}(?![\\p{L}\\d_])(?:\\s*[:=]\\s*(?<stated>(?:[^\\n;,.]|,(?=\\d)|\\.(?=\\S))+)|\\s+(?:é|d[aeo]s?|em)\\s+(?<said>[^\\n;,.!?]+)|\\s+(?<number>\\d[\\d./-]*))`,
    'iu',
  ).exec(text)?.groups;
  const said = found?.['said']?.split(/(?<!\s)\s+(?:e|com|para|no|na|mas|ou)\s+/u)[0];
  const value = (found?.['stated'] ?? said ?? found?.['number'])?.trim().replace(/(?<![.!?/-])[.!?/-]+$/, '');
  return value && value.length <= MAX_VALUE_LENGTH ? value : undefined;
}

/** Whether a text contains these words, as whole words, ignoring accents and case. */
export function mentions(text: string, words: string): boolean {
  const said = ` ${toComparableText(text).replaceAll(/[^a-z0-9]+/g, ' ')} `;
  const wanted = toComparableText(words)
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
  return wanted !== '' && said.includes(` ${wanted} `);
}

function spelling(word: string): string {
  return Array.from(word, letter => accents[letter] ?? letter).join('');
}
