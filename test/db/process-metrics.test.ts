import { expect } from 'chai';
import { readFreshMetrics, storeMetrics } from '../../db/process-metrics.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the figures of a process', () => {
  const { db } = openOnce(makeDatabase);

  it('count as long as two in a row may be late, and no longer: a killed process must not seem to run', async () => {
    for (const [name, seconds] of [
      ['late', 12],
      ['killed', 15],
    ] as const) {
      await storeMetrics(db, name, name);
      await db.raw(
        `update process_metrics set counted_at = now() - ? * interval '1 second' where process = ?`,
        [seconds, name],
      );
    }
    expect(await readFreshMetrics(db)).to.deep.equal(['late']);
  });
});
