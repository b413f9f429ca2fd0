import { type FieldError, fieldError } from '../../platform/field-error.ts';
import { MAX_BODY_SIZE, MAX_DOCUMENT_SIZE } from './body-limit.ts';

/**
 * Every error response of this service by its name, the refusal: HTTP status and message. A failure is a plain value, so
 * that it can be sent through the queue, stored for a retry and listed in the API document.
 */
export const refusals = {
  'request-unreadable': [400, 'The request is not valid HTTP'],
  'body-in-small-chunks': [400, 'The body is sent in chunks that are too small'],
  'body-not-json': [400, 'The body is not valid JSON'],
  'body-invalid': [400, 'Some fields are missing or invalid'],
  'mapping-not-agreed': [400, 'No mapping agreed'],
  unauthorized: [401, 'The access token is missing or invalid'],
  'visitor-invalid': [401, 'The visitor is unknown, of another site, or has expired: open the chat again'],
  'signature-invalid': [401, 'The signature is missing, invalid or not from the last five minutes'],
  'header-missing': [403, 'A write with a session of the console needs the header X-Parley-Console'],
  forbidden: [403, 'The access token lacks the required scope'],
  'operators-only': [403, 'Only a token of operators may do this'],
  'host-forbidden': [403, 'The access token does not allow this host'],
  'host-disabled': [403, 'The host is disabled'],
  'origin-not-allowed': [403, 'The chat is not for pages of this origin'],
  'tests-disabled': [403, 'The test endpoint is disabled'],
  'not-found': [404, 'Not found'],
  'job-not-found': [404, 'Job not found'],
  'conversation-not-found': [404, 'Conversation not found'],
  'contact-not-found': [404, 'Contact not found'],
  'avatar-not-found': [404, 'Avatar not found'],
  'dataset-not-found': [404, 'Dataset not found'],
  'document-not-found': [404, 'Document not found'],
  'chunk-not-found': [404, 'Chunk not found'],
  'contradiction-not-found': [404, 'Contradiction not found'],
  'mcp-config-not-found': [404, 'MCP configuration not found'],
  'rest-tool-not-found': [404, 'REST tool not found'],
  'site-chat-not-found': [404, 'Chat not found'],
  'provider-not-found': [404, 'Provider not found'],
  'source-not-found': [404, 'Source not found'],
  'webhook-not-found': [404, 'Webhook not found'],
  'delivery-not-found': [404, 'Delivery not found'],
  'flow-not-found': [404, 'Flow not found'],
  'flow-version-not-found': [404, 'Flow version not found'],
  'person-not-found': [404, 'Person not found'],
  'answer-not-found': [404, 'Answer not found'],
  'approved-answer-not-found': [404, 'Approved answer not found'],
  'team-not-found': [404, 'Team not found'],
  'token-not-found': [404, 'Token not found'],
  'reply-not-found': [404, 'Prepared reply not found'],
  'agent-not-found': [404, 'Agent not found'],
  'schema-not-found': [404, 'Schema not found'],
  'link-not-found': [404, 'The dataset is not linked to the avatar'],
  'record-not-found': [404, 'Record not found'],
  'file-not-found': [404, 'File not found'],
  'statistics-not-found': [404, 'The host has no conversations yet'],
  'method-not-allowed': [405, 'Method not allowed'],
  deadline: [408, 'The request exceeded its time limit'],
  'host-full': [409, 'The host has reached its limit for such objects'],
  'host-not-chosen': [409, 'The token covers several hosts: choose one in choosenHostId'],
  'tests-running': [409, 'A test run is already in progress'],
  'sub-avatar-missing': [409, 'sub-avatar does not exist'],
  'last-avatar': [409, 'The last avatar of a host cannot be deleted'],
  'sub-slug-taken': [409, 'This sub_slug is already taken by another avatar of the host'],
  'slug-taken': [409, 'This slug is already taken by another host'],
  'flow-stale': [409, 'The flow was changed after expectedUpdatedAt'],
  'cases-failing': [409, 'Stored evaluation cases would fail with this change'],
  'change-overtaken': [409, 'The configuration was changed while the cases were rehearsed: save again'],
  'email-taken': [409, 'Another person of the host has this email'],
  'person-disabled': [409, 'The person is disabled'],
  'last-admin': [409, 'The last admin of a host cannot be disabled or get another role'],
  'webhook-disabled': [409, 'The webhook is disabled'],
  'files-full': [409, 'The files of the host have reached its quota'],
  'window-closed': [409, 'The channel takes no free text any more: the person wrote too long ago'],
  'reindex-running': [409, 'A reindexing of these records is already in progress'],
  'address-expired': [410, 'The address of the file has expired'],
  'body-too-large': [413, `The body is larger than ${MAX_BODY_SIZE}`],
  'document-too-large': [413, `The document is larger than ${MAX_DOCUMENT_SIZE}`],
  'body-not-supported': [
    415,
    'The Content-Type must be application/json (of CRM records also a form, or text/plain) in UTF-8, ISO-8859-1 or Windows-1252, and a Content-Encoding gzip',
  ],
  'expectation-failed': [417, 'The Expect header is not supported'],
  'key-reused': [422, 'This Idempotency-Key was used with another body'],
  'too-many-requests': [429, 'Too many requests for this token'],
  'visitor-limit': [429, 'The visitor has asked too many questions this hour'],
  'address-limit': [429, 'Too many questions came from this address this hour'],
  'chat-limit': [429, 'The chat has got too many questions today'],
  'budget-exceeded': [429, 'budget exceeded'],
  'person-limit': [429, 'This person has asked too much within an hour'],
  'documents-waiting': [429, 'Too many documents of the host wait to be imported'],
  'attachments-waiting': [429, 'Too much is attached to waiting turns of the host'],
  'too-many-streams': [429, 'Too many pages of the console are open for the host'],
  'too-many-guesses': [429, 'Too many failed authentication attempts from this address'],
  'headers-too-large': [431, 'The headers are too large'],
  'test-runner-missing': [500, 'The test runner is not installed'],
  internal: [500, 'Internal server error'],
  overloaded: [503, 'The service is overloaded'],
  unavailable: [503, 'The queue store or the database is unavailable'],
  'files-unavailable': [503, 'The store of files is unavailable'],
  interrupted: [503, 'The request was interrupted before it completed'],
  'model-unavailable': [503, 'The language model returned no usable answer'],
  'model-without-price': [503, 'The language model has no price, which the budget of the host requires'],
  'transcription-unavailable': [503, 'The recording could not be transcribed'],
} as const satisfies Record<string, readonly [number, string]>;

export type Refusal = keyof typeof refusals;

export interface AvailableHost {
  readonly host_id: string;
  readonly host_slug: string;
  readonly host_name: string;
}

/** Details for troubleshooting. Must never hold an input value, a stack trace, SQL or another tenant's data. */
export interface FailureData {
  /** Clients go by it. Absent in the stored replies of an earlier version. */
  readonly reason?: Refusal;
  readonly requestId?: string;
  readonly hint?: string;
  /** Seconds, also in the header `Retry-After`. */
  readonly retryAfter?: number;
  /** The period whose budget is spent. */
  readonly budget?: 'day' | 'month';
  readonly turnId?: string;
  readonly job_id?: string;
  readonly availableHosts?: readonly AvailableHost[];
  readonly fields?: readonly FieldError[];
  /** The names of the cases, with the checks that fail. */
  readonly cases?: readonly { readonly case: string; readonly failed: readonly string[] }[];
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
  return { code, message, data: { ...data, reason } };
}

export function fieldFailure(...wrong: Parameters<typeof fieldError>): Failure {
  return failure('body-invalid', { fields: [fieldError(...wrong)] });
}

/** The hint for a job that waited while its host was disabled. A 403 would be stored for the key of the request. */
export const HOST_DISABLED = 'The host was disabled meanwhile';

/** The hint where what is asked needs room, and the disk of the database has none: what needs none is answered. */
export const DISK_FULL = 'The disk of the database is full';

/** Tells a failure from any other value, in outcomes and results of functions. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && typeof value.code === 'number' && value.code >= 400;
}

/** Whether a retry with the same Idempotency-Key gets this outcome again. After a server error, a timeout or a rate limit, a retry runs the job again. */
export function isFinal(code: number): boolean {
  return code < 500 && code !== 408 && code !== 429;
}
