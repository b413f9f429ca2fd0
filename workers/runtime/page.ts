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

/**
 * Reads one page of a list. `key` has the values by which the list is sorted, which together are unique; a cursor is the
 * key of the last item, so that no page depends on what was written since. A cursor grants nothing: each list reads
 * only what its caller may. A cursor that this list did not make is a 400.
 */
export async function readPage<Key extends object, Row, Item>(
  { limit = ORDINARY_PAGE_ITEMS, cursor }: { readonly limit?: number; readonly cursor?: string },
  key: Shape<Key>,
  {
    read,
    keyOf,
    toItem,
  }: {
    readonly read: (order: PageOrder<Key>) => Promise<Row[]>;
    readonly keyOf: (row: Row) => Key;
    readonly toItem: (row: Row) => Item;
  },
): Promise<Page<Item> | Failure> {
  const after = cursor === undefined ? undefined : decodeCursor(key, cursor);
  if (cursor !== undefined && after === undefined)
    return failure('body-invalid', { fields: [{ path: 'cursor', message: 'is no cursor of this list' }] });
  // One more than asked for tells whether there is another page.
  const rows = await read({ limit: limit + 1, after });
  const last = rows[limit - 1];
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null;
  return { items: rows.slice(0, limit).map(toItem), nextCursor };
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
