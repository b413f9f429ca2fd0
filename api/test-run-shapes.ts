import { field, flag, integer, object, optional, type TypeOf, text } from '../queues/contract/shape.ts';

const pattern = (meaning: string) => field(meaning, optional(text({ min: 0, max: 200 })));

/** Options of a test run, in the query or the body. */
export const testRunOptions = object({
  watch: field('Must be false: watching files would never end. When absent: false.', optional(flag())),
  coverage: field('Whether to measure code coverage. When absent: false.', optional(flag())),
  testPathPattern: pattern('Regular expression for the paths of the test files to run. When absent: all.'),
  testNamePattern: pattern('Regular expression for the full names of the tests to run. When absent: all.'),
});
export type TestRunOptions = TypeOf<typeof testRunOptions>;

const count = (meaning: string) => field(meaning, integer({ min: 0 }));

export const testRunResult = object({
  success: field('Whether tests ran and none of them failed.', flag()),
  numTotalTests: count('Tests that matched the patterns.'),
  numPassedTests: count('Tests that passed.'),
  numFailedTests: count('Tests that failed.'),
  numPendingTests: count('Tests that were skipped.'),
  numTotalTestSuites: count('Test files that matched the patterns.'),
  numPassedTestSuites: count('Test files without failed tests.'),
  numFailedTestSuites: count('Test files with failed tests or that did not load.'),
  numRuntimeErrorTestSuites: count('Test files that did not load.'),
  startTime: count('Start of the run, in milliseconds since 1970.'),
  endTime: count('End of the run, in milliseconds since 1970.'),
  coverageMap: field('Coverage summary as JSON text; empty if not requested.', text({ min: 0 })),
});
