import { acceptedKeysOf } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { plainLetters } from '../../../text/fold.ts';
import { foldTyped } from '../../../text/typed-words.ts';
import { isSpecific, wordsOf } from '../../../text/words.ts';
import { hasSynonyms, isEmpty, isPointing, isTelling, isVague, meaningOf } from './same-words.ts';

/*
 * A question as the set of what it asks: one word for all that mean the same, what its question words want (a date, a place, a
 * price), its figures, and whether it denies or speaks of what was. Courtesy is left out. Two questions with the same set
 * are one question.
 */

export interface Asked {
  /** Sorted, each once. */
  readonly words: readonly string[];
  /** `whether`: its answer is yes or no; `open`: it has a question word; `none`: neither can be seen. */
  readonly manner: 'open' | 'whether' | 'none';
  /** Written with a capital: the other question must have them letter by letter, since Paulo and Paula have one stem. */
  readonly names: readonly string[];
  /** Every word as it is written, without the s of the plural. */
  readonly written: ReadonlySet<string>;
}

type Read = Pick<Asked, 'words' | 'manner'>;

const MAX_CHARACTERS = 300;

/** It continues what was said: "e no EAD?" But "É obrigatório?" does not. */
const CONTINUES =
  /^[^\p{L}\p{N}]*(?:e(?! a[ií](?!\p{L}))|mas|ou|ent[aã]o|tamb[eé]m|nesse caso|neste caso)\s/iu;
const COURTESY =
  /\b(?:bom dia|boa (?:tarde|noite)|ol[ae]|oi+e?|e ai|alo|tudo (?:bem|bom|certo)(?: com voces?)?|como vai(?: voces?)?|por (?:favor|gentileza)|muito obrigad[oa]|me (?:passam?|passar|mandam?|mandar|informam?|informar|dizem?|dizer|diz|diga|ajudam?|ajudar|fala|falar|explicar?)|(?:preciso|gostaria|quero|queria) (?:de )?(?:saber|uma? (?:informacao|ajuda|duvida)|informacoes)|(?:tenho|tirar|estou com) uma duvida|mais informacoes)\b/g;
const SENTENCE = /[?!;\n…]+|\.(?=\s|$)/;

const ORDINALS = 'primeir segund terceir quart quint sext setim oitav non decim'.split(' ');
const ORDINAL_WORD = /\b(primeir|segund|terceir|quart|quint|sext|setim|oitav|non|decim)[oa]s?\b/g;
const ORDINAL = /(?<![\d.,/])(\d{1,2}) ?[ºª°](?![a-z])/g;
/** A word after a title is a name, and so is a single letter after these nouns. */
const TITLE = /^(?:prof(?:essora?)?|dra?|coordenadora?|diretora?|dona|seu)$/;
const NAME =
  /\b(bloco|predio|turma|sala|ala|portao|setor|grupo|nivel|classe|conceito|torre|modulo|vitamina|plano|tipo|polo|unidade|campus|prof(?:essora?)?|dra?|coordenadora?|diretora?|dona|seu)\.? ([a-z]+)\b(?! \d)/g;

/** What question words want, in the order in which they are looked for: each takes its words out of the text. */
const WANTED: readonly (readonly [pattern: RegExp, wanted: string, isAsking: boolean])[] = [
  [
    /\b(?:tem|ha|da|existe|teria|e|seria) (?:como|possivel|possibilidade de|permitido)\b|\bda (?=para\b|pra\b)/g,
    '?',
    false,
  ],
  [/\bate (?:quando|(?:que|qual)(?: e)?(?: o| a)? (?:dia|data))\b/g, 'prazo', true],
  [/\b(?:data|prazo)[- ](?:limite|final)\b|\bultimo dia\b|\bprazos?\b/g, 'prazo', false],
  [/\b(?:a partir de|desde) (?:quando|(?:que|qual) (?:dia|data))\b/g, 'data comecar', true],
  [/\bate (?:que|qual) horas?\b/g, 'horario terminar', true],
  [/\b(?:a |em )?(?:que|qual) horas?\b/g, 'horario', true],
  [/\bhorarios?(?: de (?:funcionamento|atendimento))?\b/g, 'horario', false],
  [
    /\bquant[oa]s (?:anos|semestres|meses|dias|horas) (?:dura[mr]?|leva[mr]?|demora[mr]?)\b|\bquanto tempo (?:dura[mr]?|leva[mr]?|demora[mr]?|de duracao)\b/g,
    'duracao',
    true,
  ],
  [/\bquanto tempo\b/g, 'tempo', true],
  [/\bquant[oa]s\b/g, 'quantidade', true],
  [/\bquant[oa]\b/g, 'valor', true],
  [/\bquando\b|\b(?:em )?(?:que|qual)(?: e)?(?: o| a)? (?:dia|data)\b/g, 'data', true],
  [/\bdatas?\b/g, 'data', false],
  [/\bonde\b/g, 'lugar', true],
  [/\bquem\b/g, 'quem', true],
  [/\bpor ?que\b|\b(?:qual|que)(?: e)?(?: o| a)? (?:motivo|razao)\b/g, 'motivo', true],
  [
    /\bo que (?:(?:e|sao)(?= (?:o|a|os|as|um|uma)\b| [a-z]+\W*$)(?! (?:necessari|precis|obrigatori|exigid|permitid))|significam?|quer dizer)\b/g,
    'significado',
    true,
  ],
  [/\b(?:qual|que)(?: e)?(?: o)? (?:procedimento|passo a passo)\b|\bcomo\b/g, 'como', true],
  [/\b(?:o que|qual|quais|que)\b/g, '', true],
];
const WHETHER =
  /\b(?:posso|podemos|podem?|consigo|consegue|existem?|ha|tem|temos|tenho|teria|possuem?|aceitam?|oferecem?|precis[oa]|precisam|necessari[oa]s?|obrigatori[oa]s?|sera|devo|deve|se)\b/;
/** What has to be: a question of its own with yes or no, and said of things that have to be brought. */
const NEEDED = /^(?:precis|necessari|obrigatori|exig|dev[oe]$|devem$)/;
const PAST = /^(?:fo(?:i|ram)|era[m]?|estava|(?!estou)[a-z]{3,}(?:ei|ou|iu|aram|eram|iram|ava|avam))$/;
const WISHES = new Set('quero queria queremos gostaria desejo vou estou sou'.split(' '));
const MOVING = /\b(?:transfer|mud|troc|migr)[a-z]+/;
const TARGET = /\b(?:para|pra|pro)(?: (?:o|a|os|as))? ([a-z]{3,})/g;

/** Undefined where it cannot be read by itself: it continues what was said, or asks more than one thing. */
export function readAsked(question: string): Asked | undefined {
  const text = plainLetters(question).trim();
  if (text.length > MAX_CHARACTERS || CONTINUES.test(text)) return undefined;
  const folded = foldTyped(text)
    .replaceAll(/\bprof(a?)\.?(?= )/g, (_, ending: string) => `professor${ending}`)
    .replaceAll(/\bon-line\b/g, 'online')
    .replaceAll(/\be-?mails?\b/g, 'email')
    .replaceAll(/(\d) ?x\b/g, '$1 vezes');
  const sentences = folded
    .split(SENTENCE)
    .map(sentence => sentence.replaceAll(COURTESY, ' ').replace(/^[\s,:-]+/, ''))
    .filter(sentence =>
      wordsOf(sentence).some(word => isTelling(word) || (isSpecific(word) && !isEmpty(word))),
    );
  const [sentence] = sentences;
  if (sentence === undefined || sentences.length > 1) return undefined;
  const read = readSentence(sentence);
  return read && { ...read, names: namesIn(text), written: new Set(wordsOf(folded).map(singularOf)) };
}

const CAPITAL = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}]+/gu;
const SMALL = /\p{Ll}/u;
const singularOf = (word: string) => word.replace(/s$/, '');

function namesIn(text: string): string[] {
  if (!SMALL.test(text)) return [];
  const names = (text.match(CAPITAL) ?? []).map(name => foldTyped(name));
  return names.filter(name => isSpecific(name) && !isVague(name) && !hasSynonyms(name)).map(singularOf);
}

function readSentence(sentence: string): Read | undefined {
  const found = new Set<string>();
  if (MOVING.test(sentence))
    for (const [, target = ''] of sentence.matchAll(TARGET))
      if (isSpecific(target) && !isEmpty(target) && !MOVING.test(target)) found.add(`>${meaningOf(target)}`);
  let rest = takeFigures(takeNames(sentence, found), found);
  let isOpen = false;
  const isWhether = WHETHER.test(sentence) || /\bda (?:para|pra)\b|\b(?:tem|ha|da) como\b/.test(sentence);
  for (const [pattern, wanted, isAsking] of WANTED) {
    const left = rest.replaceAll(pattern, ' ');
    if (left === rest) continue;
    rest = left;
    isOpen ||= isAsking;
    for (const word of wanted.split(' ')) if (word !== '' && word !== '?') found.add(word);
  }
  const words = wordsOf(rest);
  if (words.some(isPointing)) return undefined;
  // A wish is no question, though it has the same words: "Quero trancar a matrícula".
  if (!isOpen && !/\bse\b/.test(sentence) && words.some(word => WISHES.has(word))) return undefined;
  const manner = isOpen ? 'open' : isWhether ? 'whether' : 'none';
  addWords(words, manner, found);
  return isTooLittle(found) ? undefined : { words: [...found].toSorted(), manner };
}

function addWords(words: readonly string[], manner: Asked['manner'], found: Set<string>): void {
  for (const word of words) {
    if (PAST.test(word)) found.add('<');
    if (NEEDED.test(word)) {
      if (manner === 'whether') found.add('precisar');
    } else if (isTelling(word) || (isSpecific(word) && !isEmpty(word) && !isVague(word)))
      found.add(meaningOf(word));
  }
  if (found.size === 0) for (const word of words.filter(isVague)) found.add(meaningOf(word));
  if (found.has('horario'))
    for (const word of ['funcionamento', 'atendimento']) found.delete(meaningOf(word));
  if (found.has('telefone')) found.delete(meaningOf('numero'));
  if (found.has('documento') && manner === 'open')
    for (const word of ['levar', 'apresentar']) found.delete(meaningOf(word));
  // "Quando terminam as inscrições?" asks for the last day to do it.
  if (found.has('data') && found.delete('terminar') && found.delete('data')) found.add('prazo');
}

/** Asked alone these are about something that was said before. */
const OF_SOMETHING = new Set(
  'valor data prazo duracao tempo quantidade como quem motivo significado nao < comecar'.split(' '),
);

function isTooLittle(found: ReadonlySet<string>): boolean {
  return [...found].every(word => OF_SOMETHING.has(word));
}

function takeNames(sentence: string, found: Set<string>): string {
  return sentence.replaceAll(NAME, (given, noun: string, name: string) => {
    if (name.length > 1 && (!isSpecific(name) || !TITLE.test(noun))) return given;
    if (name.length === 1 && TITLE.test(noun)) return given;
    found.add(`=${name}`);
    return noun;
  });
}

function takeFigures(sentence: string, found: Set<string>): string {
  const ordered = sentence
    .replaceAll(ORDINAL_WORD, (_, stem: string) => `${ORDINALS.indexOf(stem) + 1}º`)
    .replaceAll(ORDINAL, (_, number: string) => {
      found.add(`#${Number(number)}`);
      return ' ';
    });
  let rest = '';
  let done = 0;
  for (const figure of findFigures(ordered).figures) {
    const { start, end } = figure;
    const written = ordered.slice(start, end);
    rest += `${ordered.slice(done, start)} `;
    done = end;
    if (!/^(?:um|uma|hum)$/.test(written)) found.add(`#${acceptedKeysOf(figure).join('|') || written}`);
  }
  return rest + ordered.slice(done);
}
