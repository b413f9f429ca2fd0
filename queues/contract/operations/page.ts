import { field, integer, list, nullable, object, optional, type Shape, text } from '../shape.ts';

/*
 * Some lists are read in pages: `{…filters, limit?, cursor?}` gives `{items, nextCursor}`. A page begins after the last item of
 * the previous one, so it neither skips nor repeats items while others are written. `workers/bodies/page.ts` makes the cursors.
 */

const MAX_PAGE_ITEMS = 100;
export const ORDINARY_PAGE_ITEMS = 50;

/** A cursor of conversations names the transactions that were running at its first page. */
const MAX_CURSOR_LENGTH = 4_000;

export const pageFields = {
  limit: field(
    `Maximum number of items. When absent: ${ORDINARY_PAGE_ITEMS}.`,
    optional(integer({ min: 1, max: MAX_PAGE_ITEMS })),
  ),
  cursor: field(
    'Where the page begins: `nextCursor` of the page before. When absent: the first page.',
    optional(text({ max: MAX_CURSOR_LENGTH })),
  ),
};

export function pageOf<T>(item: Shape<T>) {
  return object({
    items: field('The items of this page.', list(item, { max: MAX_PAGE_ITEMS })),
    nextCursor: field(
      'The `cursor` of the next page; its form may change, so do not parse it. Null on the last page.',
      nullable(text({ max: MAX_CURSOR_LENGTH })),
    ),
  });
}
