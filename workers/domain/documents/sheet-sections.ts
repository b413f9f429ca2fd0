import { foldText } from '../../../text/fold.ts';
import { isFigure, isName } from './cell-kinds.ts';
import { type Row, widthOf } from './sheet-tables.ts';

/*
 * A row of one cell is a heading of the rows below it, until the next such row: the periods of a curriculum, the campi of a list.
 * It may also be a record whose other values are missing, or a note: it is a heading only where its looks or its words say so.
 */

const MAX_SECTION = 100;
/** Each section is compared with these. */
const MAX_LEVELS = 50;
/** Sections of sections of a sheet; one row more is beside them. */
const MAX_LEVEL = 3;
const NOTE = /^(?:\*|obs|nota|fonte|sub-?total|total|legenda|atualizad|emitido|pagina)/;
const ORDINAL = /\d+\s?[ºª°.]?|(?<!\p{L})[ivx]+(?!\p{L})/giu;

/** Returns the levels of the rows that are headings, from 1. */
export function sectionsOf(rows: readonly Row[], columns: number): Map<Row, number> {
  const singles = rows.filter((row, at) => isCandidate(row) && leads(rows, at));
  const levels = new Map<Row, number>();
  if (singles.length === 0 || columns < 2) return levels;
  const isSection = makeJudge(rows, singles, columns);
  const seen: { readonly form: string; readonly words: readonly string[]; readonly level: number }[] = [];
  const kept = new Set(singles.filter(isSection));
  for (const [at, row] of rows.entries()) {
    if (!kept.has(row)) continue;
    const [form, words] = [formOf(textOf(row)), wordsOf(textOf(row))];
    const like = seen.find(each => each.form === form || each.words.some(word => words.includes(word)));
    const above = levels.get(rows[at - 1] ?? row);
    const level = like?.level ?? (above === undefined ? 1 : Math.min(above + 1, MAX_LEVEL));
    levels.set(row, level);
    if (!like && seen.length < MAX_LEVELS) seen.push({ form, words, level });
  }
  return levels;
}

export function isNote(text: string): boolean {
  return text.length > MAX_SECTION || NOTE.test(foldText(text));
}

function isCandidate({ cells }: Row): boolean {
  return widthOf(cells) === 1 && !isNote(textOf({ cells }));
}

/** Whether rows with values follow. */
function leads(rows: readonly Row[], at: number): boolean {
  for (let below = at + 1; below < rows.length && below < at + 4; below += 1)
    if (widthOf(rows[below]?.cells ?? []) > 1) return true;
  return false;
}

function makeJudge(rows: readonly Row[], singles: readonly Row[], columns: number) {
  const records = rows.filter(({ cells }) => widthOf(cells) > 1);
  const keys = records.map(row => textOf(row));
  const forms = new Set(keys.map(formOf));
  const words = new Set(keys.flatMap(wordsOf));
  const hasCapital = keys.some(isCapital);
  const areFigures = keys.every(isFigure);
  const isPlain = records.some(({ isApart }) => !isApart);
  const counts = new Map<string, number>();
  for (const single of singles)
    counts.set(formOf(textOf(single)), (counts.get(formOf(textOf(single))) ?? 0) + 1);
  const isBegun =
    singles.length > 1 &&
    rows[0] === singles[0] &&
    rows.every((row, at) => !isCandidate(row) || widthOf(rows[at + 1]?.cells ?? []) > 1);
  const common = isBegun
    ? wordsOf(textOf(singles[0]!)).filter(word => singles.every(each => wordsOf(textOf(each)).includes(word)))
    : [];
  const isGrouped = isBegun && (columns > 2 || common.some(word => !words.has(word)));
  return (row: Row): boolean => {
    const text = textOf(row);
    if ((row.isApart && isPlain) || isGrouped || text.endsWith(':')) return true;
    if ((isCapital(text) && !hasCapital) || (areFigures && isName(text))) return true;
    const form = formOf(text);
    return form !== foldText(text) && (counts.get(form) ?? 0) > 1 && !forms.has(form);
  };
}

function isCapital(text: string): boolean {
  return /\p{Lu}{3}/u.test(text) && !/\p{Ll}/u.test(text);
}

function textOf({ cells }: Pick<Row, 'cells'>): string {
  return cells.find(cell => cell.trim() !== '')?.trim() ?? '';
}

/** Returns the text without its numbers: `1º PERÍODO` and `2º PERÍODO` have one form. */
function formOf(text: string): string {
  return foldText(text.slice(0, MAX_SECTION).replaceAll(ORDINAL, '#'));
}

function wordsOf(text: string): string[] {
  return foldText(text.slice(0, MAX_SECTION)).match(/\p{L}{4,}/gu) ?? [];
}
