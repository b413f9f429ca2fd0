const READ_AT_ONCE = 500;

/** Reads up to `most` items. A page shorter than its limit is not the last one: a page also ends at a number of bytes. */
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

interface Listed<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Reads the first pages of a list; says whether there are more. */
export async function readPages<T>(
  readPage: (of: { readonly cursor?: string }) => Promise<Listed<T>>,
  pages: number,
): Promise<{ readonly items: T[]; readonly hasMore: boolean }> {
  const items: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const found: Listed<T> = await readPage(cursor ? { cursor } : {});
    items.push(...found.items);
    cursor = found.nextCursor;
    if (!cursor) break;
  }
  return { items, hasMore: cursor !== null };
}
