import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { Ctx } from '../context.ts';

/** Whether the client expects errors in the form of OpenAI. */
export function isOpenAiRequest({ path }: Ctx): boolean {
  return path.startsWith('/v1/');
}

/** The error object of OpenAI; the first invalid field is its `param`, and the names of the avatars stand in its message. */
export function chatErrorOf({ code: status, message, data }: Failure) {
  const [field] = data?.fields ?? [];
  return {
    message: [
      message,
      ...(field ? [`${field.path} ${field.message}`] : []),
      ...(data?.hint ? [data.hint] : []),
    ].join(': '),
    type: typeOf(status),
    param: field?.path ?? null,
    code: codeOf(status, message),
  };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 || status === 408 ? 'server_error' : 'invalid_request_error';
}

function codeOf(status: number, message: string): string | null {
  if (status === 404) return message === unknownModel ? 'model_not_found' : 'not_found';
  return codes[status] ?? null;
}

const { message: unknownModel } = failure('avatar-not-found');
const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  408: 'timeout',
  429: 'rate_limit_exceeded',
};
