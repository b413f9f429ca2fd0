import { expect } from 'chai';
import { readAll } from '../../console/read-all.ts';

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
