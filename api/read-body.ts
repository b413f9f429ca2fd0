import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import parse from 'co-body';
import { type Failure, failure, type Refusal } from '../queues/failure.ts';
import { LARGEST_BODY } from '../queues/operation.ts';
import type { Ctx, Step } from './context.ts';
import { Refused } from './envelope.ts';
import { withExactIntegers } from './exact-integers.ts';
import type { TimeLimit } from './time-limit.ts';

const DEEPEST = 32;
/** A body of this length is not read and checked in one go: others have their turn in between. */
const LONG = 65_536;
/** As JSON writes it, the only way into a text for NUL and for half of a surrogate pair. */
const awkward = /\\u(?:0000|[dD][89a-fA-F])/;

const options = {
  limit: LARGEST_BODY,
  strict: false,
  encoding: 'utf8',
  returnRawBody: true,
  // A name like __proto__ is a name like any other here: nobody copies what was sent key by key.
  onProtoPoisoning: 'ignore',
} as const;

interface BodyOptions extends TimeLimit {
  /** Whether a whole number that JavaScript cannot hold is read as the text of its digits. */
  readonly hasExactIntegers?: boolean | undefined;
}

/** The parsed JSON body in `ctx.state.body`; {} where none was sent. */
export function readBody({ withinMs, late, hasExactIntegers = false }: BodyOptions): Step {
  return async (ctx, next) => {
    // Some clients send an empty body's length, and then no type, where there is none to send.
    const type = ctx.request.length === 0 ? null : ctx.is('application/json', '+json');
    if (type === false) throw new Refused(failure('body-not-supported'));
    if (type !== null) {
      const { value, raw } = await inTime(ctx, parsed(ctx.req, hasExactIntegers), withinMs, late);
      ctx.state.body = value;
      ctx.state.isStorable = !awkward.test(raw);
      if (raw.length > LONG) await setImmediate();
    }
    return next();
  };
}

/** A body that drips in is part of the time that a request may take. */
async function inTime<T>(ctx: Ctx, reading: Promise<T>, withinMs: number, late: Refusal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // What may still come over this connection is still this body.
      ctx.set('Connection', 'close');
      reject(new Refused(failure(late)));
    }, withinMs);
  });
  return Promise.race([reading, tooLate]).finally(() => clearTimeout(timer));
}

interface ParsedBody {
  readonly value: unknown;
  readonly raw: string;
}

async function parsed(request: IncomingMessage, hasExactIntegers: boolean): Promise<ParsedBody> {
  const read = (await parse.json(request, options).catch(error => {
    // What was not read of the body would stand in the way of the connection's next request.
    request.unpipe();
    request.resume();
    throw new Refused(refusalOf(error));
  })) as { parsed: unknown; raw: string };
  if (isTooDeep(read.raw)) throw new Refused(fieldFailure('', `is nested over ${DEEPEST} levels`));
  if (read.raw.trim() === '') return { value: {}, raw: read.raw };
  const exact = hasExactIntegers ? withExactIntegers(read.raw) : undefined;
  return { value: exact === undefined ? read.parsed : JSON.parse(exact), raw: read.raw };
}

/** The parser says what was wrong by a status; a broken gzip stream comes without one. */
function refusalOf(error: { status?: number }): Failure {
  const reasons: Record<number, Refusal> = { 413: 'body-too-large', 415: 'body-not-supported' };
  return failure(reasons[error.status ?? 400] ?? 'body-not-json');
}

function fieldFailure(path: string, message: string): Failure {
  return failure('body-invalid', { fields: [{ path, message }] });
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
