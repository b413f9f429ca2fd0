import { foldText } from './fold.ts';
import { wordsOf } from './words.ts';

/*
 * Whether an answer says that it lacks what was asked: a negation, a verb of finding or knowing close behind it, and a word for
 * information, all in one sentence.
 */

const MAX_CHARACTERS = 4_000;
/** Words between the negation and the verb. */
const MAX_BETWEEN = 3;

const negations = new Set([
  'nao',
  'nenhum',
  'nenhuma',
  'not',
  'cannot',
  'couldn',
  'don',
  'didn',
  'can',
  'unable',
  'sem',
  'ningun',
  'ninguna',
]);
/** These verbs need no object: "não sei informar". */
const toKnow = new Set(['sei', 'saberia', 'know', 'conozco']);
const toHave = new Set(
  (
    'encontrei encontramos encontrar encontrado encontrada achei achamos localizei localizamos localizar localizada tenho temos ' +
    'possuo possuimos disponho dispomos ha existe existem consta constam traz trazem informa menciona mencionam inclui contem find found have contain'
  ).split(' '),
);
const spanishToHave = (
  'encontre encontramos encuentro halle hallamos tengo tenemos poseo poseemos dispongo disponemos cuento contamos hay existe ' +
  'existen consta constan figura contiene contienen incluye incluyen menciona mencionan'
).split(' ');
/** Only after a Spanish "no": in Portuguese some are other words, as in "caso não encontre" and "sem encontro". */
const toHaveInSpanish = new Set([
  ...spanishToHave,
  ...'encontrar encontrado encontro hallado hallo'.split(' '),
]);
/** Before these words "no" is Spanish: the Portuguese word means "in the". */
const behindSpanishNo = new Set([
  ...spanishToHave,
  ...'se lo la he hemos fue pude pudimos puedo podemos conozco'.split(' '),
]);
/** Beginnings of words for what is missing. */
const things = (
  'informac resposta dado detalhe conteudo materia base conheciment document mencao referencia nada isso respeito trecho pergunta ' +
  'respuesta dato detalle contenido conocimient eso respecto pregunta information answer detail knowledge that'
).split(' ');

export function saysNotFound(answer: string): boolean {
  return foldText(answer.slice(0, MAX_CHARACTERS))
    .split(/[.!?;:\n]/)
    .some(isNotFound);
}

function isNotFound(sentence: string): boolean {
  const words = wordsOf(sentence);
  const lastThing = words.findLastIndex(isThing);
  return words.some((word, at) => {
    const isSpanishNo = word === 'no' && behindSpanishNo.has(words[at + 1] ?? '');
    if (!isSpanishNo && !negations.has(word)) return false;
    const close = words.slice(at + 1, at + 2 + MAX_BETWEEN);
    if (close.some(verb => toKnow.has(verb))) return true;
    const verbs = isSpanishNo ? toHaveInSpanish : toHave;
    return lastThing > at && close.some(verb => verbs.has(verb));
  });
}

function isThing(word: string): boolean {
  return things.some(thing => word.startsWith(thing));
}
