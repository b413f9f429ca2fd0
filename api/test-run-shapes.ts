import { field, flag, integer, object, optional, type TypeOf, text } from '../queues/contract/shape.ts';

const pattern = (meaning: string) => field(meaning, optional(text({ min: 0, max: 200 })));

/** What a run of the tests may be asked for, in the query or in the body. */
export const testRunOptions = object({
  watch: field(
    'Only false is taken: a run that watches files would never answer. When absent: false.',
    optional(flag()),
  ),
  coverage: field('Whether to measure which lines the tests reach. When absent: false.', optional(flag())),
  testPathPattern: pattern('Regular expression for the paths of the test files to run. When absent: all.'),
  testNamePattern: pattern('Regular expression for the full names of the tests to run. When absent: all.'),
});
export type TestRunOptions = TypeOf<typeof testRunOptions>;

const count = (meaning: string) => field(meaning, integer({ min: 0 }));

export const testRunResult = object({
  success: field('Whether tests ran and none of them failed.', flag()),
  numTotalTests: count('Tests that were chosen.'),
  numPassedTests: count('Tests that passed.'),
  numFailedTests: count('Tests that failed.'),
  numPendingTests: count('Tests that were skipped.'),
  numTotalTestSuites: count('Test files that were chosen.'),
  numPassedTestSuites: count('Test files in which nothing failed.'),
  numFailedTestSuites: count('Test files in which a test failed, or that did not load.'),
  numRuntimeErrorTestSuites: count('Test files that did not load.'),
  startTime: count('When the run began, in milliseconds since 1970.'),
  endTime: count('When the run ended, in milliseconds since 1970.'),
  coverageMap: field(
    'The summary of the coverage as JSON text; empty where none was asked for.',
    text({ min: 0 }),
  ),
});
