import fc from 'fast-check';

/*
 * Documents of any kind of part, whose words are each there once: a word that is lost is seen. A document has only the numbers of
 * its words; who writes it in a format makes them, and so knows which are said.
 */

export interface Run {
  readonly style: 'plain' | 'bold' | 'link' | 'struck';
  readonly words: number;
}

/** A part that the format lacks is plain text there. */
export type Part =
  | { readonly kind: 'heading'; readonly level: number; readonly runs: readonly Run[] }
  | { readonly kind: 'text' | 'quote' | 'box' | 'lines' | 'panel'; readonly runs: readonly Run[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      readonly items: readonly {
        readonly runs: readonly Run[];
        readonly inner: readonly (readonly Run[])[];
      }[];
    }
  | Table;

export interface Table {
  readonly kind: 'table';
  readonly caption: number;
  readonly headRows: number;
  /** Of each row the cells that begin in it. */
  readonly rows: readonly (readonly Cell[])[];
  readonly columns: number;
}

export interface Cell {
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly runs: readonly Run[];
}

const wordsOf = (max: number) => fc.integer({ min: 1, max });
const run = (max: number): fc.Arbitrary<Run> =>
  fc.record({
    style: fc.constantFrom('plain', 'plain', 'plain', 'bold', 'link', 'struck'),
    words: wordsOf(max),
  });
const runs = (max: number, count = 3) => fc.array(run(max), { minLength: 1, maxLength: count });

const table: fc.Arbitrary<Table> = fc
  .record({
    caption: fc.integer({ min: 0, max: 2 }),
    headRows: fc.integer({ min: 0, max: 2 }),
    size: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 2, max: 4 })),
    cells: fc.infiniteStream(
      fc.record({
        spans: fc.constantFrom([1, 1], [1, 1], [1, 1], [1, 1], [2, 1], [1, 2], [2, 2]),
        runs: fc.oneof({ weight: 5, arbitrary: runs(3, 2) }, { weight: 1, arbitrary: fc.constant([]) }),
      }),
    ),
  })
  .map(({ caption, headRows, size: [height, columns], cells }) => {
    const isTaken = new Set<string>();
    const rows = Array.from({ length: height }, (_, row) =>
      Array.from({ length: columns }).flatMap((__, column): Cell[] => {
        if (isTaken.has(`${row} ${column}`)) return [];
        const { spans, runs: own } = cells.next().value as { spans: number[]; runs: Run[] };
        const rowSpan = Math.min(spans[0] ?? 1, height - row);
        const isFree = column + 1 < columns && !isTaken.has(`${row} ${column + 1}`);
        const columnSpan = isFree ? (spans[1] ?? 1) : 1;
        for (let down = 0; down < rowSpan; down += 1)
          for (let right = 0; right < columnSpan; right += 1) isTaken.add(`${row + down} ${column + right}`);
        return [{ column, rowSpan, columnSpan, runs: own }];
      }),
    );
    return { kind: 'table', caption, headRows, rows, columns };
  });

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant('heading' as const), level: fc.integer({ min: 1, max: 6 }), runs: runs(6) }),
  fc.record({
    kind: fc.constantFrom(
      'text' as const,
      'text' as const,
      'quote' as const,
      'box' as const,
      'lines' as const,
      'panel' as const,
    ),
    runs: runs(40, 5),
  }),
  fc.record({
    kind: fc.constant('list' as const),
    isOrdered: fc.boolean(),
    items: fc.array(fc.record({ runs: runs(8), inner: fc.array(runs(4), { maxLength: 2 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  table,
);

export const anyDocument = fc.array(part, { minLength: 1, maxLength: 8 });
export const anyTable = table;

/** Words that are there once: letters, with a figure or a date among them. */
export function makeWords() {
  const [said, struck]: [string[], string[]] = [[], []];
  let count = 0;
  const next = (): string => {
    count += 1;
    if (count % 11 === 0) return String(10_000 + count);
    let [word, rest] = ['', count + 20];
    for (; rest > 0; rest = Math.floor(rest / 20))
      word += `${'bcdfglmnpr'[rest % 10]}${rest % 20 < 10 ? 'a' : 'é'}`;
    return count % 13 === 0 ? word[0]?.toUpperCase() + word.slice(1) : word;
  };
  const say = (words: number, into: string[] = said): string => {
    const made = Array.from({ length: words }, next);
    into.push(...made);
    return made.join(' ');
  };
  return {
    said,
    struck,
    say,
    /** The text of a run, and the address of a link. */
    run: ({ style, words }: Run) => {
      const text = say(words, style === 'struck' ? struck : said);
      if (style !== 'link') return { text, address: '' };
      // With an accent, it would be written otherwise.
      const name = next().replaceAll('é', 'e');
      said.push(name);
      return { text, address: `https://a.br/${name}` };
    },
  };
}
export type Words = ReturnType<typeof makeWords>;
