import { foldText } from '../../text/fold.ts';
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

// The model has its own stemmer, so that a change to the ranking of passages never changes its answers. The one of
// retrieval (text/words.ts) gives mudança and mudar, and início and iniciar, different stems.
// Longest suffix first. The number is the minimum length of the rest, so that "vida" does not become "v".
const suffixes: readonly (readonly [suffix: string, minRest: number])[] = [
  ['amento', 3],
  ['imento', 3],
  ['ancia', 4],
  ['encia', 4],
  ['idade', 4],
  ['mento', 4],
  ['anca', 3],
  ['acao', 3],
  ['icao', 4],
  ['ador', 3],
  ['edor', 3],
  ['idor', 3],
  ['mente', 4],
  ['aram', 3],
  ['avam', 3],
  ['avel', 4],
  ['ivel', 4],
  ['cao', 4],
  ['ado', 3],
  ['ido', 3],
  ['ando', 3],
  ['endo', 3],
  ['indo', 3],
  ['amos', 3],
  ['emos', 3],
  ['imos', 3],
  ['iam', 3],
  ['ria', 5],
  ['ar', 3],
  ['er', 3],
  ['ir', 3],
  ['am', 3],
  ['em', 3],
  ['ou', 3],
  ['eu', 4],
  ['iu', 3],
  ['ia', 5],
  ['io', 5],
  ['a', 3],
  ['e', 3],
  ['i', 3],
  ['o', 3],
];

function toSingular(word: string): string {
  if (!word.endsWith('s') || word.length < 4) return word;
  if (/(?:oes|aes|aos)$/.test(word)) return `${word.slice(0, -3)}ao`;
  if (/[aeou]is$/.test(word)) return `${word.slice(0, -2)}l`;
  if (word.endsWith('ns')) return `${word.slice(0, -2)}m`;
  if (/[rz]es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Removes number, gender and the common endings of verbs and their nouns: matricular, matrículas, matriculado. */
export function stemWord(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let stem = toSingular(word);
  if (stem === 'crianca') return stem;
  if (/[aeiou]dora$/.test(stem)) stem = stem.slice(0, -1);
  // psicológico and psicólogo, tecnológico and tecnólogo
  if (/logic[oa]$/.test(stem)) return stem.slice(0, -3);
  if (/[ai]da$/.test(stem)) stem = `${stem.slice(0, -1)}o`;
  const [suffix = ''] =
    suffixes.find(([ending, minRest]) => stem.length - ending.length >= minRest && stem.endsWith(ending)) ??
    [];
  const rest = stem.slice(0, stem.length - suffix.length);
  // estagiar and estágio, negociar and negócio
  return rest.length > 5 && rest.endsWith('i') ? rest.slice(0, -1) : rest;
}

/** Entries; a full cache is emptied. */
const MAX_CACHED_WORDS = 20_000;
/** Characters. Longer words rarely repeat and would fill the memory. */
const MAX_CACHED_WORD_LENGTH = 48;
const stemCache = new Map<string, string>();

/** Cached: texts repeat most of their words. */
function lookUpStem(word: string): string {
  if (word.length > MAX_CACHED_WORD_LENGTH) return stemWord(word);
  const cached = stemCache.get(word);
  if (cached !== undefined) return cached;
  if (stemCache.size >= MAX_CACHED_WORDS) stemCache.clear();
  const stem = stemWord(word);
  stemCache.set(word, stem);
  return stem;
}

/** The stems of the words of a comparable text that are no stop words, in their order. */
export function extractComparableTerms(comparableText: string): string[] {
  const terms: string[] = [];
  for (const word of splitComparableText(comparableText)) {
    const isMeaningful = !stopWords.has(word) && (word.length > 1 || /\d/.test(word));
    if (isMeaningful) terms.push(lookUpStem(word));
  }
  return terms;
}

/** The stems of the words of a text that are no stop words, in their order. */
export function extractTerms(text: string): string[] {
  return extractComparableTerms(toComparableText(text));
}
