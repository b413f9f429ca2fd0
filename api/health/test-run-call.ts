import { field, flag, integer, object, optional, type TypeOf, text } from '../../queues/contract/shape.ts';
import type { Call } from '../call.ts';
import { type Json, jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { requestIdHeader } from '../openapi/openapi-parameters.ts';
import { toJsonContent } from '../openapi/openapi-responses.ts';

const pattern = (meaning: string) => field(meaning, optional(text({ min: 0, max: 200 })));

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

/** Two ways to send the token; required if TEST_ENDPOINT_TOKEN is set. */
const securitySchemes = {
  testToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-test-token',
    description: 'Value of TEST_ENDPOINT_TOKEN, if set; the header takes precedence over the query.',
  },
  testTokenInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Value of TEST_ENDPOINT_TOKEN, if set.',
  },
};

const optionsExample = { testPathPattern: 'domain/', testNamePattern: 'pix', coverage: false };
const resultExample = {
  success: true,
  numTotalTests: 12,
  numPassedTests: 12,
  numFailedTests: 0,
  numPendingTests: 0,
  numTotalTestSuites: 2,
  numPassedTestSuites: 2,
  numFailedTestSuites: 0,
  numRuntimeErrorTestSuites: 0,
  startTime: 1_772_452_800_000,
  endTime: 1_772_452_801_250,
  coverageMap: '',
};

const schema = jsonSchemaOf(testRunOptions);
const inQuery = Object.entries(schema['properties'] as Record<string, Json>).map(
  ([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    description,
    schema: rest,
    example: optionsExample[name as keyof typeof optionsExample] ?? false,
  }),
);

/** It runs in the API process, and no host owns it. */
export const runTests: Call = {
  name: 'runTests',
  summary: 'Run the tests of this project',
  description:
    'One run at a time, at most 10 minutes, on a separate database. Options are read from the query, or from the body if the query is empty.',
  tag: 'tests',
  method: 'POST',
  path: '/api/tests/run',
  security: [{}, { testToken: [] }, { testTokenInQuery: [] }],
  securitySchemes,
  parameters: [...inQuery, requestIdHeader],
  requestBody: { required: false, ...toJsonContent(schema, optionsExample) },
  answers: {
    200: {
      description: 'Result of the run, including failed tests',
      ...toJsonContent(jsonSchemaOf(testRunResult), resultExample),
    },
  },
  refusals: [
    'request-unreadable',
    'body-invalid',
    'body-not-json',
    'unauthorized',
    'tests-disabled',
    'method-not-allowed',
    'deadline',
    'tests-running',
    'body-in-small-chunks',
    'body-too-large',
    'body-not-supported',
    'expectation-failed',
    'too-many-guesses',
    'headers-too-large',
    'internal',
    'test-runner-missing',
  ],
};
