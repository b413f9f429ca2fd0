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

/** Lower case without accents, ordinal signs as letters: what every comparison of the model is made on. */
export function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('º', 'o')
    .replaceAll('ª', 'a')
    .replace(/\b(?:e-mail|on-line|off-line|wi-fi)/g, word => word.replace('-', ''));
}

/** The words of a folded text in their order, chat spellings written out. */
function wordsOfFolded(folded: string): string[] {
  const words: string[] = [];
  for (const raw of folded.match(/[a-z0-9]+/g) ?? []) {
    const spelled = chatSpellings.get(raw);
    const ordinal = raw.length === 2 && /[1-9][oa]/.test(raw) ? ordinals[Number(raw[0]) - 1] : undefined;
    if (spelled !== undefined) words.push(...spelled.split(' '));
    else words.push(ordinal ?? raw);
  }
  return words;
}

/** The folded words of a text in their order. */
export function wordsOf(text: string): string[] {
  return wordsOfFolded(foldText(text));
}

// The model owns its stemmer, so that a change to the ranking of passages never changes its answers. That of retrieval
// (workers/domain/retrieval/stem-of.ts) leaves mudança and início apart from mudar and iniciar.
// Longest first. The number is the least length of what must remain, so that "vida" does not become "v".
const suffixes: readonly (readonly [string, number])[] = [
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

function singularOf(word: string): string {
  if (!word.endsWith('s') || word.length < 4) return word;
  if (/(?:oes|aes|aos)$/.test(word)) return `${word.slice(0, -3)}ao`;
  if (/[aeou]is$/.test(word)) return `${word.slice(0, -2)}l`;
  if (word.endsWith('ns')) return `${word.slice(0, -2)}m`;
  if (/[rz]es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Folds number, gender and the common endings of verbs and their nouns: matricular, matrículas, matriculado. */
export function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let stem = singularOf(word);
  if (stem === 'crianca') return stem;
  if (/[aeiou]dora$/.test(stem)) stem = stem.slice(0, -1);
  if (/[ai]da$/.test(stem)) stem = `${stem.slice(0, -1)}o`;
  for (const [suffix, least] of suffixes) {
    if (stem.length - suffix.length >= least && stem.endsWith(suffix)) return stem.slice(0, -suffix.length);
  }
  return stem;
}

const MAX_CACHED_WORDS = 20_000;
/** Longer words rarely repeat and are not cached. */
const MAX_CACHED_LENGTH = 48;
const remembered = new Map<string, string>();

/** Cached: texts repeat most of their words. */
function lookUpStem(word: string): string {
  if (word.length > MAX_CACHED_LENGTH) return stemOf(word);
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_CACHED_WORDS) remembered.clear();
  const stem = stemOf(word);
  remembered.set(word, stem);
  return stem;
}

/** Stems of the words of a folded text that carry meaning, in their order. */
export function termsOfFolded(folded: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOfFolded(folded)) {
    const isBearing = !stopWords.has(word) && (word.length > 1 || /\d/.test(word));
    if (isBearing) terms.push(lookUpStem(word));
  }
  return terms;
}

/** Stems of the words of a text that carry meaning, in their order. */
export function termsOf(text: string): string[] {
  return termsOfFolded(foldText(text));
}
