import { Readable } from 'node:stream';
import { type FieldError, limitFieldErrors } from '../../platform/field-error.ts';
import { lengthOfPieces, RawJson } from '../../platform/raw-json.ts';
import {
  type Failure,
  type FailureData,
  failure,
  isFailure,
  type Outcome,
} from '../../queues/contract/failure.ts';
import type { Operation } from '../../queues/contract/operation.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';

export const messages = { 200: 'Success', 201: 'Created', 202: 'Accepted' } as const;
type SuccessCode = keyof typeof messages;
/** Seconds within which the jobs of a crashed worker are recovered. */
export const RETRY_AFTER = '5';
const MAX_FIELD_TEXT_LENGTH = 300;

/** Ends a request with an error response. The middlewares throw it; handlers return failures as values. */
export class RefusalError extends Error {
  readonly failure: Failure;

  constructor(cause: Failure) {
    super(cause.message);
    this.failure = cause;
  }
}

/** `form`: some operations send a success without the envelope. */
export function sendOutcome(ctx: Ctx, outcome: Outcome<unknown>, form?: Operation['responseForm']): void {
  ctx.status = outcome.code;
  if (form === 'health') {
    const health = isFailure(outcome) ? noWorkerHealth : (outcome.data as { readonly status: string });
    ctx.status = health.status === 'down' ? 503 : 200;
    if (ctx.status === 503) ctx.set('Retry-After', RETRY_AFTER);
    ctx.body = health;
  } else if (isFailure(outcome)) {
    if ((outcome.code === 503 || outcome.code === 429) && !ctx.response.get('Retry-After')) {
      ctx.set('Retry-After', String(outcome.data?.retryAfter ?? RETRY_AFTER));
    }
    ctx.body = errorOf(ctx, outcome);
  } else if (outcome.data instanceof RawJson) {
    const { data, code } = outcome;
    const pieces = form === 'bare' ? data.pieces : wrapPieces(code, data.pieces);
    ctx.type = 'json';
    ctx.state.held?.change(data.length);
    // A pipe adds a listener to the ones of the guards, and Node would report so many as a leak.
    ctx.res.setMaxListeners(20);
    ctx.body = Readable.from(pieces);
    ctx.length = lengthOfPieces(pieces);
  } else {
    ctx.body = form === 'bare' ? outcome.data : envelopeOf(outcome.code, outcome.data);
  }
}

/** The body of an error response; it also has an `error` of OpenAI's form if the client expects one. */
export function errorOf(ctx: Ctx, refused: Failure) {
  const { code, message } = refused;
  const data = { ...refused.data, ...shortenFields(refused.data) };
  const error = isOpenAiRequest(ctx) ? { error: chatErrorOf({ code, message, data }) } : {};
  return { ...error, code, message, data: { requestId: ctx.state.requestId, ...data } };
}

export function envelopeOf(code: SuccessCode, data: unknown) {
  return { code, message: messages[code], data };
}

function wrapPieces(code: SuccessCode, data: readonly Buffer[]): Buffer[] {
  const around = JSON.stringify(envelopeOf(code, null)).slice(0, -'null}'.length);
  return [Buffer.from(around), ...data, Buffer.from('}')];
}

/** Shortens field names: they can come from the caller, and be as long as a body. */
function shortenFields({ fields }: FailureData = {}): FailureData {
  if (!fields) return {};
  const shorten = (error: FieldError) => ({
    ...error,
    path: shortenText(error.path),
    message: shortenText(error.message),
  });
  return { fields: limitFieldErrors(fields).map(shorten) };
}

function shortenText(text: string): string {
  return text.length > MAX_FIELD_TEXT_LENGTH
    ? `${text.slice(0, MAX_FIELD_TEXT_LENGTH).toWellFormed()}…`
    : text;
}

/** Health response if no worker replies. */
const noWorkerHealth = { status: 'down', checks: { queue: 'down' } };

/** Clients of OpenAI know many more addresses. */
function hintOf(ctx: Ctx): FailureData {
  return isOpenAiRequest(ctx)
    ? { hint: 'Parley has /v1/chat/completions, /v1/responses and /v1/models' }
    : {};
}

/** Clients of OpenAI may erase one answer; here a dialogue has no holes. */
function erasureHintOf({ method, path }: Ctx): FailureData {
  const isErasure = method === 'DELETE' && path.startsWith('/v1/responses/');
  return isErasure ? { hint: 'an answer is erased with its conversation, by npm run erase' } : {};
}

/** Turns failures, exceptions, 404 and 405 into error responses. Clients learn only the request id of a bug. */
export function makeErrorSender(onBug: (error: unknown, requestId: string) => void): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined) sendOutcome(ctx, failure('not-found', hintOf(ctx)));
      else if (ctx.status === 405 || ctx.status === 501)
        sendOutcome(ctx, failure('method-not-allowed', erasureHintOf(ctx)));
    } catch (error) {
      const expected = error instanceof RefusalError ? error.failure : undefined;
      if (!expected) onBug(error, ctx.state.requestId);
      sendOutcome(ctx, expected ?? failure('internal'));
    }
  };
}

/** Whether the client expects errors in the form of OpenAI. */
function isOpenAiRequest({ path }: Ctx): boolean {
  return path.startsWith('/v1/');
}

/** The error object of OpenAI; the first invalid field is its `param`, and the names of the avatars stand in its message. */
function chatErrorOf({ code: status, message, data }: Failure) {
  const [field] = data?.fields ?? [];
  return {
    message: [
      message,
      ...(field ? [`${field.path} ${field.message}`] : []),
      ...(data?.hint ? [data.hint] : []),
    ].join(': '),
    type: typeOf(status),
    param: field?.path ?? null,
    code: data?.reason ?? null,
  };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 || status === 408 ? 'server_error' : 'invalid_request_error';
}
