import type { Figure, Meaning } from '../../../text/figures/figure.ts';
import { type Token, tokenAt } from '../../../text/figures/tokens.ts';
import type { Span } from '../../../text/sentences.ts';
import { isSpecific, stemOf } from '../../../text/words.ts';

/** A value of a statement: a figure, or a day of the week. */
export interface StatedValue extends Span {
  /** Values of one class may stand in each other's place. */
  readonly of: string;
  readonly value: string;
  /** Of a date that has one. */
  readonly year?: number;
  /** The place among the words. */
  readonly at: number;
}

type Value = Pick<StatedValue, 'of' | 'value' | 'year'>;

const DAY = 24 * 60;
const HOUR = 60;
const BEFORE_CLOCKS = new Set(['as', 'das', 'ate', 'a', 'ao', 'meio', 'e', 'desde']);
const BEHIND_DURATIONS = /^(?:semana|diari|mensa|aula|de|por|complementar|antes|depois|apos|para)/;

/** Reads a figure as a value that another of the same class may contradict; undefined for codes, addresses of pages and the like. */
export function readValue(tokens: readonly Token[], at: number, figure: Figure): Value | undefined {
  const [meaning, other] = figure.meanings;
  const isMonth = meaning?.type === 'date' && meaning.month !== undefined;
  const isOrder = meaning?.type === 'count' && meaning.of === 'order';
  if (!meaning || !(figure.isClaim || isMonth || isOrder)) return undefined;
  switch (meaning.type) {
    case 'money':
      return { of: `money ${meaning.currency}`, value: String(meaning.value) };
    case 'percent':
      return { of: 'percent', value: String(meaning.value) };
    case 'date':
      return dateOf(tokens, at, meaning);
    case 'term':
      return { of: 'term', value: `${meaning.year}/${meaning.part}`, year: meaning.year };
    case 'quantity':
      return quantityOf(tokens, at, figure, meaning);
    case 'count':
      return countOf(tokens, at, figure, meaning);
    case 'phone':
      return { of: 'phone', value: meaning.digits.slice(-8) };
    case 'email':
      return { of: 'email', value: meaning.text };
    case 'url':
    case 'code':
      return other && readValue(tokens, at, { ...figure, meanings: [other] });
  }
}

const FREE = /^(?:gratuit[oa]s?|gratis|gratuitamente)$/;
const COST = /^(?:custos?|custa|onus|cobranca|cobrad[oa]s?|cobra)$/;
/** `Bolsistas comem de graça` is of people. */
const IS = /^(?:e|sao|sera|serao|sai|saem|fica|ficam)$/;
const WITHOUT = /^(?:sem|nao|nenhum)$/;
/** Only more of it is without a cost: `sem custo adicional`. */
const MORE = /^(?:adiciona|extra|a$|o$|mais|multa|juros|taxa|matricula)/;
const MAX_WITHOUT = 3;

/** What is free costs nothing, which a price contradicts. */
export function readFree(tokens: readonly Token[], at: number): Value | undefined {
  const { text, type } = tokenAt(tokens, at);
  if (type !== 'word') return undefined;
  const before = tokenAt(tokens, at - 1).text;
  const isFree =
    FREE.test(text) ||
    (text === 'graca' && before === 'de' && IS.test(tokenAt(tokens, at - 2).text)) ||
    (COST.test(text) &&
      !MORE.test(tokenAt(tokens, at + 1).text) &&
      tokens.slice(Math.max(0, at - MAX_WITHOUT), at).some(each => WITHOUT.test(each.text)));
  return isFree ? { of: 'money BRL', value: '0' } : undefined;
}

/** Beside them a year says when something happened; elsewhere it says which one is meant: `Edital 2027`. */
const HAPPENED =
  /^(?:cria|funda|institui|nasce|federaliza|inaugura|transforma|torna|adota|revis|reforma|reconhecid|promulga|diante)/;
const MAX_BEFORE = 8;

function isWhen(tokens: readonly Token[], at: number): boolean {
  return tokens.slice(Math.max(0, at - MAX_BEFORE), at + 3).some(({ text }) => HAPPENED.test(text));
}

function dateOf(
  tokens: readonly Token[],
  at: number,
  { year, month, day }: Extract<Meaning, { type: 'date' }>,
): Value | undefined {
  if (isOfLaw(tokens, at)) return undefined;
  if (year !== undefined && isWhen(tokens, at)) return { of: 'year of an event', value: String(year) };
  const its = year === undefined ? {} : { year };
  if (month !== undefined && day !== undefined) return { of: 'day', value: `${month}-${day}`, ...its };
  if (month !== undefined) return { of: 'month', value: String(month), ...its };
  return day === undefined
    ? { of: 'year', value: String(year) }
    : { of: 'day of a month', value: String(day) };
}

function quantityOf(
  tokens: readonly Token[],
  at: number,
  { start, end }: Figure,
  { dimension, value, written }: Extract<Meaning, { type: 'quantity' }>,
): Value {
  if (dimension !== 'minutes') return { of: dimension, value: String(value) };
  const unit = written === undefined ? HOUR : value / written;
  if (unit >= DAY || value > DAY) return { of: unit < DAY ? 'hours' : 'days', value: String(value) };
  if (unit < HOUR) return { of: 'minutes', value: String(value) };
  const inside = tokens.slice(at, at + 4).filter(token => token.start >= start && token.end <= end);
  const isWritten = inside.some(({ text }) => text === 'h' || text.includes(':')) || written === undefined;
  const behind = tokens.find(token => token.start >= end)?.text ?? '';
  const isClock =
    (isWritten || BEFORE_CLOCKS.has(tokenAt(tokens, at - 1).text)) && !BEHIND_DURATIONS.test(behind);
  return { of: isClock ? 'clock' : 'hours', value: String(value) };
}

/** A number behind them says where something is written, and states nothing: `art. 17`, `item 3.1`, `Lei nº 9.508`. */
const REFERENCE =
  /^(?:arts?|artigos?|itens|item|subite[mn]s?|incisos?|paragrafos?|alineas?|anexos?|capitulos?|secao|secoes|leis?|decretos?|portarias?|resoluc(?:ao|oes)|normativas?|complementar|editai?s?|processos?|n|nº|nr|numeros?|§+|fls?|paginas?|pag|quadros?|tabelas?|figuras?|versao|notas?|consepe|cne|consuni|cep|cnpj|cpf|cid|crp|passo)$/;
const MAX_REFERENCE = 4;

/** Also a number of several, `arts. 17, 18 e 20`, and a section's number before its text. */
function isReference(tokens: readonly Token[], at: number): boolean {
  const own = tokenAt(tokens, at);
  if ((own.isFirst || at === 0) && (own.text.includes('.') || /^[.)-]$/.test(tokenAt(tokens, at + 1).text)))
    return true;
  for (let before = at - 1; before >= Math.max(0, at - MAX_REFERENCE); before -= 1) {
    const { text, type } = tokenAt(tokens, before);
    if (REFERENCE.test(text)) return true;
    if (type === 'word' && text !== 'e' && text !== 'a') return false;
  }
  return false;
}

/** Letters stand beside it: `A1`, `DA1NHT3005-13SA`. */
function isInCode(tokens: readonly Token[], at: number, end: number): boolean {
  const [before, behind] = [tokenAt(tokens, at - 1), tokens.find(token => token.start >= end)];
  const isBehind = behind?.start === end && behind.type === 'word' && !/^[ao]s?$/.test(behind.text);
  return isBehind || (!tokenAt(tokens, at).isApart && before.type === 'word');
}

const LAW = /^(?:leis?|decretos?|portarias?|resoluc(?:ao|oes)|normativas?|complementar|provisoria)$/;
const MAX_LAW = 7;
const NUMBER_SIGN = /^(?:n|no|nº|nr)$/;

/** The date of a law: `Decreto nº 10.278, de 18 de março de 2020`, `Portaria MGI nº 9.783`. */
function isOfLaw(tokens: readonly Token[], at: number): boolean {
  let isNumbered = false;
  for (let before = at - 1; before >= Math.max(0, at - MAX_LAW); before -= 1) {
    const { text, type } = tokenAt(tokens, before);
    if (LAW.test(text)) return true;
    if (NUMBER_SIGN.test(text)) isNumbered = true;
    else if (type === 'word' && text.length > 2 && !isNumbered) return false;
  }
  return false;
}

/** A number behind them says which one is meant: `zona 1`, `a sala 15 tem 40 lugares`. `É na sala 15` says where something is. */
const NAMED = /^(?:zona|lote|turma|modulo|nivel|etapa|fase|grupo|linha|categoria|faixa|classe|opcao|polo)$/;
const PLACES = /^(?:sala|predio|bloco|laboratorio|auditorio|quadra|guiche)$/;
const IN_PLACE = /^(?:na|no|nas|nos|em|pel[oa]|:|,|\||-|\()$/;

/** A number with a noun counts that: `6 obras`; without, the word before it says what it is: `média 7`, `sala 14`. */
function countOf(
  tokens: readonly Token[],
  at: number,
  { end }: Figure,
  { value, of }: Extract<Meaning, { type: 'count' }>,
): Value | undefined {
  if (isReference(tokens, at) || isInCode(tokens, at, end)) return undefined;
  const behind = tokens.find(token => token.start >= end);
  const noun = behind?.type === 'word' && isSpecific(behind.text) ? stemOf(behind.text) : '';
  if (of === 'order') return { of: `order ${noun}`, value: String(value) };
  const [before, place] = [tokenAt(tokens, at - 1), tokenAt(tokens, at - 2).text];
  if (NAMED.test(before.text) || (PLACES.test(before.text) && !IN_PLACE.test(place)))
    return { of: `order ${stemOf(before.text)}`, value: String(value) };
  if (of === 'named') return { of: `count ${noun}`, value: String(value) };
  return { of: 'number', value: String(value) };
}
