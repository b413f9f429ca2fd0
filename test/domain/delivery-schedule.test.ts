import { expect } from 'chai';
import { pauseBeforeNext, SCHEDULE_MS } from '../../workers/domain/delivery-schedule.ts';

const MINUTE = 60_000;

describe('the schedule of a delivery', () => {
  it('has ten attempts after the first, at growing pauses', () => {
    const pauses = Array.from({ length: 11 }, (_, failed) => pauseBeforeNext(failed + 1, 0));
    const minutes = [1 / 12, 1, 5, 30, 120, 300, 600, 840, 1_200, 1_440];
    expect(pauses).to.deep.equal([...minutes.map(each => each * MINUTE), null]);
  });

  it('adds at most a tenth, and is over before all deliveries are ended', () => {
    let sum = 0;
    for (let failed = 1; failed <= 10; failed += 1) {
      const [least, most] = [pauseBeforeNext(failed, 0) ?? 0, pauseBeforeNext(failed, 1) ?? 0];
      expect(most / least).to.be.closeTo(1.1, 0.001);
      sum += most;
    }
    expect(sum).to.be.below(SCHEDULE_MS);
  });
});
