import { openApiDocument } from '../../api/openapi/openapi.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { shapeErrors } from '../support/exact-shape.ts';
import type { Fields } from '../support/operation-calls.ts';
import type { ApiResponse } from '../support/service.ts';

const { paths } = openApiDocument('0', { hasTestRun: false }) as {
  paths: Record<string, Record<string, { responses: Fields }>>;
};
const known = ['requestId', 'hint', 'retryAfter', 'turnId', 'job_id', 'availableHosts', 'fields'];

/** The faults of an answer to any request: it must be a documented one in its complete envelope. */
export function responseFaults(name: OperationName, { status, headers, body }: ApiResponse): string[] {
  const { path, method, data: shape, responseForm } = operationOf(name);
  const template = path.replaceAll(/:(\w+)/g, '{$1}');
  const documented = Object.keys(paths[template]?.[method.toLowerCase()]?.responses ?? {});
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
    ...isTold('another request id', data.requestId !== headers.get('x-request-id')),
    ...Object.keys(data).flatMap(field => isTold(`data.${field}`, !known.includes(field))),
    ...isTold('a 400 without a cause', message.startsWith('Some fields') && !data.fields?.length),
  ];
}
