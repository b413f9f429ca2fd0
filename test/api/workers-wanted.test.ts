import { expect } from 'chai';
import { countWorkersWanted } from '../../api/health/metrics.ts';

const timeoutMs = 60_000;
const load = { workers: 2, slots: 64, meanMs: 3_000 };

describe('the number of workers that a queue wants', () => {
  for (const [situation, progress, given, wanted] of [
    ['one where nothing waits or runs', { depth: 0, active: 0 }, load, 1],
    ['one where there is none yet', { depth: 50, active: 0 }, { ...load, workers: 0, slots: 0 }, 1],
    ['as many as are busy', { depth: 0, active: 64 }, load, 2],
    ['no more for turns that wait for their conversation', { depth: 0, active: 500 }, load, 2],
    ['more for what waits, by its duration', { depth: 320, active: 64 }, load, 4],
    ['no more than a slot for each that waits', { depth: 10, active: 64 }, { ...load, meanMs: 90_000 }, 3],
    [
      'a slot for each while the duration is unknown',
      { depth: 64, active: 64 },
      { ...load, meanMs: undefined },
      4,
    ],
  ] as const)
    it(`is ${situation}`, () => {
      expect(countWorkersWanted(progress, given, timeoutMs)).to.equal(wanted);
    });
});
