import { isAttribute, isFigure, kindOfCell } from './cell-kinds.ts';
import { type Row, widthOf } from './sheet-tables.ts';

/*
 * A sheet of labels and values has no header: its first row is a pair like the others. It is known by the labels, or by values
 * of which the first is none of a header, or which have nothing in common.
 */

interface Pair {
  readonly label: string;
  readonly value: string;
}

const YEAR = /^(?:19|20)\d\d(?:[./]\d)?$/;

/** Returns the pairs of each row; undefined for a table. */
export function pairsOf(rows: readonly Row[]): Map<Row, Pair[]> | undefined {
  const records = rows.filter(({ cells }) => widthOf(cells) > 1);
  const columns = new Set(
    records.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell.trim() === '' ? [] : [at]))),
  );
  const places = [...columns].toSorted((a, b) => a - b);
  if (records.length < 2 || places.length % 2 > 0 || places.length > 8) return undefined;
  const pairs = new Map(
    records.map(row => [
      row,
      places.flatMap((place, at): Pair[] => {
        const [label = '', value = ''] = [row.cells[place]?.trim(), row.cells[places[at + 1] ?? 0]?.trim()];
        return at % 2 > 0 || label + value === ''
          ? []
          : [{ label: label.replace(/:$/, '').trimEnd(), value }];
      }),
    ]),
  );
  const isEach = places.every(
    (place, at) =>
      at % 2 > 0 ||
      isOfPairs(
        records.map(
          ({ cells }) => [cells[place]?.trim() ?? '', cells[places[at + 1] ?? 0]?.trim() ?? ''] as const,
        ),
        places.length === 2,
      ),
  );
  return isEach ? pairs : undefined;
}

function isOfPairs(all: readonly (readonly [label: string, value: string])[], isOnly: boolean): boolean {
  const pairs = all.filter(([label, value]) => label !== '' || value !== '');
  const [first, ...rest] = pairs;
  if (!first || pairs.some(([label]) => label === '' || isFigure(label))) return false;
  if (pairs.filter(([label]) => label.endsWith(':')).length * 2 > pairs.length) return true;
  const named = rest.filter(([label]) => isAttribute(label)).length;
  const isNamed = pairs.some(([, value]) => isFigure(value))
    ? named * 2 >= rest.length
    : named === rest.length;
  const isHeader = isAttribute(first[1]);
  if (isNamed && !isHeader && isAttribute(first[0])) return true;
  if (!isOnly || isHeader) return false;
  const isValue = isFigure(first[1]) && !YEAR.test(first[1]);
  const kinds = new Set(
    rest.map(([, value]) => kindOfCell(value)).filter(kind => !/^(?:empty|text)$/.test(kind)),
  );
  return isValue || kinds.size > 2 || (kinds.size > 1 && rest.some(([label]) => isAttribute(label)));
}
