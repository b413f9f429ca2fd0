import { expect } from 'chai';
import { readAll, readPages } from '../../console/read-all.ts';

describe('a list that the console reads whole', () => {
  const items = Array.from({ length: 1_234 }, (_, at) => at);
  /** Its pages end early, as where they would be too large. */
  const readPage = async (limit: number, offset: number) =>
    items.slice(offset, offset + Math.min(limit, 1 + (offset % 90)));

  it('ends at an empty page only, and where as many are read as are wanted', async () => {
    expect(await readAll(readPage, Number.POSITIVE_INFINITY)).to.deep.equal(items);
    expect(await readAll(readPage, 51)).to.deep.equal(items.slice(0, 51));
  });
});

describe('the first pages of a list', () => {
  it('are read one behind the other, and say whether there are more', async () => {
    const pages = { '': ['a', 'b'], '2': ['c', 'b'] };
    const readPage = async ({ cursor = '' }: { readonly cursor?: string }) =>
      cursor === '3'
        ? { items: ['d'], nextCursor: null }
        : { items: pages[cursor as ''], nextCursor: cursor === '' ? '2' : '3' };
    expect(await readPages(readPage, 2)).to.deep.equal({ items: ['a', 'b', 'c', 'b'], hasMore: true });
    expect(await readPages(readPage, 9)).to.deep.equal({ items: ['a', 'b', 'c', 'b', 'd'], hasMore: false });
  });
});
