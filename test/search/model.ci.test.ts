import { expect } from 'chai';
import * as fc from 'fast-check';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { indexDifferences, searchSteps } from './search-model.ts';

/* Some sequences; `npm run test:long` has more. */
const RUNS = Number(process.env['RUNS'] ?? 15);

describe('whatever happens to the search index', () => {
  const { db } = openOnce(makeDatabase);

  it('it is in the end what one would be that is built from nothing', async function () {
    this.timeout(150_000);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(searchSteps, async steps => {
        run += 1;
        expect(await indexDifferences(db, `model-${run}`, steps)).to.deep.equal([]);
      }),
      { numRuns: RUNS },
    );
  });
});
