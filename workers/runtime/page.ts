import type { PagedRow, PageOf, TimeKey } from '../../db/pages.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { ORDINARY_PAGE_ITEMS } from '../../queues/contract/operations/page.ts';
import { integer, object, type Shape, uuid } from '../../queues/contract/shape.ts';

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

export interface PagedList<Key, Row, Item> {
  readonly read: (order: PageOf<Key>) => Promise<Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly toItem: (row: Row) => Item;
  /** Whether a cursor is too old for this list. */
  readonly isExpired?: (key: Key) => Promise<boolean>;
  /** Whether the page has room for a row; the first one that has none begins the next page. */
  readonly fits?: (row: Row) => boolean;
}

/**
 * Reads one page of a list. `key` has the values by which the list is sorted, which together are unique; a cursor is the
 * key of the last item, so that no page depends on what was written since. A cursor grants nothing: each list reads
 * only what its caller may. A cursor that this list did not make is a 400.
 */
export async function readPage<Key extends object, Row, Item>(
  { limit = ORDINARY_PAGE_ITEMS, cursor }: { readonly limit?: number; readonly cursor?: string },
  key: Shape<Key>,
  { read, keyOf, toItem, isExpired, fits = () => true }: PagedList<Key, Row, Item>,
): Promise<Page<Item> | Failure> {
  const after = cursor === undefined ? undefined : decodeCursor(key, cursor);
  if (cursor !== undefined && after === undefined) return refuseCursor('is no cursor of this list');
  if (after && (await isExpired?.(after))) return refuseCursor('has expired: begin the list again');
  // One more than asked for tells whether there is another page.
  const rows = await read({ limit: limit + 1, after });
  const shown = rows.slice(0, limit).filter(fits);
  const last = shown.at(-1);
  const nextCursor = rows.length > shown.length && last !== undefined ? encodeCursor(keyOf(last)) : null;
  return { items: shown.map(toItem), nextCursor };
}

const timeKey = object({ at: integer({ min: 0 }), id: uuid() });

/** Reads one page of a list that is sorted by a time. The database may limit its pages in size, too. */
export function readTimePage<Row extends TimeKey & Partial<PagedRow>, Item>(
  body: { readonly limit?: number; readonly cursor?: string },
  read: (order: PageOf<TimeKey>) => Promise<Row[]>,
  toItem: (row: Row) => Item,
): Promise<Page<Item> | Failure> {
  return readPage(body, timeKey, {
    read,
    keyOf: ({ at, id }) => ({ at, id }),
    fits: ({ fits = true }) => fits,
    toItem,
  });
}

export function refuseCursor(message: string): Failure {
  return failure('body-invalid', { fields: [{ path: 'cursor', message }] });
}

export function encodeCursor(key: object): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** Undefined where it is no key of this shape, or not in the form that `encodeCursor` gives it. */
export function decodeCursor<Key extends object>(shape: Shape<Key>, cursor: string): Key | undefined {
  try {
    const { value, errors } = checkBody(shape, JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return errors.length === 0 && encodeCursor(value) === cursor ? value : undefined;
  } catch {
    return undefined;
  }
}
