import { type Band, type Run, SAME_BAND, type Text, type Texts } from './pdf-grid.ts';
import { add, isFit, isOneSentence, isSameSize, joinTexts, mostOf } from './pdf-lines.ts';

/*
 * Finds the cells and rows of a table. Lines of a column that are near one another are a cell, unless cells of another column
 * stand beside parts of it: at their middle, top or bottom. A first cell in the middle of several rows names each of them.
 */

/** A text of a column: one line, or several of a cell. */
export interface Cell {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
  readonly text: string;
  readonly bands: readonly Band[];
}

/** Distances up to this many times the least are the same. */
const SAME_DISTANCE = 1.2;
/** The difference between the middles of two cells of a row, as a part of the font size. */
const SAME_MIDDLE = 0.25;
/** A font with a smaller share of the characters of a table is that of names in it. */
const USUAL_SHARE = 0.15;
/** A month, or a part of a course's time, alone in a line: a name of what follows wherever it stands. */
const PERIOD =
  /^(?:(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)(?:\s?(?:[/–-]|de)?\s?(?:20)?\d\d)?|\d+[ºª°]\s(?:período|semestre|bimestre|trimestre|quadrimestre|ano|fase|etapa|módulo))$/iu;
/** A line that ends so goes on below. */
const OPEN = /(?<!\p{L})(?:d[aeo]|em|até|e|a|ao|para|n[ao]|[ºª])$|[-,/]$/iu;
/** How far from the edge of its column a text is no part of it, as a part of the font size. */
const OUTSIDE = 3;

export function rowsOf(run: Run, texts: Texts): Cell[][] {
  const rule = ruleOf(run.bands, texts);
  const columns = texts.map((_own, column) => cellsOf(run, texts, column, rule));
  const isName = nameTest(run, texts);
  const divided = columns.map((own, column) =>
    own.flatMap(cell => {
      if (cell.bands.length === 1) return [cell];
      const beside = columns.toSpliced(column, 1).map(cells => cells.filter(one => isBeside(one, cell)));
      const [rows = []] = beside.toSorted((a, b) => b.length - a.length);
      return divideCell(cell, rows, isName).map(bands => cellOf(column, bands, texts));
    }),
  );
  const [names = [], ...others] = divided;
  const rows = others.length > 1 ? gatherRows(others.flat()) : [];
  const heights = rows.map(spanOf);
  const named = groupsAt(heights, names.map(middleOf), (first, last, of) => {
    const { size, ...name } = names[of] as Cell;
    return isSame(middleOf(spanOf(heights.slice(first, last + 1))), middleOf(name), size);
  });
  const isSpan = named?.every(({ of }) => of !== undefined) && named.length < rows.length;
  if (!named || !isSpan || !isCentred(named, rows)) return gatherRows(divided.flat());
  return named.flatMap(({ first, last, of = 0 }) =>
    rows.slice(first, last + 1).map(row => [names[of] as Cell, ...row]),
  );
}

/** Whether the names stand at the middle of their rows, and not at the top: then the first one begins with several, or days tell. */
function isCentred(named: readonly Group[], rows: readonly (readonly Cell[])[]): boolean {
  const mayBeTop = (at: number) =>
    named[at - 1]?.first === named[at - 1]?.last && /\d/.test(textIn(rows[named[at - 1]?.first ?? -1]));
  const areOdd = named.every(({ first, last }) => (last - first) % 2 === 0);
  if (!areOdd || !named.some(({ first, last }, at) => last > first && at > 0 && mayBeTop(at))) return true;
  const days = rows.map(row => Number(/\d+/.exec(textIn(row))?.[0] ?? 0));
  const ascend = (starts: ReadonlySet<number>) =>
    days.every((day, at) => starts.has(at) || day >= (days[at - 1] ?? 0));
  const tops = new Set(named.map(({ first, last }) => (first + last) / 2));
  return ascend(new Set(named.map(({ first }) => first))) && !ascend(tops);
}

function textIn(row: readonly Cell[] = []): string {
  return row.map(({ text }) => text).join(' ');
}

function gatherRows(cells: readonly Cell[]): Cell[][] {
  const rows: Cell[][] = [];
  let bottom = Number.POSITIVE_INFINITY;
  for (const cell of cells.toSorted((a, b) => b.top - a.top || a.column - b.column)) {
    if (rows.length > 0 && cell.top >= bottom - SAME_BAND * cell.size) {
      rows.at(-1)?.push(cell);
      bottom = Math.min(bottom, cell.bottom);
    } else {
      rows.push([cell]);
      bottom = cell.bottom;
    }
  }
  return rows.map(joinColumns);
}

function joinColumns(row: readonly Cell[]): Cell[] {
  const cells = new Map<number, Cell>();
  for (const cell of row) {
    const own = cells.get(cell.column);
    const joined = own && {
      ...own,
      text: joinTexts(own.text, cell.text),
      bottom: cell.bottom,
      bands: [...own.bands, ...cell.bands],
    };
    cells.set(cell.column, joined ?? cell);
  }
  return [...cells.values()].toSorted((a, b) => a.column - b.column);
}

interface Rule {
  /** The greatest distance between lines of a cell. */
  readonly near: number;
  /** Whether rows stand further apart than the lines of a cell. */
  readonly hasGaps: boolean;
}

function ruleOf(bands: readonly Band[], texts: Texts): Rule {
  const distances = texts.flatMap(own => {
    const heights = [...own.keys()].map(({ y }) => y);
    return heights.slice(1).map((y, at) => (heights[at] ?? y) - y);
  });
  const least = distances.reduce((min, one) => Math.min(min, one), Number.POSITIVE_INFINITY);
  const isNear = (distance: number) => distance <= SAME_DISTANCE * least;
  const wide = distances.filter(distance => !isNear(distance)).length;
  // Texts side by side that all begin anew in the next line are rows, however near.
  const beside = bands.slice(1).flatMap((next, at) => {
    const band = bands[at] as Band;
    const isPair = texts.filter(own => own.has(band) && own.has(next)).length > 1;
    return isPair ? [{ distance: band.y - next.y, goesOn: goesOnBeside(texts, band, next) }] : [];
  });
  const near = beside.filter(({ distance }) => isNear(distance));
  const row = beside.reduce(
    (min, { distance, goesOn }) => (goesOn ? min : Math.min(min, distance)),
    Number.POSITIVE_INFINITY,
  );
  const isApart = row > 1.05 * least;
  return {
    near: Math.min(SAME_DISTANCE * least, isApart ? (least + row) / 2 : Number.POSITIVE_INFINITY),
    hasGaps: wide > 1 && near.filter(({ goesOn }) => goesOn).length * 3 >= near.length,
  };
}

/** Whether all texts of a band continue those above them. */
function goesOnBeside(texts: Texts, band: Band, next: Band): boolean {
  return texts.every(own => {
    const text = own.get(next);
    return !text || isOneSentence(own.get(band)?.text ?? '', text.text);
  });
}

function cellsOf({ columns }: Run, texts: Texts, column: number, { near, hasGaps }: Rule): Cell[] {
  const cells: Band[][] = [];
  let before: { readonly band: Band; readonly text: Text } | undefined;
  const isLone = (band: Band) => texts.filter(own => own.has(band)).length === 1;
  // The first text of a row names it: alone, it continues the row only if it says so, or if it had no room.
  const goesOn = (above: { readonly band: Band; readonly text: Text }, band: Band, text: Text): boolean => {
    if (!isLone(band)) return goesOnBeside(texts, above.band, band);
    if (column > 0 || isOneSentence(above.text.text, text.text)) return true;
    return !isFit(above.text, text, columns[column]?.end ?? 0, band.size);
  };
  for (const [band, text] of texts[column] ?? []) {
    const isNear = before && before.band.y - band.y <= near && isSameSize(before.band.size, band.size);
    if (before && isNear && (hasGaps || goesOn(before, band, text))) cells.at(-1)?.push(band);
    else cells.push([band]);
    before = { band, text };
  }
  return cells.map(bands => cellOf(column, bands, texts));
}

function cellOf(column: number, bands: readonly Band[], texts: Texts): Cell {
  const [first] = bands;
  return {
    column,
    ...spanOf(bands.map(heightOf)),
    size: first?.size ?? 0,
    text: bands.map(band => texts[column]?.get(band)?.text ?? '').reduce(joinTexts),
    bands,
  };
}

type Height = Pick<Cell, 'top' | 'bottom'>;

function spanOf(heights: readonly Height[]): Height {
  return {
    top: Math.max(...heights.map(({ top }) => top)),
    bottom: Math.min(...heights.map(({ bottom }) => bottom)),
  };
}

function heightOf({ y }: Band): Height {
  return { top: y, bottom: y };
}

function middleOf({ top, bottom }: Height): number {
  return (top + bottom) / 2;
}

function isSame(height: number, other: number, size: number): boolean {
  return Math.abs(height - other) <= SAME_MIDDLE * size;
}

function isBeside(one: Cell, { top, bottom, size }: Cell): boolean {
  return middleOf(one) <= top + SAME_MIDDLE * size && middleOf(one) >= bottom - SAME_MIDDLE * size;
}

/** Divides the lines of a cell among the rows beside it; only names of sections belong to none. */
function divideCell(cell: Cell, rows: readonly Cell[], isName: NameTest): (readonly Band[])[] {
  const { bands, column, size } = cell;
  if (rows.length === 0) return [bands];
  const ways: ((first: Band, last: Band, row: Cell) => boolean)[] = [
    (first, last, row) => isSame((first.y + last.y) / 2, middleOf(row), size),
    (first, _last, row) => isSame(first.y, row.top, size),
    (_first, last, row) => isSame(last.y, row.bottom, size),
  ];
  // A name may only stand in the middle of a cell whose place is sure.
  const hasName = (first: number, last: number) =>
    bands.slice(first, last + 1).some(band => isName(column, band));
  const found = ways.flatMap((fits, way) => {
    const groups = groupsAt(
      bands.map(heightOf),
      rows.map(middleOf),
      (first, last, of) =>
        (way === 0 || first === last || !hasName(first, last)) &&
        fits(bands[first] as Band, bands[last] as Band, rows[of] as Cell),
    );
    const isWhole = groups?.every(
      ({ of, first }) => of !== undefined || isName(column, bands[first] as Band),
    );
    return groups && isWhole ? [groups] : [];
  });
  const [best] = found.toSorted((a, b) => a.length - b.length);
  return best?.map(({ first, last }) => bands.slice(first, last + 1)) ?? [bands];
}

interface Group {
  readonly first: number;
  readonly last: number;
  /** The number of its anchor; none has a line between two rows. */
  readonly of?: number;
}

/** Divides lines into one group for each anchor, with as few lines between them as can be; undefined if none fits. */
function groupsAt(
  lines: readonly Height[],
  anchors: readonly number[],
  fits: (first: number, last: number, of: number) => boolean,
): Group[] | undefined {
  const isAbove = (line: number, anchor: number | undefined) =>
    anchor === undefined || middleOf(lines[line] as Height) > anchor;
  // The best groups by the number of lines that they take.
  let ways = new Map<number, Group[]>([[0, []]]);
  for (const of of anchors.keys()) {
    const next: typeof ways = new Map();
    for (const [taken, groups] of ways) {
      for (const first of [taken, taken + 1]) {
        const before = first > taken ? [{ first: taken, last: taken }] : [];
        for (let last = first; last < lines.length && isAbove(last, anchors[of + 1]); last += 1) {
          const count = groups.length + before.length + 1;
          if (fits(first, last, of) && count < (next.get(last + 1)?.length ?? Number.POSITIVE_INFINITY))
            next.set(last + 1, [...groups, ...before, { first, last, of }]);
        }
      }
    }
    ways = next;
  }
  const end = lines.length - 1;
  const short = ways.get(end);
  return ways.get(lines.length) ?? (short && [...short, { first: end, last: end }]);
}

function lineAbove(own: ReadonlyMap<Band, Text> | undefined, below: Band): string | undefined {
  let above: string | undefined;
  for (const [band, { text }] of own ?? []) {
    if (band === below) return above;
    above = text;
  }
  return undefined;
}

export type NameTest = (column: number, band: Band) => boolean;

/** Tells names of sections, such as months: alone in a line, in a font of their own or away from the edge of their column. */
export function nameTest({ bands }: Run, texts: Texts): NameTest {
  const fonts = new Map<string, number>();
  for (const band of bands) for (const [font, count] of band.fonts) add(fonts, font, count);
  const all = [...fonts.values()].reduce((sum, count) => sum + count, 0);
  const edges = texts.map(own => {
    const starts = new Map<number, number>();
    for (const { x } of own.values()) add(starts, Math.round(x), 1);
    const edge = mostOf(starts) ?? 0;
    return (starts.get(edge) ?? 0) * 2 >= own.size ? edge : undefined;
  });
  return (column, band) => {
    const text = texts[column]?.get(band);
    if (!text || texts.some((own, at) => at !== column && own.has(band))) return false;
    if (PERIOD.test(text.text)) return !OPEN.test(lineAbove(texts[column], band) ?? '');
    const edge = edges[column];
    if (edge !== undefined && column > 0)
      return Math.abs(text.x - edge) > OUTSIDE * band.size && /^[\p{Lu}\d]/u.test(text.text);
    return [...band.fonts.keys()].every(font => (fonts.get(font) ?? 0) < USUAL_SHARE * all);
  };
}
