import { checkBody } from '../../queues/contract/check-body.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { ORDINARY_PAGE_ITEMS } from '../../queues/contract/operations/page.ts';
import type { Shape } from '../../queues/contract/shape.ts';

/** Which page of a list to read. */
export interface PageOrder<Key> {
  readonly limit: number;
  /** The key of the last item of the page before; undefined for the first page. */
  readonly after: Key | undefined;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

export interface PagedList<Key, Row, Item> {
  readonly read: (order: PageOrder<Key>) => Promise<Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly toItem: (row: Row) => Item;
  /** Whether a cursor is too old for this list. */
  readonly isExpired?: (key: Key) => Promise<boolean>;
  /** Of a row in a response; a page ends before it exceeds `MAX_PAGE_SIZE`, but has at least one item. */
  readonly sizeOf?: (row: Row) => number;
}

/** Characters: a page crosses the queue as one result. */
export const MAX_PAGE_SIZE = 2_000_000;

/**
 * Reads one page of a list. `key` has the values by which the list is sorted, which together are unique; a cursor is the
 * key of the last item, so that no page depends on what was written since. A cursor grants nothing: each list reads
 * only what its caller may. A cursor that this list did not make is a 400.
 */
export async function readPage<Key extends object, Row, Item>(
  { limit = ORDINARY_PAGE_ITEMS, cursor }: { readonly limit?: number; readonly cursor?: string },
  key: Shape<Key>,
  { read, keyOf, toItem, isExpired, sizeOf }: PagedList<Key, Row, Item>,
): Promise<Page<Item> | Failure> {
  const after = cursor === undefined ? undefined : decodeCursor(key, cursor);
  if (cursor !== undefined && after === undefined) return refuseCursor('is no cursor of this list');
  if (after && (await isExpired?.(after))) return refuseCursor('has expired: begin the list again');
  // One more than asked for tells whether there is another page.
  const rows = await read({ limit: limit + 1, after });
  const page = fitPage(rows.slice(0, limit), sizeOf);
  const last = page.at(-1);
  const nextCursor = rows.length > page.length && last !== undefined ? encodeCursor(keyOf(last)) : null;
  return { items: page.map(toItem), nextCursor };
}

function fitPage<Row>(rows: Row[], sizeOf: (row: Row) => number = () => 0): Row[] {
  let left = MAX_PAGE_SIZE;
  const end = rows.findIndex((row, at) => (left -= sizeOf(row)) < 0 && at > 0);
  return end < 0 ? rows : rows.slice(0, end);
}

function refuseCursor(message: string): Failure {
  return failure('body-invalid', { fields: [{ path: 'cursor', message }] });
}

export function encodeCursor(key: object): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** Undefined where it is no key of this shape, or not in the form that `encodeCursor` gives it. */
function decodeCursor<Key extends object>(shape: Shape<Key>, cursor: string): Key | undefined {
  try {
    const { value, errors } = checkBody(shape, JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return errors.length === 0 && encodeCursor(value) === cursor ? value : undefined;
  } catch {
    return undefined;
  }
}
