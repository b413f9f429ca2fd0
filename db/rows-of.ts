import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import pg from 'pg';
import { storableText } from '../platform/storable-text.ts';

type Scalar = string | number | boolean | null | Date | Buffer;
export type Value = Scalar | readonly string[];

export class Fragment {
  readonly texts: readonly string[];
  readonly values: readonly (Value | Fragment)[];

  constructor(texts: readonly string[], values: readonly (Value | Fragment)[]) {
    this.texts = texts;
    this.values = values;
  }
}

export function sql(texts: TemplateStringsArray, ...values: readonly (Value | Fragment)[]): Fragment {
  return new Fragment(texts, values);
}

interface Planning {
  /** False if the best plan depends on the values: a plan for any values would read far more. */
  readonly isPlannedOnce?: boolean;
}

/**
 * Runs one statement: rowsOf<Row>(tx)`select … where id = ${id}`. Values are bound, never part of the SQL text, and
 * NUL, which PostgreSQL cannot store, is replaced.
 */
export function rowsOf<Row>(db: Knex, { isPlannedOnce = true }: Planning = {}) {
  return async (texts: TemplateStringsArray, ...values: readonly (Value | Fragment)[]): Promise<Row[]> => {
    const bindings: Knex.RawBinding[] = [];
    const statement = textOf(sql(texts, ...values), bindings);
    const query = db.raw(statement, bindings);
    const { rows } = await (isPlannedOnce
      ? query.options({ name: nameOf(statement), types })
      : query.options({ types }));
    return rows;
  };
}

/** Reads a column `… at time zone 'UTC'` as the API returns it: as a text in ISO 8601, with milliseconds. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.TIMESTAMP ? readInstant : pg.types.getTypeParser(oid, format),
};

const parseTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

function readInstant(time: string): string {
  return parseTime(time.replace(/( BC)?$/, '+00$1')).toISOString();
}

/** Drops null fields: a field that is optional in the contract is then absent. */
export function withoutNulls<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row;
}

const names = new Map<string, string>();

/**
 * A named statement is planned once a connection: with row-level security planning costs more than execution. This folder has
 * as many names as templates.
 */
function nameOf(statement: string): string {
  const name = names.get(statement) ?? createHash('sha1').update(statement).digest('base64url');
  names.set(statement, name);
  return name;
}

/** Writes JSON that PostgreSQL can store: NUL and lone surrogates, which jsonb rejects, become U+FFFD. */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  return suspect.test(json) ? json.replace(unstorable, '$1\\ufffd') : json;
}

const suspect = /\\u(?:0000|d)/;
// JSON.stringify escapes only lone surrogates. An even number of backslashes is literal text.
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)/g;

function textOf({ texts, values }: Fragment, bindings: Knex.RawBinding[]): string {
  return texts.reduce((before, text, index) => {
    const value = values[index - 1];
    if (value instanceof Fragment) return before + textOf(value, bindings) + text;
    bindings.push(storableOf(value ?? null));
    return `${before}?${text}`;
  });
}

function storableOf(value: Value): Knex.RawBinding {
  if (typeof value === 'string') return storableText(value);
  return isList(value) ? value.map(storableText) : value;
}

function isList(value: Value): value is readonly string[] {
  return Array.isArray(value);
}
