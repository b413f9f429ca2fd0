import { expect } from 'chai';
import { makeTokenBucket } from '../../platform/token-bucket.ts';

describe('a limit of so much at once, and so much a second', () => {
  it('counts what has happened although there was no room for it', () => {
    let ms = 0;
    const bucket = makeTokenBucket(10, 1, () => ms);
    expect([bucket.take(4), bucket.take(7)]).to.deep.equal([true, false]);
    bucket.add(9);
    ms = 4_000;
    expect(bucket.take(2)).to.equal(false);
    ms = 5_000;
    expect(bucket.take(2)).to.equal(true);
    bucket.add(-100);
    expect([bucket.take(10), bucket.take(1)]).to.deep.equal([true, false]);
  });
});
