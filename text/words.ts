// Character ranges are four times faster than Unicode classes; they cover letters of other scripts, but no
// punctuation.
const word = /[a-z0-9ªµºß-\u1fff\u3040-\ud7ff]+/g;

/** The words of a normalized text, in their order. */
export function wordsOf(normalized: string): string[] {
  return normalized.match(word) ?? [];
}

const COMMON_WORDS = [
  'a o as os um uma uns umas ao aos da do das dos de em no na nos nas num numa por pelo pela pelos pelas para pra pro pras',
  'pros com sem sob sobre entre ate desde e ou mas nem que se como porem pois quando onde quem qual quais eu tu ele ela nos',
  'voce voces vc vcs eles elas me te lhe lhes meu minha meus minhas seu sua seus suas nosso nossa nossos nossas dele dela deles',
  'delas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas isso isto aquilo quanto quanta quantos quantas neste nesta nesse nessa',
  'deste desta desse dessa disso disto nisso ai la ali aqui cada sou es somos sao era eram foi foram fui ser sera serao seria',
  'seja sejam sendo sido estou estao estava estar esteja to ta tenho tem temos tinha ter tera terao teria tenha ha havia haver',
  'houve ja so mais muito tambem tb tbm nao n nunca mesmo mesma entao ainda oi ola bom boa favor obrigado obrigada q p',
];

/** Stop words, normalized. */
const unspecific: ReadonlySet<string> = new Set(COMMON_WORDS.join(' ').split(' '));

export function isSpecific(word: string): boolean {
  return !unspecific.has(word);
}

// Longest first. The number is the minimum length of the rest, so that "vida" does not become "v".
const endings: readonly (readonly [ending: string, least: number])[] = [
  ['amento', 3],
  ['imento', 3],
  ['idade', 4],
  ['ancia', 4],
  ['encia', 4],
  ['mente', 4],
  ['mento', 4],
  ['adora', 3],
  ['edora', 3],
  ['idora', 3],
  ['acao', 3],
  ['icao', 4],
  ['ador', 3],
  ['edor', 3],
  ['idor', 3],
  ['anca', 4],
  ['aram', 3],
  ['avam', 3],
  ['avel', 4],
  ['ivel', 4],
  ['ando', 3],
  ['endo', 3],
  ['indo', 3],
  ['amos', 3],
  ['emos', 3],
  ['imos', 3],
  ['ado', 3],
  ['ada', 3],
  ['ido', 3],
  ['ida', 3],
  ['cao', 4],
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
  ['ia', 4],
  ['io', 4],
  ['a', 3],
  ['e', 3],
  ['i', 3],
  ['o', 3],
];

const MAX_CACHED_WORDS = 50_000;
/** Longer words are not cached, so that the cache holds no arbitrary text of callers. */
const MAX_LENGTH = 48;
const stemCache = new Map<string, string>();

/** The common stem of a normalized word's forms: number, gender and the endings of verbs and nouns removed. */
export function stemOf(word: string): string {
  if (word.length > MAX_LENGTH) return stripEnding(word);
  const known = stemCache.get(word);
  if (known !== undefined) return known;
  if (stemCache.size >= MAX_CACHED_WORDS) stemCache.clear();
  const stem = stripEnding(word);
  stemCache.set(word, stem);
  return stem;
}

function stripEnding(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  const singular = singularOf(word);
  for (const [ending, least] of endings) {
    if (singular.length - ending.length >= least && singular.endsWith(ending)) {
      return singular.slice(0, -ending.length);
    }
  }
  return singular;
}

function singularOf(word: string): string {
  if (!word.endsWith('s')) return word;
  if (/(?:oes|aes|aos)$/.test(word)) return `${word.slice(0, -3)}ao`;
  if (/[aou]is$/.test(word)) return `${word.slice(0, -2)}l`;
  if (word.endsWith('eis')) return `${word.slice(0, -3)}el`;
  if (word.endsWith('ns')) return `${word.slice(0, -2)}m`;
  if (/[rz]es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}
