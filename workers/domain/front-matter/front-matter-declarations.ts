import { valueIn, valuesIn } from './front-matter-values.ts';
import { hasInvisible, INVISIBLE } from './visible-line.ts';

export type Declarations =
  | { readonly filter: ReadonlyMap<string, readonly string[]> }
  /** `at` is the index of the line among those given. */
  | { readonly at: number; readonly error: string };

interface Line {
  readonly at: number;
  readonly text: string;
}

interface Entry extends Line {
  readonly key: string;
  /** The lines of the list below the key. */
  readonly items: Line[];
}

const declaration = /^([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*:(.*)$/u;

/** The lines between the fences: `key: value`, or a key with a list of lines below it. */
export function declarationsIn(lines: readonly string[]): Declarations {
  const entries = entriesIn(lines);
  if (!Array.isArray(entries)) return entries;
  const filter = new Map<string, readonly string[]>();
  for (const entry of entries) {
    if (filter.has(entry.key)) return { at: entry.at, error: 'this key is declared twice' };
    const values = valuesOf(entry);
    if (!Array.isArray(values)) return values;
    filter.set(entry.key, values);
  }
  return { filter };
}

type DeclarationError = Extract<Declarations, { error: string }>;

function entriesIn(lines: readonly string[]): Entry[] | DeclarationError {
  const entries: Entry[] = [];
  for (const [at, raw] of lines.entries()) {
    if (hasInvisible(raw)) return { at, error: INVISIBLE };
    const line = raw.trim();
    if (line === '') continue;
    const last = entries.at(-1);
    if (/^-\s/.test(line) && last?.text === '') {
      last.items.push({ at, text: line.slice(1) });
      continue;
    }
    const [, key, text] = declaration.exec(line) ?? [];
    if (key === undefined || text === undefined) return { at, error: 'this is not in the form key: value' };
    entries.push({ key, at, text: text.trim(), items: [] });
  }
  return entries;
}

function valuesOf({ at, text, items }: Entry): string[] | DeclarationError {
  const all: string[] = [];
  for (const line of items.length > 0 ? items : [{ at, text }]) {
    const read = items.length > 0 ? valueIn(line.text) : valuesIn(line.text);
    if ('error' in read) return { at: line.at, error: read.error };
    if (read.values.length === 0) return { at: line.at, error: 'this key has no value' };
    all.push(...read.values);
  }
  return all;
}
