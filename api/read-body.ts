import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import parse from 'co-body';
import { type Failure, failure, type Refusal } from '../queues/contract/failure.ts';
import { LARGEST_BODY } from '../queues/contract/operation.ts';
import type { Ctx, Step } from './context.ts';
import { RefusalError } from './envelope.ts';
import { quoteLargeIntegers } from './exact-integers.ts';
import { findBoundProblem } from './json-bounds.ts';
import { makeLargeLane } from './large-lane.ts';
import type { TimeLimit } from './time-limit.ts';

/** Of a body that is longer others have their turn between reading and checking it. */
const LARGE_BODY = 65_536;
/** As JSON writes it, the only way into a text for NUL and for half of a surrogate pair. */
const escapedUnstorable = /\\u(?:0000|[dD][89a-fA-F])/;

/** One of each for the whole process: it has one event loop. */
const lane = makeLargeLane();
const readingLane = makeLargeLane(1);
/** How long a large body is read alone. One that comes in slowly costs the event loop little, and holds up nobody. */
const READ_ALONE_MS = 50;

const options = { limit: LARGEST_BODY, encoding: 'utf8' } as const;

interface BodyOptions extends TimeLimit {
  /** Whether a whole number that JavaScript cannot hold is read as the text of its digits. */
  readonly hasExactIntegers?: boolean | undefined;
}

/** The parsed JSON body in `ctx.state.body`; {} where none was sent. */
export function readBody({ withinMs, late, hasExactIntegers = false }: BodyOptions): Step {
  return async (ctx, next) => {
    // Some clients send an empty body's length, and then no type, where there is none to send.
    const type = ctx.request.length === 0 ? null : ctx.is('application/json', '+json');
    if (type === false) throw new RefusalError(failure('body-not-supported'));
    if (type !== null) {
      const { value, raw } = await limitBodyTime(ctx, parseBody(ctx, hasExactIntegers), withinMs, late);
      ctx.state.body = value;
      ctx.state.isStorable = !escapedUnstorable.test(raw);
      await yieldEventLoop(raw);
    }
    return next();
  };
}

/** A body that drips in is part of the time that a request may take. */
async function limitBodyTime<T>(ctx: Ctx, reading: Promise<T>, withinMs: number, late: Refusal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // What may still come over this connection is still this body.
      ctx.set('Connection', 'close');
      reject(new RefusalError(failure(late)));
    }, withinMs);
  });
  return Promise.race([reading, tooLate]).finally(() => clearTimeout(timer));
}

interface ParsedBody {
  readonly value: unknown;
  readonly raw: string;
}

async function parseBody(ctx: Ctx, hasExactIntegers: boolean): Promise<ParsedBody> {
  const { req: request, res: response } = ctx;
  const isGone = () => response.writableEnded || request.socket.destroyed;
  const key = ctx.state.token?.id ?? '';
  let reading: Promise<string> | undefined;
  const read = () => (reading ??= textOf(request));
  if (Number(request.headers['content-length'] ?? 0) > LARGE_BODY)
    await readingLane.run(key, () => Promise.race([read(), delay(READ_ALONE_MS)]), isGone);
  const raw = await read();
  const work = () => valueOf(raw, hasExactIntegers);
  if (raw.length <= LARGE_BODY) return { value: await work(), raw };
  return { value: await lane.run(key, work, isGone), raw };
}

async function textOf(request: Ctx['req']): Promise<string> {
  try {
    return await parse.text(request, options);
  } catch (error) {
    // What was not read of the body would stand in the way of the connection's next request.
    request.unpipe();
    request.resume();
    throw new RefusalError(refusalOf(error as { status?: number }));
  }
}

async function valueOf(raw: string, hasExactIntegers: boolean): Promise<unknown> {
  const problem = findBoundProblem(raw);
  if (problem !== undefined) throw new RefusalError(fieldFailure('', problem));
  if (raw === '') return {};
  const value = fromJson(raw);
  const exact = hasExactIntegers ? quoteLargeIntegers(raw) : undefined;
  if (exact === undefined) return value;
  await yieldEventLoop(raw);
  return fromJson(exact);
}

/** A body of some length is not read and checked in one go. */
async function yieldEventLoop(raw: string): Promise<void> {
  if (raw.length > LARGE_BODY) await setImmediate();
}

/** A name like __proto__ is a name like any other here: nobody copies what was sent key by key. */
function fromJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new RefusalError(failure('body-not-json'));
  }
}

/** The reader says what was wrong by a status; a broken gzip stream comes without one. */
function refusalOf(error: { status?: number }): Failure {
  const reasons: Record<number, Refusal> = { 413: 'body-too-large', 415: 'body-not-supported' };
  return failure(reasons[error.status ?? 400] ?? 'body-not-json');
}

function fieldFailure(path: string, message: string): Failure {
  return failure('body-invalid', { fields: [{ path, message }] });
}
