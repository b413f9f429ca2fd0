import { type Token, tokenAt } from './figures/tokens.ts';

/*
 * In words, numbers are hundreds, tens and units with `e` between them, then `mil`, `milhão` or `bilhão`, and again. A part joins
 * the previous one only if it is smaller than the rest that this leaves open: `vinte e três` is 23, `dois e três` are two
 * numbers.
 */

const UNITS = [
  'zero',
  'um uma hum',
  'dois duas',
  'tres',
  'quatro',
  'cinco',
  'seis',
  'sete',
  'oito',
  'nove',
  'dez',
  'onze',
  'doze',
  'treze',
  'quatorze catorze',
  'quinze',
  'dezesseis dezasseis',
  'dezessete dezassete',
  'dezoito',
  'dezenove dezanove',
];
const TENS = 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS = 'cento duzent trezent quatrocent quinhent seiscent setecent oitocent novecent'.split(' ');
const SCALES: ReadonlyMap<string, number> = new Map([
  ['mil', 1e3],
  ['milhao', 1e6],
  ['milhoes', 1e6],
  ['bilhao', 1e9],
  ['bilhoes', 1e9],
]);

/** The values of Portuguese words for numbers up to 900, folded. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ...UNITS.flatMap((words, value) => words.split(' ').map(word => [word, value] as const)),
  ...TENS.map((word, at) => [word, (at + 2) * 10] as const),
  ...HUNDREDS.flatMap((word, at) =>
    (at === 0 ? [word, 'cem'] : [`${word}os`, `${word}as`]).map(form => [form, (at + 1) * 100] as const),
  ),
]);

export function isNumberWord(word: string): boolean {
  return numberWords.has(word) || SCALES.has(word);
}

const MAX_WORDS = 24;

export interface ReadNumber {
  readonly value: number;
  readonly next: number;
}

export function scaleOf({ text }: Token): number | undefined {
  return SCALES.get(text);
}

/** Reads the number in words that begins here. */
export function readNumberWords(tokens: readonly Token[], from: number): ReadNumber | undefined {
  let total = 0;
  let group: number | undefined;
  /** The room that the last word leaves: `vinte` nine, `cento` ninety-nine. */
  let open = Number.POSITIVE_INFINITY;
  let lastScale = Number.POSITIVE_INFINITY;
  let next = from;
  for (let at = from; at < from + MAX_WORDS; at += 1) {
    const token = tokenAt(tokens, at);
    const scale = token.type === 'word' ? scaleOf(token) : undefined;
    if (scale !== undefined) {
      if (scale >= lastScale || (group === undefined && (scale > 1e3 || total > 0))) break;
      total += (group ?? 1) * scale;
      [group, open, lastScale, next] = [undefined, scale - 1, scale, at + 1];
      continue;
    }
    const value = numberWords.get(token.text);
    if (value === undefined) {
      if (next === from || next !== at || !isConnector(token, group === undefined)) break;
      continue;
    }
    if (value > open || (group !== undefined && next === at) || (value === 0 && next > from)) break;
    group = (group ?? 0) + value;
    open = leftOpenBy(value);
    next = at + 1;
  }
  return next === from ? undefined : { value: total + (group ?? 0), next };
}

/** Whether it joins parts: `e`, and after a scale also a comma: `mil, duzentos reais`. */
function isConnector({ text }: Token, isAfterScale: boolean): boolean {
  return text === 'e' || (isAfterScale && text === ',');
}

function leftOpenBy(value: number): number {
  if (value === 0) return -1;
  if (value % 100 === 0) return 99;
  return value >= 20 ? 9 : -1;
}
