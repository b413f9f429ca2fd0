import { expect } from 'chai';
import { retryAfterMsOf } from '../../workers/domain/time/retry-after.ts';

const now = Date.parse('2026-10-21T07:28:00Z');
const read = (headers: Record<string, string>) => retryAfterMsOf(new Headers(headers), now);

describe('how long a provider asks to be left alone', () => {
  it('is read from seconds, from milliseconds, and from a date', () => {
    expect([read({ 'retry-after': '2' }), read({ 'retry-after': ' 0.5 ' })]).to.deep.equal([2_000, 500]);
    expect(read({ 'retry-after': '9', 'retry-after-ms': '120' })).to.equal(120);
    expect(read({ 'retry-after': 'Wed, 21 Oct 2026 07:28:03 GMT' })).to.equal(3_000);
  });

  it('is measured by the clock that the provider tells, however wrong ours is', () => {
    const date = 'Wed, 21 Oct 2026 09:00:00 GMT';
    expect(read({ date, 'retry-after': 'Wed, 21 Oct 2026 09:00:04 GMT' })).to.equal(4_000);
  });

  it('is nothing for a date that has passed', () => {
    expect(read({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })).to.equal(0);
  });

  it('is unknown where it is not told, or cannot be read', () => {
    expect(read({})).to.equal(undefined);
    for (const told of ['', 'soon', '-3', '1e9', '5 apples', 'NaN', 'Infinity', 'Wed, GMT', '9'.repeat(400)])
      expect(read({ 'retry-after': told }), told).to.equal(undefined);
  });
});
