import { foldText, plainLetters } from '../../../text/fold.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { isLongerThan } from '../../../text/lines.ts';
import { wordsOf } from '../../../text/words.ts';

/*
 * The ways in which people talk around a question that a flow asks: they break off, correct themselves, or ask something in
 * between. Portuguese words, and rules of the text alone.
 */

/** A longer message tells a story, and is no break or correction. */
const MAX_WORDS = 16;
const DRAWN_OUT = /([a-z])\1{2,}/g;
/** The length and the sign that a message has before the words of a recording. */
const SPOKEN = /^\[áudio \d{1,4}:\d\d\] /;

/** The words that the person wrote or said. */
export function spokenWordsOf(message: string): string {
  return message.replace(SPOKEN, '').trim();
}

/** Returns the folded words of a message; `siiiim` is `sim`. */
export function saidWordsOf(text: string): string[] {
  return wordsOf(foldText(plainLetters(text)).replaceAll(DRAWN_OUT, '$1'));
}

const setOf = (words: string, between = ' ') => new Set(words.split(between));

const BEFORE = setOf(
  'ah ai aff affs oh olha entao oi ola bom boa dia tarde noite mas e eh ok po poxa nossa desculpa desculpe ops vish putz eita hum hmm moca moco amigo por favor pfv ei bem mano cara',
);
const AFTER = setOf(
  'por favor pfv pf pls obrigado obrigada obg obgd valeu vlw entao mesmo isso tudo agora ta ok tchau moca moco mano cara viu ne blz beleza nao',
);
const BREAKS = setOf(
  'deixa pra la|deixa para la|deixa p la|deixe pra la|deixa|deixa quieto|deixa queto|deixa baixo|deixa assim|esquece|esqueca|esquece isso|pode esquecer|' +
    'cancela|cancele|cancelar|cancelado|cancela isso|cancela tudo|pode cancelar|quero cancelar|vou cancelar|prefiro cancelar|cancela o pedido|' +
    'cancela a solicitacao|cancela ai|nao quero mais|nao quero|nao quero nao|quero mais nao|n quero mais|n quero|nao precisa|nao precisa mais|precisa mais nao|precisa nao|nao preciso mais|' +
    'nao preciso|nao vou querer|desisto|desisti|vou desistir|quero desistir|para com isso|pare|pare com isso|parar|quero parar|chega|sair|quero sair|encerra|encerrar|' +
    'mudei de ideia|larga mao|larga mao disso|nao quero continuar|nao quero responder|nao quero informar|nao quero passar|nao quero dizer|nao quero falar',
  '|',
);
const OPEN_BREAKS = ['nao quero mais', 'n quero mais', 'deixa pra la', 'deixa para la', 'esquece'];
const MAX_BREAK = 7;

/** Whether the person does not want to be asked any more. */
export function breaksOff(text: string): boolean {
  const words = saidWordsOf(text);
  if (words.length > MAX_WORDS) return false;
  const said = trimWords(words);
  const line = said.join(' ');
  if (BREAKS.has(line)) return true;
  return said.length <= MAX_BREAK && OPEN_BREAKS.some(each => line.startsWith(`${each} `));
}

/** Splits what follows a break: `deixa pra lá, quanto custa o curso?` */
export function clausesOf(text: string): readonly [first: string, rest: string] {
  const at = text.search(/[,.;!\n]/);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function trimWords(words: readonly string[]): string[] {
  let [from, to] = [0, words.length];
  while (from < to && BEFORE.has(words[from] ?? '')) from += 1;
  while (to > from && AFTER.has(words[to - 1] ?? '') && !BREAKS.has(words.slice(from, to).join(' '))) to -= 1;
  return words.slice(from, to);
}

const ASKING = setOf(
  'quanto quantos quanta quantas qto qtos qual quais ql quando qdo onde cade como quem porque pq posso sera voces vcs',
);
const ASKING_PAIRS = setOf(
  'por que|pra que|para que|o que|oq e|que horas|que dia|tem como|da pra|da para|gostaria de|queria saber|quero saber|me explica|me diz|uma duvida|tenho duvida|e se',
  '|',
);

export function asks(text: string): boolean {
  if (text.includes('?')) return true;
  const words = trimWords(saidWordsOf(text).slice(0, MAX_WORDS * 2));
  if (words.length < 2) return false;
  return ASKING.has(words[0] ?? '') || ASKING_PAIRS.has(words.slice(0, 2).join(' '));
}

const PEOPLE = /\b(?:atendente|humano|alguem da equipe|uma pessoa)\b/;

/** Whether the person wants to talk to somebody else, which no question of a flow may stand in the way of. */
export function wantsPerson(text: string): boolean {
  const line = saidWordsOf(text.slice(0, 1_000)).join(' ');
  return PEOPLE.test(line) || line.includes('falar com ');
}

/** The longest come first. */
const CORRECTIONS = (
  'nao era isso e|nao e isso e|esta errado e|ta errado e|errei a digitacao|digitei errado|escrevi errado|falei errado|' +
  'o certo seria|o correto e|o certo e|quis dizer|quero dizer|me confundi|me enganei|na verdade|foi mal|ta errado|esta errado|desculpa|desculpe|' +
  'corrigindo|correcao|corrige|corrigir|perdao|enganei|errado|errei|alias|digo|troca|trocar|muda|mudar|opa|ops|nao'
)
  .split('|')
  .map(each => each.split(' '));
const BEHIND_CORRECTION = setOf('e eh o a foi era sao seria certo correto na verdade pra para por');
/** A `não` alone also answers a question. */
const WEAK = 'nao';

export interface Correction {
  /** What stands behind the words of the correction, as it was written. */
  readonly rest: string;
  /** Whether it can only be a correction, also of a free text. */
  readonly isSure: boolean;
}

/** Reads a message that begins, or ends, with a word of correction: `não, é 12`, `errei, é agosto`, `é agosto, errei`. */
export function correctionIn(text: string): Correction | undefined {
  if (isLongerThan(400, text)) return undefined;
  const words = placedWordsOf(text);
  if (words.length > MAX_WORDS) return undefined;
  let at = words.findIndex(({ word }) => !BEFORE.has(word) || isCorrection(word));
  if (at < 0) return undefined;
  const found = CORRECTIONS.find(phrase => phrase.every((part, index) => words[at + index]?.word === part));
  if (!found) {
    const isBehind = words.slice(1).some(({ word }) => isCorrection(word) && word !== WEAK);
    return isBehind ? { rest: text, isSure: false } : undefined;
  }
  at += found.length;
  const from = at;
  while (BEHIND_CORRECTION.has(words[at]?.word ?? '')) at += 1;
  const rest = words[at];
  if (!rest) return undefined;
  return { rest: text.slice(rest.start), isSure: found.join(' ') !== WEAK || at > from };
}

const SINGLE = new Set(CORRECTIONS.filter(({ length }) => length === 1).map(([word = '']) => word));

function isCorrection(word: string): boolean {
  return SINGLE.has(word);
}

function placedWordsOf(text: string): { readonly word: string; readonly start: number }[] {
  return [...foldInPlace(text).matchAll(/[a-z0-9]+/g)].map(({ 0: word, index: start }) => ({ word, start }));
}
