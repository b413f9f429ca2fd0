import { foldText } from '../../../text/fold.ts';

/*
 * A file that is divided by commas may have commas in its values without quotes: prices (`R$ 850,50`) and sentences. Such a row has
 * more fields than the header. They are joined where it is plain which; otherwise the row stays whole, as it is written.
 */

const AMOUNT = /(?:^|[^\d.,])(?:[1-9]\d{0,2}(?:\.\d{3})+|0|[1-9]\d*)$/;
const PRICED = /(?:[$€£]|(?<!\p{L})reais)\s?[\d.]+$/iu;
/** Names of columns whose values have decimals; of others, `40,50` may be two counts. */
const DECIMAL_NAME =
  /(?<!\p{L})(?:valor|preco|cust|mensal|anuidade|tax|multa|juro|parcela|salario|bolsa|descont|nota|media|peso|coeficiente|indice)|[%$]/u;
const DECIMALS = /^\d{1,2}(?![\d.,/:-])(?:\s?%|\s?[\p{L}(/].*)?$/u;

/** A row with more of them has too many choices. */
const MAX_PLACES = 12;

export function mendCommas(rows: readonly string[][]): string[][] {
  const header = rows.find(({ length }) => length > 1);
  if (!header) return [...rows];
  const names = joined(header, new Set(joints(header, true)));
  // Where each comma has a blank behind it, a blank says nothing.
  const isSpaced = header.slice(1).some(name => /^\s/.test(name));
  return rows.map(row => (row.length > names.length ? mended(row, names, isSpaced) : row));
}

function mended(row: string[], names: readonly string[], isSpaced: boolean): string[] {
  const width = names.length;
  // Spreadsheets write empty fields behind the last value.
  const end = row.findLastIndex(field => field.trim() !== '') + 1;
  const extra = end - width;
  if (extra <= 0) return row;
  const fields = row.slice(0, end);
  const [sure, decimal] = [joints(fields, true), joints(fields, false)];
  const sentence = isSpaced
    ? []
    : fields.flatMap((field, at) => (at > 0 && /^\s+\S/.test(field) ? [at] : []));
  for (const told of [[], sentence]) {
    const places = onlyChoice(sure, extra - told.length) ?? onlyChoice(decimal, extra - told.length);
    if (places?.every(place => sure.includes(place) || isDecimal(fields, place, [...places, ...told], names)))
      return joined(fields, new Set([...places, ...told]));
  }
  // Such a row has no labels, so that none of its figures is told under another column.
  return [...Array.from({ length: width }, () => ''), fields[0] ?? '', fields.slice(1).join(',')];
}

/** Whether the value has decimals by its own look, or by the name of its column. */
function isDecimal(
  fields: readonly string[],
  place: number,
  places: readonly number[],
  names: readonly string[],
): boolean {
  const column = place - 1 - places.filter(other => other < place).length;
  return /^0|%$/.test(fields[place]?.trim() ?? '') || DECIMAL_NAME.test(foldText(names[column] ?? ''));
}

/** Returns the places if only one choice of so many has no two beside each other: of `40,50,90`, either pair may be the price. */
function onlyChoice(places: readonly number[], count: number): readonly number[] | undefined {
  if (count < 0 || places.length > MAX_PLACES) return undefined;
  let choices: number[][] = [[]];
  for (const place of places)
    choices = [
      ...choices,
      ...choices.filter(each => each.at(-1) !== place - 1).map(each => [...each, place]),
    ].filter(each => each.length <= count);
  const [only, ...more] = choices.filter(each => each.length === count);
  return more.length === 0 ? only : undefined;
}

/** Returns the fields that are the decimals of the one before them. */
function joints(fields: readonly string[], isSure: boolean): number[] {
  const places: number[] = [];
  for (let at = 1; at < fields.length; at += 1) {
    const [before = '', field = ''] = [fields[at - 1]?.trim(), fields[at]];
    if (!AMOUNT.test(before) || !DECIMALS.test(field.trimEnd())) continue;
    const isPriced = PRICED.test(before) && /^\d\d(?!\d)/.test(field);
    if (isSure && !isPriced) continue;
    places.push(at);
    // The cents of a price have no decimals.
    if (isPriced) at += 1;
  }
  return places;
}

function joined(fields: readonly string[], places: ReadonlySet<number>): string[] {
  const row: string[] = [];
  for (const [at, field] of fields.entries())
    if (places.has(at)) row.push(`${row.pop() ?? ''},${field}`);
    else row.push(field);
  return row;
}
