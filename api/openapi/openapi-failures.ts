import { fieldError } from '../../platform/field-error.ts';
import { type FailureData, failure, type Refusal, refusals } from '../../queues/contract/failure.ts';
import { fieldErrorShape, longText } from '../../queues/contract/operations/fields.ts';
import {
  field,
  integer,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  responseList,
  text,
} from '../../queues/contract/shape.ts';
import { type Json, jsonSchemaOf } from './json-schema-of.ts';
import { headersOf, listHeaderRefs } from './openapi-response-headers.ts';

const failureRef = { $ref: '#/components/schemas/Failure' };

/** References to the shared responses of these refusals, by status. */
export function listFailureRefs(reasons: readonly Refusal[]): Json {
  const refs = groupsOf(reasons).map(([status, reasons]) => [
    status,
    { $ref: `#/components/responses/${nameOf(status, reasons)}` },
  ]);
  return Object.fromEntries(refs);
}

/** The shared responses: equal error responses of several operations are described once. */
export function describeFailures(lists: readonly (readonly Refusal[])[]): Json {
  const groups = lists.flatMap(groupsOf);
  return Object.fromEntries(
    groups.map(([status, reasons]) => [nameOf(status, reasons), failureOf(status, reasons)]),
  );
}

function groupsOf(reasons: readonly Refusal[]): [status: number, reasons: readonly Refusal[]][] {
  const statuses = [...new Set(reasons.map(reason => refusals[reason][0]))].toSorted((a, b) => a - b);
  return statuses.map(status => [status, reasons.filter(reason => refusals[reason][0] === status)]);
}

function nameOf(status: number, reasons: readonly Refusal[]): string {
  return [status, ...reasons].join('-');
}

export function failureOf(status: number, reasons: readonly Refusal[]): Json {
  const examples = Object.fromEntries(reasons.map(reason => [reason, { value: exampleOf(reason) }]));
  return {
    description: reasons.map(reason => refusals[reason][1]).join('; '),
    headers: listHeaderRefs(headersOf(status)),
    content: { 'application/json': { schema: refusedBy(reasons), examples } },
  };
}

/** The schema of error responses with one of these reasons. */
function refusedBy(reasons: readonly Refusal[]): Json {
  const reason = field('Name of the refusal: here one of these.', oneOf(...reasons));
  const data = field('Details, with the name of the refusal.', openObject({ reason }));
  return { allOf: [failureRef, jsonSchemaOf(openObject({ data }))] };
}

function exampleOf(reason: Refusal): Json {
  return { ...failure(reason, { requestId: '3d1f5a52-6a0e-4a9e-8a64-3c7a7f0e1f10', ...details[reason] }) };
}

const details: { readonly [reason in Refusal]?: FailureData } = {
  'cases-failing': { cases: [{ case: 'taxa do vestibular', failed: ['contains', 'unsupported'] }] },
  'body-invalid': { fields: [fieldError('hostId', 'format', 'must be a UUID')] },
  'host-not-chosen': {
    availableHosts: [
      {
        host_id: '70f74a41-c89d-4b5c-b77b-498fb3a4ec37',
        host_slug: 'demo',
        host_name: 'Universidade Horizonte',
      },
    ],
  },
  'person-limit': { retryAfter: 600 },
  'budget-exceeded': { budget: 'day', retryAfter: 43_200, turnId: 'kf462b110884f4885a8d573c607918cac' },
  'model-without-price': { hint: 'MODEL_PRICES has no price for "gpt-x"' },
  'avatar-not-found': { hint: 'the host has: principal, vestibular' },
  deadline: { turnId: 'kf462b110884f4885a8d573c607918cac' },
};

const availableHost = object({
  host_id: field('Id of the host, for choosenHostId.', text()),
  host_slug: field('Short name of the host.', text()),
  host_name: field('Display name of the host.', text()),
});
const failingCase = object({
  case: field('Name of the case, or its question.', longText),
  failed: field('Names of the checks that fail; `answer` if there is none.', responseList(text())),
});

/** The schema of all error responses. */
export const failureSchema = jsonSchemaOf(
  openObject({
    error: field(
      'The error in the form of OpenAI. Absent but for paths under /v1.',
      optional(
        object({
          message: field('Description of the error, with the first invalid field.', text({ min: 0 })),
          type: field('Kind of error, such as `invalid_request_error`.', text()),
          param: field('The first invalid field; null if no field is invalid.', nullable(text({ min: 0 }))),
          code: field(
            'Name of the refusal, as `data.reason`; null in a reply that an earlier version stored.',
            nullable(text()),
          ),
        }),
      ),
    ),
    code: field('HTTP status of the response.', integer({ min: 400, max: 599 })),
    message: field('Description of the error; may change, so do not parse it.', text()),
    data: field(
      'Details for troubleshooting.',
      openObject({
        reason: field(
          'Name of the refusal, which does not change. Each response of this document lists those that it can have.',
          oneOf(...(Object.keys(refusals) as Refusal[])),
        ),
        requestId: field('Id of the request, as in the header X-Request-Id.', text()),
        hint: field('Hint for fixing the error. Absent if there is none.', optional(text())),
        retryAfter: field(
          'Seconds until the next period of the budget, or until what waits may be less, as in the header Retry-After. Absent for other errors.',
          optional(integer({ min: 1 })),
        ),
        budget: field(
          'The period whose budget is used up. Absent for other errors.',
          optional(oneOf('day', 'month')),
        ),
        turnId: field('Id of the turn. Absent if there is none.', optional(text())),
        job_id: field(
          'Id of the job, such as the reindexing already in progress. Absent if there is none.',
          optional(text()),
        ),
        availableHosts: field(
          'Hosts of the token, if one must be chosen. Absent for other errors.',
          optional(responseList(availableHost)),
        ),
        fields: field(
          'Invalid fields, at most 20. Absent if no field is invalid.',
          optional(responseList(fieldErrorShape)),
        ),
        cases: field(
          'Evaluation cases that would fail. Absent for other errors.',
          optional(responseList(failingCase)),
        ),
      }),
    ),
  }),
);
