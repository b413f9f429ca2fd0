import { make } from './elements.js';

/** Words that every text has. */
const COMMON = new Set(
  'a ao aos as com como da das de do dos e em eu é isso la me meu minha na nas no nos o os ou para pela pelo por qual quais quando quanto que se sem ser sua seu tem um uma voces voce onde quem'.split(
    ' ',
  ),
);
const SHORT = 4;
/** Characters at the end of a longer word that may differ: number, gender, tense. */
const ENDING = 2;

/**
 * The text with the words of the question marked, also in another number or gender. The service ranks by more than that.
 * @param {string} text
 * @param {string} question
 * @returns {DocumentFragment}
 */
export function markWords(text, question) {
  const stems = listWords(question).map(stemOf);
  const whole = document.createDocumentFragment();
  let from = 0;
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const folded = foldText(word);
    if (COMMON.has(folded) || !stems.some(stem => isOfStem(folded, stem))) continue;
    whole.append(text.slice(from, index), make('mark', {}, word));
    from = index + word.length;
  }
  whole.append(text.slice(from));
  return whole;
}

/** @param {string} question */
function listWords(question) {
  const words = (question.match(/[\p{L}\p{N}]+/gu) ?? []).map(foldText);
  return words.filter(word => !COMMON.has(word));
}

/** @param {string} word */
const stemOf = word => (word.length <= SHORT ? word : word.slice(0, Math.max(SHORT, word.length - ENDING)));

/** @param {string} word @param {string} stem */
const isOfStem = (word, stem) =>
  stem.length < SHORT ? word === stem : word.startsWith(stem) && word.length - stem.length <= 2 * ENDING;

/** @param {string} text */
const foldText = text => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
