import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { indexDifferences, searchSteps } from '../test/search/search-model.ts';
import { makeDatabase, stopTestServer } from '../test/support/database.ts';

/*
 * The model test of the search index, without a time limit: after each random sequence of changes, lost and
 * duplicated events and repairs, the index is compared with a newly built one. A difference makes it exit with 1.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const database = await makeDatabase();
const startedAt = performance.now();
let run = 0;
const property = fc.asyncProperty(searchSteps, async steps => {
  run += 1;
  if (run % 1_000 === 0) console.log(`  ${run}`);
  return (await indexDifferences(database.db, `model-${run}`, steps)).length === 0;
});
const checked = await fc.check(property, { numRuns: Number(values.count), seed: Number(values.seed) });
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
console.log(
  `${run} sequences in ${seconds} s, seed ${values.seed}: ${checked.failed ? 'they differ' : 'all agree'}`,
);
if (checked.failed) console.log(JSON.stringify(checked.counterexample));
await database.drop();
await stopTestServer();
process.exit(checked.failed ? 1 : 0);
