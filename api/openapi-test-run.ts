import type { Refusal } from '../queues/contract/failure.ts';
import type { Tag } from '../queues/contract/tags.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { listFailureRefs } from './openapi-failures.ts';
import { requestIdHeader } from './openapi-parameters.ts';
import { headersOf, listHeaderRefs } from './openapi-response-headers.ts';
import { toJsonContent } from './openapi-responses.ts';
import { testRunOptions, testRunResult } from './test-run-shapes.ts';

const tag: Tag = 'tests';
export const testRunReasons: readonly Refusal[] = [
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
];

/** Two ways to send the token; required if TEST_ENDPOINT_TOKEN is set. */
export const testTokenSchemes = {
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

/** Not an operation: it runs in the API process and belongs to no host. */
export function describeTestRunPath(): Json {
  const schema = jsonSchemaOf(testRunOptions);
  const properties = schema['properties'] as Record<string, Json>;
  const inQuery = Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    description,
    schema: rest,
    example: optionsExample[name as keyof typeof optionsExample] ?? false,
  }));
  const post = {
    operationId: 'runTests',
    summary: 'Run the tests of this project',
    description:
      'One run at a time, at most 10 minutes, on a separate database. Options are read from the query, or from the body if the query is empty.',
    tags: [tag],
    security: [{}, { testToken: [] }, { testTokenInQuery: [] }],
    parameters: [...inQuery, requestIdHeader],
    requestBody: { required: false, ...toJsonContent(schema, optionsExample) },
    responses: {
      200: {
        description: 'Result of the run, including failed tests',
        headers: listHeaderRefs(headersOf(200)),
        ...toJsonContent(jsonSchemaOf(testRunResult), resultExample),
      },
      ...listFailureRefs(testRunReasons),
    },
  };
  return { '/api/tests/run': { post } };
}

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
