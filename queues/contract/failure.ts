/**
 * Every way in which this service refuses, with its status and what it says. A refusal is a value: it crosses
 * the queue, is kept for a retry and is printed in the API page from this one table.
 */
export const refusals = {
  'request-unreadable': [400, 'The request is not valid HTTP'],
  'body-not-json': [400, 'The body is not valid JSON'],
  'body-invalid': [400, 'Some fields are missing or wrong'],
  'mapping-not-agreed': [400, 'No mapping agreed'],
  unauthorized: [401, 'The access token is missing or invalid'],
  forbidden: [403, 'The access token does not allow this'],
  'host-forbidden': [403, 'The access token does not allow this host'],
  'tests-disabled': [403, 'The test endpoint is disabled'],
  'not-found': [404, 'There is nothing at this address'],
  'job-not-found': [404, 'Job not found'],
  'conversation-not-found': [404, 'Conversation not found'],
  'avatar-not-found': [404, 'Avatar not found'],
  'dataset-not-found': [404, 'Dataset not found'],
  'chunk-not-found': [404, 'Chunk not found'],
  'mcp-config-not-found': [404, 'MCP configuration not found'],
  'flow-not-found': [404, 'Flow not found'],
  'statistics-not-found': [404, 'The host has had no conversation yet'],
  'method-not-allowed': [405, 'This address does not take this method'],
  deadline: [408, 'The request exceeded its time limit'],
  'host-not-chosen': [409, 'The token spans several hosts: name one in choosenHostId'],
  'tests-running': [409, 'A test run is under way'],
  'sub-avatar-missing': [409, 'sub-avatar does not exist'],
  'sub-slug-taken': [409, 'Another avatar of the host has this sub_slug'],
  'flow-stale': [409, 'The flow was saved by somebody else meanwhile'],
  'reindex-running': [409, 'These records are being indexed anew already'],
  'body-too-large': [413, 'The body is larger than 1 MiB'],
  'body-not-supported': [415, 'The body must be sent as application/json'],
  'expectation-failed': [417, 'This expectation cannot be met'],
  'key-reused': [422, 'This Idempotency-Key was used with another body'],
  'too-many-requests': [429, 'Too many requests for this token'],
  'too-many-guesses': [429, 'Too many wrong secrets from this address'],
  'headers-too-large': [431, 'The headers are too large'],
  'test-runner-missing': [500, 'The test runner is missing in this installation'],
  internal: [500, 'Something went wrong on our side'],
  overloaded: [503, 'The service has more work than it can do in time'],
  unavailable: [503, 'A part of the service cannot be reached'],
  interrupted: [503, 'The work was interrupted before it ended'],
  'model-unavailable': [503, 'The language model gave no usable answer'],
} as const satisfies Record<string, readonly [number, string]>;

export type Refusal = keyof typeof refusals;

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface AvailableHost {
  readonly host_id: string;
  readonly host_slug: string;
  readonly host_name: string;
}

/** Troubleshooting details of an error answer: never an input value, a stack, SQL or another tenant's data. */
export interface FailureData {
  readonly requestId?: string;
  readonly hint?: string;
  readonly turnId?: string;
  readonly job_id?: string;
  readonly availableHosts?: readonly AvailableHost[];
  readonly fields?: readonly FieldError[];
}

export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: FailureData;
}

export interface Success<T> {
  readonly code: 200 | 201 | 202;
  readonly data: T;
}

export type Outcome<T> = Success<T> | Failure;

export function failure(reason: Refusal, data?: FailureData): Failure {
  const [code, message] = refusals[reason];
  return data ? { code, message, data } : { code, message };
}

export function isFailure<T>(outcome: Outcome<T>): outcome is Failure {
  return outcome.code >= 400;
}

/** Kept outcomes answer a repeated key; the others (our own trouble, lost time) free it for another try. */
export function isKept(code: number): boolean {
  return code < 500 && code !== 408 && code !== 429;
}
