import { normalizeText } from '../../../text/fold.ts';

/** Lower case, without accents. */
export function normalizeWords(text: string): string {
  return normalizeText(text, 'NFD')
    .replaceAll(/[\u0300-\u036f]+/g, '')
    .toLowerCase();
}

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
