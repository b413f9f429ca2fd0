import {
  type Band,
  bandsOf,
  isOver,
  MAX_ROW_DISTANCE,
  runFrom,
  type Span,
  type Text,
  type Texts,
  textsOf,
} from './pdf-grid.ts';
import { add, isOneSentence, mostOf, type PdfLine, type PdfPiece } from './pdf-lines.ts';
import { type Cell, nameTest, rowsOf } from './pdf-rows.ts';

/*
 * Finds the tables of a page by their columns. A line with texts in only some columns continues its row. Columns of sentences
 * that continue below are no table: they are read one after the other.
 */

export interface PdfTable {
  /** The places of its columns, from left to right. */
  readonly columns: readonly Span[];
  readonly lines: ReadonlySet<PdfLine>;
  /** The first one is the header; every row has a cell for each column. */
  readonly rows: readonly (readonly string[])[];
  /** Lines of columns of prose, in the order of reading, instead of rows. */
  readonly prose?: readonly PdfLine[];
}

const MIN_ROWS = 3;
const MAX_HEADER_BANDS = 3;
const LIST_MARK =
  /^(?:[•·▪●○–—*-]|\(?(?:\p{L}|\d+|[ivxlc]+)[).]|\d+(?:\.\d+)+\.?|[ivxlc]+\s?[-–.)]|(?:art\.?|§+)\s?\d*[ºo.]*)$/iu;

export function tablesOf(lines: readonly PdfLine[]): PdfTable[] {
  const bands = bandsOf(lines);
  const tables: PdfTable[] = [];
  let free = 0;
  for (let at = 0; at < bands.length; at += 1) {
    if ((bands[at]?.pieces.length ?? 0) < 2) continue;
    const found = widest([at, at + 1, at + 2].flatMap(seed => tableAt(bands, seed, free) ?? []));
    if (!found) continue;
    tables.push(...found.tables);
    free = found.end;
    at = found.end - 1;
  }
  return tables;
}

interface Found {
  /** One for each section; its name is no part of it. */
  readonly tables: readonly PdfTable[];
  readonly end: number;
  readonly width: number;
}

/** Prefers the table with most columns: labels of groups stand over several columns, which only lines below separate. */
function widest(found: readonly Found[]): Found | undefined {
  return found.reduce<Found | undefined>(
    (best, one) => (best && best.width >= one.width ? best : one),
    undefined,
  );
}

function tableAt(bands: readonly Band[], seed: number, free: number): Found | undefined {
  const first = bands[seed];
  if (!first || first.pieces.length < 2) return undefined;
  const run = runFrom(bands, seed, free);
  if (run.bands.filter(({ pieces }) => pieces.length > 1).length < 2) return undefined;
  const { columns } = run;
  const width = columns.length;
  const texts = textsOf(run);
  const rows = rowsOf(run, texts);
  const from = rows.findIndex(row => row.length > 1);
  const full = rows.slice(from, rows.findLastIndex(row => row.length > 1) + 1);
  if (isProse(full, texts)) {
    const prose = proseOf(texts);
    const end = bands.indexOf(run.bands.at(-1) as Band) + 1;
    const tables = prose ? [{ columns, lines: linesOf(run.bands), rows: [], prose }] : [];
    return { tables, end, width };
  }
  if (full.filter(row => row.length > 1).length < Math.max(MIN_ROWS, full.length / 2)) return undefined;
  const used = new Set(full.flat().flatMap(cell => cell.bands));
  const end = bands.findLastIndex(band => used.has(band)) + 1;
  if (isList(full, width)) return { tables: [], end, width };
  const cells = full.map(row =>
    columns.map((_column, at) => row.find(cell => cell.column === at)?.text ?? ''),
  );
  const groups = groupsAbove(
    bands,
    run.bands.find(band => used.has(band)),
    columns,
    free,
  );
  const named = groups ? withGroups(cells, groups, columns) : withGroupRow(cells, full, columns, texts);
  const table = withoutHalves(named, columns);
  const isName = nameTest(run, texts);
  const sections = sectionsOf(full, table.rows, ([cell, ...others]) => {
    const [band, ...more] = cell?.bands ?? [];
    return others.length + more.length === 0 && !!cell && !!band && isName(cell.column, band);
  });
  const tables = sections.map(({ cells: own, rows: told }, at) => {
    const above = at === 0 ? (groups ?? []) : [];
    const lines = linesOf([...above, ...own.flat().flatMap(({ bands }) => bands)]);
    return { ...table, rows: told, lines, ...(told.length === 0 && { prose: [] }) };
  });
  return { tables, end, width };
}

interface Section {
  readonly cells: readonly (readonly Cell[])[];
  readonly rows: readonly (readonly string[])[];
}

/** Divides the rows at names of sections, such as months. A header above the first name is told with each section. */
function sectionsOf(
  cells: readonly (readonly Cell[])[],
  rows: readonly (readonly string[])[],
  isName: (row: readonly Cell[]) => boolean,
): Section[] {
  // Rows of a header that are one are fewer than those of its cells.
  const shift = rows.length - cells.length;
  const names = cells.flatMap((row, at) => (at + shift > 0 && isName(row) ? [at] : []));
  const [header = []] = rows;
  const hasHeader = names[0] === 1 - shift && header.every(cell => /^\D+$/.test(cell));
  return [-1, ...names].flatMap((name, at) => {
    const end = names[at] ?? cells.length;
    const own = cells.slice(name + 1, end);
    const told = rows.slice(Math.max(0, name + 1 + shift), end + shift);
    if (hasHeader && at === 0) return [{ cells: own, rows: [] }];
    if (told.length === 0) return [];
    return [{ cells: own, rows: hasHeader ? [header, ...told] : told }];
  });
}

function linesOf(bands: readonly Band[]): Set<PdfLine> {
  return new Set(bands.flatMap(band => band.lines));
}

/** Marks such as "a)", or "II" before a dash, and the text after them are no table. */
function isList(rows: readonly (readonly Cell[])[], width: number): boolean {
  if (width !== 2) return false;
  const isItem = ([mark, text]: readonly Cell[]) =>
    mark?.column === 0 &&
    (LIST_MARK.test(mark.text) || (mark.text.length < 8 && /^[-–]\s/.test(text?.text ?? '')));
  const named = rows.filter(row => row[0]?.column === 0);
  return named.filter(isItem).length * 5 >= named.length * 4;
}

/** Whether every column has sentences that continue below. Rows of such texts begin together, three times at least. */
function isProse(rows: readonly (readonly Cell[])[], texts: Texts): boolean {
  const isText = texts.every(own => {
    const lines = [...own.values()];
    const goOn = lines.slice(1).filter((next, at) => isOneSentence(lines[at]?.text ?? '', next.text));
    return lines.length > 2 && goOn.length * 2 >= lines.length - 1;
  });
  const isRow = (row: readonly Cell[]) =>
    row.length === texts.length && row.every(({ text }) => !/^\p{Ll}/u.test(text));
  return isText && !(rows.length >= MIN_ROWS && rows.every(isRow));
}

/** Returns the lines of the columns one after the other; undefined if they have no common left edge. */
function proseOf(texts: Texts): PdfLine[] | undefined {
  const isColumn = (own: ReadonlyMap<Band, Text>) => {
    const edges = new Map<number, number>();
    for (const { x } of own.values()) add(edges, Math.round(x), 1);
    return (edges.get(mostOf(edges) ?? 0) ?? 0) * 2 >= own.size;
  };
  if (!texts.every(isColumn)) return undefined;
  return texts.flatMap(own =>
    [...own].map(([{ y, size, fonts }, text]) => ({ pieces: [text], y, size, fonts })),
  );
}

type Grid = readonly (readonly string[])[];

/** Adds the names of groups to the table: to its header, and as rows between. */
function withGroups(
  [top = [], ...rows]: Grid,
  [labels, ...names]: readonly Band[],
  columns: readonly Span[],
): Grid {
  const header = columns.map((column, at) => {
    const above = names.flatMap(({ pieces }) => pieces.filter(piece => isOver(piece, column)));
    return [...above.map(({ text }) => text), top[at] ?? ''].filter(text => text !== '').join(' ');
  });
  const isGrouped = columns.map((_column, at) => top[at] !== '');
  return [joinGroups(labels?.pieces ?? [], header, columns, isGrouped), ...rows];
}

/** Does the same if the names of groups stand over one column each, as a row does. */
function withGroupRow(
  cells: Grid,
  [top = [], next = []]: readonly (readonly Cell[])[],
  columns: readonly Span[],
  texts: Texts,
): Grid {
  if (!isGroupRow(top, next, columns.length)) return cells;
  const labels = top.map(({ text, column, bands: [band] }) => {
    const { x = 0, end = 0 } = (band && texts[column]?.get(band)) ?? {};
    return { text, x, end };
  });
  const isGrouped = columns.map(() => true);
  return cells.toSpliced(0, 2, joinGroups(labels, cells[1] ?? [], columns, isGrouped));
}

/** Returns the bands above the header: labels over several columns, and names at a height between. */
function groupsAbove(
  bands: readonly Band[],
  header: Band | undefined,
  columns: readonly Span[],
  free: number,
): Band[] | undefined {
  const at = header ? bands.indexOf(header) : -1;
  const over = (band: Band) =>
    band.pieces.map(piece => columns.filter(column => isOver(piece, column)).length);
  for (let above = at - 1; above >= Math.max(free, at - MAX_HEADER_BANDS); above -= 1) {
    const [band, below] = [bands[above] as Band, bands[above + 1] as Band];
    if (band.y - below.y > MAX_ROW_DISTANCE * below.size) return undefined;
    const widths = over(band);
    const [first] = columns;
    const isTitle = band.pieces.length === 1 && first && isOver(band.pieces[0] as PdfPiece, first);
    if (!isTitle && widths.every(width => width > 0) && widths.some(width => width > 1))
      return bands.slice(above, at);
    if (widths.some(width => width !== 1)) return undefined;
  }
  return undefined;
}

/** Whether these are labels without the first column, fewer than the names below them. */
function isGroupRow(row: readonly Cell[], next: readonly Cell[], width: number): boolean {
  const isName = ({ text }: Cell) => !/^[\d\W]+$/u.test(text);
  return row[0]?.column !== 0 && row.length * 2 <= width && row.length < next.length && next.every(isName);
}

/**
 * Joins "Vagas" over "Ampla" to "Vagas · Ampla". A label belongs to the columns below it, and to the nearest ones; the first
 * column names rows.
 */
function joinGroups(
  labels: readonly PdfPiece[],
  header: readonly string[],
  columns: readonly Span[],
  isGrouped: readonly boolean[],
): string[] {
  const distanceTo = (label: Span, column: Span) => Math.max(label.x - column.end, column.x - label.end, 0);
  const nearest = <T extends Span>(spans: readonly T[], to: Span) =>
    spans.toSorted((a, b) => distanceTo(a, to) - distanceTo(b, to))[0];
  const own = header.map((text, at) => {
    const column = columns[at] as Span;
    const pitch = Math.abs(column.x - (columns[at + 1] ?? columns[at - 1] ?? column).x);
    const isInReach = (distance: number) =>
      distance === 0 || (at > 0 && isGrouped[at] && text !== '' && distance <= 1.5 * pitch);
    return nearest(
      labels.filter(label => isInReach(distanceTo(label, column))),
      column,
    );
  });
  // A label that is nearest to no column joins the label nearest to it.
  const others = labels.filter(label => !own.includes(label));
  return header.map((text, at) => {
    const added = others.filter(label => nearest(columns, label) === columns[at]);
    return [...added, own[at]]
      .map(label => label?.text ?? '')
      .concat(text)
      .filter(part => part !== '')
      .join(' · ');
  });
}

/** Joins a column whose header stands beside its values. */
function withoutHalves(rows: readonly (readonly string[])[], columns: readonly Span[]) {
  let [texts, spans] = [rows, columns];
  for (let at = 0; at + 1 < spans.length; ) {
    if (texts.some(row => row[at] !== '' && row[at + 1] !== '')) at += 1;
    else {
      texts = texts.map(row => row.toSpliced(at, 2, `${row[at]}${row[at + 1]}`));
      spans = spans.toSpliced(at, 2, { x: spans[at]?.x ?? 0, end: spans[at + 1]?.end ?? 0 });
    }
  }
  return { rows: texts, columns: spans };
}
