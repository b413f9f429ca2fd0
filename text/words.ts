import { closest } from 'fastest-levenshtein';

// Character ranges are four times faster than Unicode classes; these cover letters of other scripts, but no punctuation.
const word = /[a-z0-9ªµºß-\u1fff\u3040-\ud7ff]+/g;

/** The words of a normalized text, in their order. */
export function wordsOf(normalized: string): string[] {
  return normalized.match(word) ?? [];
}

const address =
  /(?:https?:\/\/(?:www\.)?|(?<![^\s("'[<])www\.)([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*)[^\s()[\]<>|"]*/gu;

/** A normalized text without the addresses of pages, whose parts are no words of it, and their hosts. */
export function readAddresses(normalized: string): { readonly text: string; readonly hosts: string[] } {
  const hosts: string[] = [];
  const text = normalized.replaceAll(address, (_, host: string) => {
    hosts.push(host);
    return ' ';
  });
  return { text, hosts };
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

/** Longest first, each with the minimum length of the rest, so that "vida" does not become "v". */
const ENDINGS =
  'amento3 imento3 idade4 ancia4 encia4 mente4 mento4 adora3 edora3 idora3 acao3 icao4 ador3 edor3 idor3 anca4 aram3 avam3 avel4 ' +
  'ivel4 ando3 endo3 indo3 amos3 emos3 imos3 ado3 ada3 ido3 ida3 cao4 iam3 ria5 ar3 er3 ir3 am3 em3 ou3 ei3 eu4 iu3 ia4 io4 a3 e3 i3 o3';
type WordEnding = readonly [ending: string, least: number];
const endings = ENDINGS.split(' ').map((each): WordEnding => [each.slice(0, -1), Number(each.slice(-1))]);

/** The common stem of all forms of a normalized word: number, gender and endings of verbs and nouns removed. */
export function stemOf(word: string): string {
  // Short words and those with digits are their own stem.
  if (word.length < 4 || /\d/.test(word)) return word;
  if (word.length > MAX_LENGTH) return readStem(word);
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MAX_REMEMBERED) stems.clear();
  const stem = readStem(word);
  stems.set(word, stem);
  return stem;
}

/** Texts repeat most of their words, so this many are remembered; a full memory is emptied. */
const MAX_REMEMBERED = 50_000;
/** Longer words are not remembered, so that the memory keeps no text of callers. */
const MAX_LENGTH = 48;
const stems = new Map<string, string>();

/** `tranquei` is `trancar`, `paguei` is `pagar`: before e and i the letter is written otherwise. */
const hardened: Readonly<Record<string, string>> = { qu: 'c', gu: 'g' };

function readStem(form: string): string {
  const stem = withoutEnding(singularOf(form));
  return stem.length > 3 ? stem.replace(/[qg]u$/, letters => hardened[letters] ?? letters) : stem;
}

function withoutEnding(word: string): string {
  // The day `sabado` is no form of `saber`.
  if (word === 'sabado') return word;
  for (const [ending, least] of endings)
    if (word.length - ending.length >= least && word.endsWith(ending)) return word.slice(0, -ending.length);
  return word;
}

function singularOf(word: string): string {
  if (!word.endsWith('s')) return word;
  if (/(?:oes|aes|aos)$/.test(word)) return `${word.slice(0, -3)}ao`;
  if (/[aeou]is$/.test(word)) return `${word.slice(0, -2)}l`;
  if (word.endsWith('ns')) return `${word.slice(0, -2)}m`;
  if (/[rz]es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Longer names are compared only by their beginning, because the work grows with both lengths. */
const MAX_COMPARED_LENGTH = 64;

/** The candidate with the smallest edit distance; of several, the first. */
export function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const keys = candidates.map(comparisonKeyOf);
  return candidates[keys.indexOf(closest(comparisonKeyOf(name), keys))];
}

function comparisonKeyOf(name: string): string {
  return name.slice(0, MAX_COMPARED_LENGTH).toLowerCase();
}
