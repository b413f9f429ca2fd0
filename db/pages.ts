import type { Runner } from './host-transaction.ts';
import { type Fragment, rowsOf, sql } from './rows-of.ts';

/** A page of a list: its rows after the one with this key. */
export interface PageOf<Key> {
  readonly limit: number;
  /** Undefined: from the first row on. */
  readonly after: Key | undefined;
}

/** The place of a row in a list that is sorted by a time. */
export interface TimeKey {
  /** Microseconds since 1970, as exact as the database: by milliseconds, rows of one millisecond would be skipped. */
  readonly at: number;
  readonly id: string;
}

/** A row that does not fit begins the next page. */
export interface PagedRow {
  readonly fits: boolean;
}

/** The place of a row in a list by time, beside the item of the answer, and whether the row fits if the list limits sizes. */
export interface TimedRow {
  readonly at: number;
  readonly rowId: string;
  readonly fits?: boolean;
}

/** Limits one answer, which crosses the queue as one result and blocks the event loop when packed. One row may exceed it. */
const MAX_BYTES = 1_048_576;

/** Microseconds since 1970. */
export const microsecondsOf = (time: Fragment) =>
  sql`(extract(epoch from ${time}) * 1000000)::bigint::float8`;

/** The columns of a `TimedRow`. */
export const placeOf = (time: Fragment, id: Fragment) => sql`${microsecondsOf(time)} as at, ${id} as "rowId"`;

/** `and …`: the rows after the key, with the newest first. */
export const isAfter = (time: Fragment, id: Fragment, after: TimeKey | undefined) =>
  after
    ? sql`and (${time}, ${id}) < ('epoch'::timestamptz + ${after.at}::float8 * interval '1 microsecond', ${after.id}::uuid)`
    : sql``;

/** Returns the first of `rows` that fit into one answer, and the next one; see `PagedRow`. */
export async function readRowsThatFit<Row>(
  tx: Runner,
  rows: Fragment,
  order: Fragment,
): Promise<(Row & PagedRow)[]> {
  const found = await rowsOf<Row & Sizes>(tx)`
    with sized_row as materialized (
      select listed_row.*, octet_length(to_json(listed_row)::text) as bytes from (${rows}) listed_row
    )
    select * from (
      select sized_row.*, sum(bytes) over in_order - bytes as before, lag(bytes, 1, 0) over in_order as "bytesOfLast"
      from sized_row window in_order as (order by ${order})
    ) page
    where before - "bytesOfLast" < ${MAX_BYTES}
    order by ${order}`;
  return found.map(({ bytes: _bytes, bytesOfLast: _bytesOfLast, before, ...row }) => ({
    ...(row as Row),
    fits: Number(before) < MAX_BYTES,
  }));
}

interface Sizes {
  readonly bytes: number;
  /** The bytes of all rows before, in digits, because it is a bigint. */
  readonly before: string;
  /** The bytes of the row before. */
  readonly bytesOfLast: number;
}
