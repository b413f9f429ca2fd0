import type { WppItem } from './wpp-item.ts';

/*
 * A link of a sentence becomes a message of its own. Where the words before it need an object ("é feita em …", "acesse
 * o …"), the text would end in the middle of a sentence: it leans on the link, and says its name too.
 */

const PORTUGUESE = `a as à às ao aos o os um uma uns umas de do da dos das dum duma em no na nos nas num numa por pelo pela pelos pelas
  para pra pro pras pros com sem sob sobre até após entre contra desde via durante mediante conforme segundo perante
  este esta estes estas esse essa esses essas aquele aquela aqueles aquelas àquele àquela deste desta destes destas desse
  dessa desses dessas daquele daquela daqueles daquelas neste nesta nestes nestas nesse nessa nesses nessas naquele naquela
  meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas vosso vossa cada qualquer outro outra
  novo nova próprio própria é são está estão fica ficam será serão`;

const SPANISH = `el la los las lo al del un una unos unas en por para con sin hasta hacia según vía tras este esta estos estas ese esa esos
  esas aquel aquella su sus mi mis tu tus nuestro nuestra nuestros nuestras es son están queda quedan nuevo nueva`;

const ENGLISH = `a an the at on in into onto to from of by for with without via through under over about across within near this these
  those my your our their his her its each every another is are was were`;

const LEANING_WORDS = new Set(`${PORTUGUESE} ${SPANISH} ${ENGLISH}`.split(/\s+/));

/** More than the longest of the words, with marks and opening signs around it. */
const MAX_ENDING = 60;

const OPENING = /^["'“‘«([{]+/;

/** A payment code, which must not be said twice: 44 digits or more, or the beginning of a Pix code. */
const MIN_CODE_DIGITS = 44;
const PIX_START = '000201';

/** Between two links of one sentence. */
const CONJUNCTION = /^(?:e|ou|y|o|u|and|or)$/;

/**
 * Whether a text ends in a preposition, an article or a verb that needs what follows. The text includes the blank or the
 * opening sign behind its last word: without one, the link is a mark at that word.
 */
export function leansOnNext(text: string): boolean {
  const ending = text.slice(-MAX_ENDING);
  const line = ending.slice(ending.trimEnd().lastIndexOf('\n') + 1);
  const words = line.split(/[\s*_~]+/).filter(word => word.replace(OPENING, '') !== '');
  const last = words.at(-1)?.replace(OPENING, '') ?? '';
  if (line.endsWith(last) || !LEANING_WORDS.has(last.toLowerCase())) return false;
  return !isNamedLetter(last, words.at(-2));
}

/** "Opção A" is a name; at the start of a sentence the letter is an article. */
function isNamedLetter(word: string, before = ''): boolean {
  return /^\p{Lu}$/u.test(word) && /[\p{L}\p{N}]$/u.test(before);
}

/** Whether the words between two links continue a list of them. */
export function isConjunction(text: string): boolean {
  return CONJUNCTION.test(text);
}

/** The name of an item inside a sentence; empty if it has none that may be said twice. */
export function nameOf(item: WppItem): string {
  if (!('url' in item)) return '';
  const name = item.description || item.url;
  const isBoleto = name.length >= MIN_CODE_DIGITS && name.replace(/\D/g, '').length >= MIN_CODE_DIGITS;
  return isBoleto || name.includes(PIX_START) ? '' : name;
}
