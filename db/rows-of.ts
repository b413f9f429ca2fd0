import { createHash } from 'node:crypto';
import pg from 'pg';
import { storableText } from '../platform/storable-text.ts';
import { HostTransaction, type Runner, runOnce } from './host-transaction.ts';

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
  /** The client's timeout, for a statement that may take longer than any other. */
  readonly answerWithinMs?: number;
  /** Nothing is done in the transaction after it; see `HostTransaction`. */
  readonly isLast?: boolean;
}

/**
 * Runs one statement: rowsOf<Row>(tx)`select … where id = ${id}`. Values are bound, never part of the SQL text, and
 * NUL, which PostgreSQL cannot store, is replaced.
 */
export function rowsOf<Row>(
  db: Runner,
  { isPlannedOnce = true, answerWithinMs, isLast = false }: Planning = {},
) {
  return async (texts: TemplateStringsArray, ...values: readonly (Value | Fragment)[]): Promise<Row[]> => {
    const bindings: unknown[] = [];
    const { text, name } = statementOf(new Fragment(texts, values), bindings);
    const query: pg.QueryConfig & { query_timeout?: number } = { text, values: bindings, types };
    if (isPlannedOnce) query.name = name;
    if (answerWithinMs !== undefined) query.query_timeout = answerWithinMs;
    const { rows } = await (db instanceof HostTransaction ? db.run(query, isLast) : runOnce(db, query));
    return rows;
  };
}

/** Runs a statement like `rowsOf`, and returns its first row, if it has one. */
export function rowOf<Row>(db: Runner, planning?: Planning) {
  const run = rowsOf<Row>(db, planning);
  return async (...statement: Parameters<typeof run>): Promise<Row | undefined> =>
    (await run(...statement))[0];
}

/** Runs a statement like `rowsOf`, and says whether it selected or changed any row. */
export function returnsRow(db: Runner) {
  const run = rowsOf(db);
  return async (...statement: Parameters<typeof run>): Promise<boolean> =>
    (await run(...statement)).length > 0;
}

interface Statement {
  /** As PostgreSQL reads it, with `$1`. */
  readonly text: string;
  /** A named statement is planned once a connection: with row-level security planning costs more than execution. */
  readonly name: string;
}

/**
 * A template, or what ends it, after those before it. The templates in their order tell the text of a statement, so each text is
 * joined and hashed once: there are as many as this folder has.
 */
interface Step {
  readonly next: WeakMap<readonly string[], Step>;
  statement?: Statement;
}

const start: Step = { next: new WeakMap() };
const VALUE: readonly string[] = [];
const END: readonly string[] = [];

function statementOf(fragment: Fragment, bindings: unknown[]): Statement {
  const step = walk(start, fragment, bindings);
  step.statement ??= write(fragment);
  return step.statement;
}

function walk(from: Step, { texts, values }: Fragment, bindings: unknown[]): Step {
  let step = stepTo(from, texts);
  for (const value of values) {
    if (value instanceof Fragment) step = stepTo(walk(step, value, bindings), END);
    else {
      bindings.push(storableOf(value ?? null));
      step = stepTo(step, VALUE);
    }
  }
  return step;
}

function stepTo(from: Step, texts: readonly string[]): Step {
  let step = from.next.get(texts);
  if (!step) from.next.set(texts, (step = { next: new WeakMap() }));
  return step;
}

function write(fragment: Fragment): Statement {
  let count = 0;
  const textOf = ({ texts, values }: Fragment): string =>
    texts.reduce((before, text, index) => {
      const value = values[index - 1];
      return `${before}${value instanceof Fragment ? textOf(value) : `$${++count}`}${text}`;
    });
  const text = textOf(fragment);
  return { text, name: createHash('sha1').update(text).digest('base64url') };
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

/** Writes JSON that PostgreSQL can store: NUL and lone surrogates, which jsonb rejects, become U+FFFD. */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  return suspect.test(json) ? json.replace(unstorable, '$1\\ufffd') : json;
}

const suspect = /\\u(?:0000|d)/;
// JSON.stringify escapes only lone surrogates. An even number of backslashes is literal text.
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)/g;

function storableOf(value: Value): unknown {
  if (typeof value === 'string') return storableText(value);
  return isList(value) ? value.map(storableText) : value;
}

function isList(value: Value): value is readonly string[] {
  return Array.isArray(value);
}
