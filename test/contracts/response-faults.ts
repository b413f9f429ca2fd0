import { openApiDocument } from '../../api/openapi/openapi.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { shapeErrors } from '../support/exact-shape.ts';
import type { Fields } from '../support/operation-calls.ts';
import type { ApiResponse } from '../support/service.ts';

/** How the document describes the refusals of a status: their names are an enum of what it adds to the shared schema. */
interface Refused {
  readonly content: Record<
    string,
    { schema: { allOf: { properties: { data: { properties: { reason: { enum: string[] } } } } }[] } }
  >;
}

const { paths, components } = openApiDocument('0', { hasTestRun: false }) as {
  paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>;
  components: { responses: Record<string, Refused> };
};

/** The names that the document has for the refusals of this call and status. */
function reasonsOf({ $ref = '' } = {}): readonly string[] {
  const { schema } = components.responses[$ref.split('/').at(-1) ?? '']?.content['application/json'] ?? {};
  return schema?.allOf[1]?.properties.data.properties.reason.enum ?? [];
}

const known = ['reason', 'requestId', 'hint', 'retryAfter', 'turnId', 'job_id', 'availableHosts', 'fields'];

/** The faults of an answer to any request: it must be a documented one in its complete envelope. */
export function responseFaults(name: OperationName, { status, headers, body }: ApiResponse): string[] {
  const { path, method, data: shape, responseForm } = operationOf(name);
  const template = path.replaceAll(/:(\w+)/g, '{$1}');
  const responses = paths[template]?.[method.toLowerCase()]?.responses ?? {};
  const documented = Object.keys(responses);
  // Beside the envelope, errors under /v1 have the form of OpenAI.
  const {
    error: _error,
    code,
    message,
    data,
    ...more
  } = typeof body === 'object' && body ? body : ({} as Fields);
  const isTold = (fault: string, isSo: boolean) => (isSo ? [fault] : []);
  const isBare = responseForm !== undefined && status < 400;
  const faults = [
    ...isTold(`status ${status}`, status >= 500 || status === 408 || status === 429),
    ...isTold(`status ${status} is not documented`, !documented.includes(String(status))),
    ...isTold(
      'no envelope',
      !isBare && (code !== status || typeof message !== 'string' || Object.keys(more).length > 0),
    ),
  ];
  if (faults.length > 0) return faults;
  if (status < 400) return status === 202 ? [] : shapeErrors(shape, isBare ? body : data);
  return [
    ...isTold(`reason ${data.reason}`, !reasonsOf(responses[status]).includes(data.reason)),
    ...isTold('another request id', data.requestId !== headers.get('x-request-id')),
    ...Object.keys(data).flatMap(field => isTold(`data.${field}`, !known.includes(field))),
    ...isTold('a 400 without a cause', message.startsWith('Some fields') && !data.fields?.length),
  ];
}
