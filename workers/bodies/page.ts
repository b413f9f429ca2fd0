import type { PageOf, TimedRow, TimeKey } from '../../db/pages.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import { ORDINARY_PAGE_ITEMS } from '../../queues/contract/operations/page.ts';
import { integer, object, type Shape, uuid } from '../../queues/contract/shape.ts';

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

/** Identifies the list of a cursor. */
export interface ListIdentity {
  readonly operation: OperationName;
  /** Undefined for a list of all hosts of the caller. */
  readonly hostId?: string;
  /** The row whose parts are listed, such as the conversation of messages. */
  readonly ofId?: string;
}

export interface PageRequest extends ListIdentity {
  readonly body: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
}

export interface PagedList<Key, Row, Item> {
  readonly read: (order: PageOf<Key>) => Promise<Row[]>;
  readonly keyOf: (row: Row) => Key;
  readonly toItem: (row: Row) => Item;
  /** Whether a cursor is too old for this list. */
  readonly isExpired?: (key: Key) => Promise<boolean>;
  /** Whether the page has room for a row; the first row without room begins the next page. */
  readonly fits?: (row: Row) => boolean;
}

/**
 * Reads one page of a list. `key` has the values by which the list is sorted, which together are unique; a cursor is the last
 * item's key, so that no page depends on later writes. A cursor grants nothing: each list reads only what its caller may. A
 * cursor of another list is a 400, because it would skip items of this one.
 */
export async function readPage<Key extends object, Row, Item>(
  request: PageRequest,
  key: Shape<Key>,
  { read, keyOf, toItem, isExpired, fits = () => true }: PagedList<Key, Row, Item>,
): Promise<Outcome<Page<Item>>> {
  const { limit = ORDINARY_PAGE_ITEMS, cursor } = request.body;
  const after = cursor === undefined ? undefined : decodeCursor(request, key, cursor);
  if (cursor !== undefined && after === undefined) return fieldFailure('cursor', 'cursor');
  if (after && (await isExpired?.(after))) return fieldFailure('cursor', 'expired');
  // One extra row tells whether there is another page.
  const rows = await read({ limit: limit + 1, after });
  const shown = rows.slice(0, limit).filter(fits);
  const last = shown.at(-1);
  const nextCursor =
    rows.length > shown.length && last !== undefined ? encodeCursor(request, keyOf(last)) : null;
  return { code: 200, data: { items: shown.map(toItem), nextCursor } };
}

const timeKey = object({ at: integer({ min: 0 }), id: uuid() });

/** Reads one page of a list that is sorted by a time. The database may also limit the size of its pages. */
export function readTimePage<Item>(
  request: PageRequest,
  read: (order: PageOf<TimeKey>) => Promise<(Item & TimedRow)[]>,
): Promise<Outcome<Page<Item>>> {
  return readPage<TimeKey, Item & TimedRow, Item>(request, timeKey, {
    read,
    keyOf: ({ at, rowId }) => ({ at, id: rowId }),
    fits: ({ fits = true }) => fits,
    toItem: ({ at: _at, rowId: _rowId, fits: _fits, ...item }) => item as unknown as Item,
  });
}

export function encodeCursor({ operation, hostId, ofId }: ListIdentity, key: object): string {
  return Buffer.from(JSON.stringify({ operation, hostId, ofId: ofId?.toLowerCase(), key })).toString(
    'base64url',
  );
}

/** Returns undefined for a text that is no key of this shape, or that `encodeCursor` would not make for this list. */
export function decodeCursor<Key extends object>(
  list: ListIdentity,
  shape: Shape<Key>,
  cursor: string,
): Key | undefined {
  try {
    const { key } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { readonly key?: unknown };
    const { value, errors } = checkBody(shape, key);
    return errors.length === 0 && encodeCursor(list, value) === cursor ? value : undefined;
  } catch {
    return undefined;
  }
}
