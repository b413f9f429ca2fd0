const READ_AT_ONCE = 500;

/** Up to `most` items. A page that is shorter than its limit is not the last one: it also ends at a number of bytes. */
export async function readAll<T>(
  readPage: (limit: number, offset: number) => Promise<readonly T[]>,
  most: number,
): Promise<T[]> {
  const items: T[] = [];
  while (items.length < most) {
    const limit = Math.min(READ_AT_ONCE, most - items.length);
    const page = await readPage(limit, items.length);
    items.push(...page);
    if (page.length === 0) break;
  }
  return items;
}
