import { bodyParser } from '@koa/bodyparser';
import type { Middleware } from 'koa';
import { failure, type Refusal } from '../queues/failure.ts';
import type { Step } from './context.ts';
import { Refused } from './envelope.ts';

const DEEPEST = 32;
const LARGEST = '1mb';

/** The parsed JSON body in `ctx.request.body`; {} where none was sent. */
export function readBody(): Step {
  const parse = bodyParser({
    enableTypes: ['json'],
    jsonLimit: LARGEST,
    jsonStrict: false,
    encoding: 'utf8',
    onError,
  });
  return async (ctx, next) => {
    if (ctx.is('application/json', '+json') === false) throw new Refused(failure('body-not-supported'));
    await (parse as unknown as Middleware)(ctx, () => Promise.resolve());
    const { rawBody } = ctx.request as { rawBody?: string };
    if (rawBody !== undefined && isTooDeep(rawBody)) {
      throw new Refused(
        failure('body-invalid', { fields: [{ path: '', message: `is nested over ${DEEPEST} levels` }] }),
      );
    }
    return next();
  };
}

/** The parser says what was wrong by a status; a broken gzip stream comes without one. */
function onError(error: Error & { status?: number }): never {
  const reasons: Record<number, Refusal> = { 413: 'body-too-large', 415: 'body-not-supported' };
  throw new Refused(failure(reasons[error.status ?? 400] ?? 'body-not-json'));
}

/** Counts brackets outside strings: what walks a body later does so recursively. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
  return false;
}
