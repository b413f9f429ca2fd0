import { foldText } from '../../text/fold.ts';
import { derivedStemOf } from '../../text/words.ts';
import { stopWords } from './stop-words.ts';

const chatSpellings: ReadonlyMap<string, string> = new Map([
  ['qdo', 'quando'],
  ['qnd', 'quando'],
  ['qto', 'quanto'],
  ['qnto', 'quanto'],
  ['qts', 'quantos'],
  ['oq', 'o que'],
  ['oque', 'o que'],
  ['pq', 'porque'],
  ['prof', 'professor'],
  ['profa', 'professora'],
  ['facu', 'faculdade'],
  ['uni', 'universidade'],
  ['tel', 'telefone'],
  ['zap', 'whatsapp'],
  ['whats', 'whatsapp'],
  ['wpp', 'whatsapp'],
  ['doc', 'documento'],
  ['docs', 'documentos'],
]);

const ordinals = ['primeira', 'segunda', 'terceira', 'quarta', 'quinta', 'sexta', 'setima', 'oitava', 'nona'];

/** Lower case without accents, ordinal signs as letters. Every comparison of the model uses this form. */
export function toComparableText(text: string): string {
  return foldText(text)
    .replaceAll('º', 'o')
    .replaceAll('ª', 'a')
    .replace(/\b(?:e-mail|on-line|off-line|wi-fi)/g, word => word.replace('-', ''));
}

/** "quem tem direito a", "tenho direito a": not the course Direito. */
const entitlement = /\b(quem (?:tem|teria|tinha)|tenho|temos|terei|teria) direito(?= (?:a|ao|aos|as|de)\b)/g;

/** The words of a comparable text in their order, chat spellings written out. */
function splitComparableText(comparableText: string): string[] {
  const words: string[] = [];
  for (const word of comparableText.replace(entitlement, '$1').match(/[a-z0-9]+/g) ?? []) {
    const spelling = chatSpellings.get(word);
    const ordinal = word.length === 2 && /[1-9][oa]/.test(word) ? ordinals[Number(word[0]) - 1] : undefined;
    if (spelling !== undefined) words.push(...spelling.split(' '));
    else words.push(ordinal ?? word);
  }
  return words;
}

/** The words of a text in their order, in comparable form. */
export function splitIntoWords(text: string): string[] {
  return splitComparableText(toComparableText(text));
}

/** The stems of the words of a comparable text that are no stop words, in their order. */
export function extractComparableTerms(comparableText: string): string[] {
  const terms: string[] = [];
  for (const word of splitComparableText(comparableText)) {
    const isMeaningful = !stopWords.has(word) && (word.length > 1 || /\d/.test(word));
    if (isMeaningful) terms.push(derivedStemOf(word));
  }
  return terms;
}

/** The stems of the words of a text that are no stop words, in their order. */
export function extractTerms(text: string): string[] {
  return extractComparableTerms(toComparableText(text));
}
