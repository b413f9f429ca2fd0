import { fieldFailure } from '../../queues/contract/failure.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import { SIGNED_PATH } from '../../queues/contract/operations/sources.ts';
import {
  anyValue,
  eitherOneOrList,
  field,
  freeObject,
  integer,
  object,
  oneOf,
  responseList,
  text,
  uuid,
} from '../../queues/contract/shape.ts';
import type { Call } from '../call.ts';
import { type Json, jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { requestIdHeader, traceHeader } from '../openapi/openapi-parameters.ts';
import { toJsonBody, withForms } from '../openapi/openapi-responses.ts';
import { MAX_RECORDS } from './received-records.ts';

const receiveTicket = operationOf('receiveTicket');

const schemeIn = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** One scheme for each way of signing; a source uses one of them. */
const securitySchemes = {
  standardWebhook: schemeIn(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `webhook-id`.`webhook-timestamp`.body; several are separated by blanks.',
  ),
  hubspotSignature: schemeIn(
    'X-HubSpot-Signature-v3',
    'HubSpot v3: base64 HMAC-SHA256 of method, URL, body and `X-HubSpot-Request-Timestamp`.',
  ),
  hmacSignature: schemeIn(
    'X-Signature',
    'Any other source: HMAC of the body, or of a time and the body, in a header of its own choice.',
  ),
};

const stored = object({
  recordId: field('Id of the stored record, as in intakeRecordsListHelper.', uuid()),
  state: field('Always `received`: stored, to be mapped.', oneOf('received')),
});
const line = object({
  code: field('HTTP status of this record alone.', integer({ min: 200, max: 599 })),
  message: field('Description of its result; may change, so do not parse it.', text()),
  data: field('Result of this record as if it had been sent alone, or details of its refusal.', anyValue()),
});
const lines = { ...jsonSchemaOf(responseList(line)), description: 'A line for each record, in their order.' };
const body = eitherOneOrList(freeObject(), { max: MAX_RECORDS });

const { data: resultExample, body: recordExample } = receiveTicket.example;
const refusedExample = fieldFailure('external_id', 'required');
const storedExample = { recordId: '5f0c6a5c-5a52-4f0e-9d0c-2f0b3d2f6f11', state: 'received' };

const description = [
  'A source is made by saveSourceHelper, which returns its address; the source has the kind of its records and their mapping.',
  `The body is a record or a list of up to ${MAX_RECORDS} records. A list is answered by a line for each, and a refused record costs no other; if one could not be stored now, the whole list gets a 503: send it again.`,
  'The signature is over the body without its content coding. A request that was signed more than five minutes before or after its arrival, or whose records were stored already, is refused.',
  'A source with early acknowledgement gets a 202 when the record is stored; it is mapped after that.',
].join('\n\n');

function successOf(meaning: string, one: Json, example: unknown, list: readonly unknown[]): Json {
  return {
    description: meaning,
    content: {
      'application/json': {
        schema: { anyOf: [one, lines] },
        examples: { record: { value: example }, list: { value: list } },
      },
    },
  };
}

const addressParameter = {
  name: 'address',
  in: 'path',
  required: true,
  description: 'Last part of the URL that saveSourceHelper returned.',
  schema: { type: 'string' },
  example: '1f6c2e0a9d5b4c7f8e3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c',
};

const headerOf = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const signedHeaders = [
  headerOf('webhook-id', 'Standard Webhooks: id of the message, equal in each attempt to send it.'),
  headerOf('webhook-timestamp', 'Standard Webhooks: time of the attempt, in seconds since 1970.'),
  headerOf('X-HubSpot-Request-Timestamp', 'HubSpot: time of the request, in milliseconds since 1970.'),
];

/** A signature replaces the token, and each record of a list becomes a job. */
export const receiveSigned: Call = {
  name: 'receiveSigned',
  summary: 'Receive signed records of a source, without a token',
  description,
  tag: 'intake',
  method: 'POST',
  path: SIGNED_PATH,
  security: Object.keys(securitySchemes).map(name => ({ [name]: [] })),
  securitySchemes,
  parameters: [addressParameter, ...signedHeaders, requestIdHeader, traceHeader],
  requestBody: withForms(toJsonBody(jsonSchemaOf(body), recordExample, true)),
  answers: {
    200: successOf('Stored and mapped', jsonSchemaOf(receiveTicket.data), resultExample, [
      { code: 200, message: 'Success', data: resultExample },
      refusedExample,
    ]),
    202: successOf('Stored, to be mapped', jsonSchemaOf(stored), storedExample, [
      { code: 202, message: 'Accepted', data: storedExample },
    ]),
  },
  refusals: [
    'request-unreadable',
    'body-invalid',
    'body-not-json',
    'body-in-small-chunks',
    'mapping-not-agreed',
    'signature-invalid',
    'host-forbidden',
    'host-disabled',
    'method-not-allowed',
    'body-too-large',
    'body-not-supported',
    'expectation-failed',
    'too-many-guesses',
    'too-many-requests',
    'headers-too-large',
    'internal',
    'overloaded',
    'unavailable',
    'interrupted',
  ],
};
