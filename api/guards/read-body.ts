import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import parse from 'co-body';
import { Gate } from '../../platform/gate.ts';
import { makeTokenBucket } from '../../platform/token-bucket.ts';
import { MAX_BODY_BYTES, MAX_DOCUMENT_BODY_BYTES } from '../../queues/contract/body-limit.ts';
import { type Failure, failure, type Refusal } from '../../queues/contract/failure.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { type BytePlaces, takeDocuments } from '../documents/take-documents.ts';
import { RefusalError } from '../replies/envelope.ts';
import { charsetOf, decodeBody } from './body-charset.ts';
import { parseForm } from './form-body.ts';
import { findBoundsError, quoteLargeIntegers } from './json-bounds.ts';
import { hasLeft } from './open-requests.ts';
import type { TimeLimit } from './time-limit.ts';
import { refuseField } from './validate.ts';

/** Characters; larger bodies are processed in steps so that other requests can run in between. */
const LARGE_BODY = 65_536;
/** JSON escapes of NUL and of surrogates, which PostgreSQL rejects if unpaired. */
const escapedUnstorable = /\\u(?:0000|[dD][89a-fA-F])/;

/** Parsing is about a seventh of the CPU time that a body costs over all processes; the pause leaves as much to others. */
const PAUSE_FOR_EACH_BODY = 12;

/** Shared by the whole process, because it has one event loop. */
const largeBodies = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: PAUSE_FOR_EACH_BODY });
/**
 * A body that may have documents leaves as much time to others as it takes. A turn spends ten times as long on its recording as
 * this process: 200 recordings of one host took both cores until they were done, so the next body of its token waits.
 */
const bodiesWithDocuments = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 1, forKey: 6 });
const readingLane = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 1 });
/** Time limit for reading a large body exclusively. A slow upload costs little CPU time and must not delay others. */
const READ_ALONE_MS = 50;

/** A body must come at least this fast, unless it is complete earlier: 64 KiB in ten seconds. */
const SLOW_BYTES = 65_536;
const SLOW_WITHIN_MS = 10_000;

interface BodyOptions extends TimeLimit {
  readonly slowWithinMs?: number;
  /** Whether integers beyond 2^53 are read as strings. */
  readonly hasExactIntegers?: boolean | undefined;
  /** Whether the body may also be a form, or JSON that is not declared as such. */
  readonly takesForms?: boolean | undefined;
  /** Undefined if the body has no documents. */
  readonly bytePlaces?: BytePlaces | undefined;
}

/** Sets `ctx.state.body` to the parsed body; {} if it is empty. */
export function makeBodyReader({
  timeLimitMs,
  timeoutRefusal,
  slowWithinMs = SLOW_WITHIN_MS,
  hasExactIntegers = false,
  takesForms = false,
  bytePlaces,
}: BodyOptions): ApiMiddleware {
  return async (ctx, next) => {
    if (hasBody(ctx, takesForms)) {
      charsetOf(ctx);
      const reading = { hasExactIntegers, takesForms, bytePlaces, slowWithinMs, timeoutRefusal };
      const body = await limitBodyTime(ctx, parseBody(ctx, reading), timeLimitMs, timeoutRefusal);
      ctx.state.body = body.value;
      ctx.state.isStorable = body.isStorable;
    }
    return next();
  };
}

const jsonTypes = ['application/json', '+json'];
/** Form builders send forms; some systems send JSON as `text/plain`, or without a type. */
const recordTypes = [...jsonTypes, 'urlencoded', 'text/plain'];

/** Throws a 415 for a body of another type. */
export function hasBody(ctx: Ctx, takesForms: boolean): boolean {
  // Some clients send `Content-Length: 0` without a type instead of no body.
  const type = ctx.request.length === 0 ? null : ctx.is(takesForms ? recordTypes : jsonTypes);
  const isUntyped = takesForms && ctx.get('content-type') === '';
  if (type === false && !isUntyped) throw new RefusalError(failure('body-not-supported'));
  return type !== null;
}

/** Reading the body counts towards the time limit of the request. */
export async function limitBodyTime<T>(
  ctx: Ctx,
  reading: Promise<T>,
  timeLimitMs: number,
  timeoutRefusal: Refusal,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // The rest of the body may still arrive on this connection.
      ctx.set('Connection', 'close');
      reject(new RefusalError(failure(timeoutRefusal)));
    }, timeLimitMs);
  });
  return Promise.race([reading, tooLate]).finally(() => clearTimeout(timer));
}

interface ParsedBody {
  readonly value: unknown;
  readonly isStorable: boolean;
}

interface Parsing {
  readonly hasExactIntegers: boolean;
  readonly takesForms: boolean;
  readonly bytePlaces?: BytePlaces | undefined;
}

interface Reading extends Parsing {
  readonly slowWithinMs: number;
  readonly timeoutRefusal: Refusal;
}

async function parseBody(ctx: Ctx, reading: Reading): Promise<ParsedBody> {
  const { bytePlaces } = reading;
  const read = () => (bytePlaces ? readWithDocument(ctx.req) : readWith(ctx.req, MAX_BODY_BYTES));
  const key = ctx.state.token?.id ?? '';
  const bytes = await readInTurn(ctx, key, () => refuseSlow(ctx, read, reading));
  ctx.state.held?.change(bytes.length);
  return parseBytes(ctx, bytes, reading);
}

/** Gives up on a body that comes too slowly. */
async function refuseSlow<T>(
  ctx: Ctx,
  read: () => Promise<T>,
  { slowWithinMs, timeoutRefusal }: { readonly slowWithinMs: number; readonly timeoutRefusal: Refusal },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let before = ctx.req.socket.bytesRead;
  const tooSlow = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const { bytesRead } = ctx.req.socket;
      if (!ctx.req.complete && bytesRead - before < SLOW_BYTES) {
        ctx.set('Connection', 'close');
        reject(new RefusalError(failure(timeoutRefusal)));
      }
      before = bytesRead;
    }, slowWithinMs);
  });
  return Promise.race([read(), tooSlow]).finally(() => clearInterval(timer));
}

/**
 * Parses the body within the bounds; large bodies take turns by token. Documents, if the body may have them, go to
 * `ctx.state.documents`, and marks replace them.
 */
export async function parseBytes(
  ctx: Ctx,
  bytes: Buffer,
  { hasExactIntegers, takesForms, bytePlaces }: Parsing,
): Promise<ParsedBody> {
  const work = async () => {
    const charset = charsetOf(ctx);
    if (takesForms && isForm(ctx, bytes)) {
      const form = bytes.toString('latin1');
      return { value: parseForm(form, part => decodeBody(part, charset)), isStorable: !nul.test(form) };
    }
    const raw = decodeBody(bytes, charset);
    await yieldEventLoop(raw);
    const value = await valueOf(raw, hasExactIntegers);
    await yieldEventLoop(raw);
    if (bytePlaces) {
      ctx.state.documents = await takeDocuments(value, bytePlaces);
      await yieldEventLoop(raw);
      if (bytes.length > MAX_BODY_BYTES)
        checkRest(ctx.state.documents.size > 0 ? JSON.stringify(value) : raw);
      await yieldEventLoop(raw);
    }
    return { value, isStorable: !escapedUnstorable.test(raw) };
  };
  if (bytes.length <= LARGE_BODY) return work();
  const gate = bytePlaces ? bodiesWithDocuments : largeBodies;
  return gate.run({ key: ctx.state.token?.id ?? '' }, () => {
    // Nobody reads this response.
    if (isGone(ctx)) throw new RefusalError(failure('interrupted'));
    return work();
  });
}

const nul = /%00|\0/;

/** A body that begins like JSON is JSON: `curl -d` and many systems declare it as a form. */
function isForm(ctx: Ctx, bytes: Buffer): boolean {
  return Boolean(ctx.is('urlencoded')) && !/^[\s\u00ef\u00bb\u00bf]*[{[]/.test(bytes.toString('latin1'));
}

/** Without its documents, a body may be no larger than any other. */
function checkRest(rest: string): void {
  if (Buffer.byteLength(rest) > MAX_BODY_BYTES) throw new RefusalError(failure('body-too-large'));
}

/** Returns the signed body without its content coding. `key` names the sender, for the turns of large bodies. */
export async function readBytes(ctx: Ctx, key: string): Promise<Buffer> {
  return readInTurn(ctx, key, () => readWith(ctx.req, MAX_BODY_BYTES));
}

async function readInTurn<T>(ctx: Ctx, key: string, read: () => Promise<T>): Promise<T> {
  let reading: Promise<T> | undefined;
  const readOnce = () => (reading ??= read());
  if (Number(ctx.req.headers['content-length'] ?? 0) > LARGE_BODY)
    await readingLane.run({ key }, async () => {
      if (!isGone(ctx)) await Promise.race([readOnce(), delay(READ_ALONE_MS)]);
    });
  return readOnce();
}

function isGone(ctx: Ctx): boolean {
  return ctx.res.writableEnded || hasLeft(ctx);
}

async function readWithDocument(request: Ctx['req']): Promise<Buffer> {
  try {
    return await readWith(request, MAX_DOCUMENT_BODY_BYTES);
  } catch (error) {
    const isTooLarge = error instanceof RefusalError && error.failure.code === 413;
    throw isTooLarge ? new RefusalError(failure('document-too-large')) : error;
  }
}

async function readWith(request: Ctx['req'], limit: number): Promise<Buffer> {
  try {
    // Without an encoding it returns the bytes, though its types do not say so.
    const bytes: unknown = await parse.text(request, { limit, encoding: null } as object);
    return bytes as Buffer;
  } catch (error) {
    // The rest of the body must be drained: it would block the next request of the connection.
    request.unpipe();
    request.resume();
    throw new RefusalError(refusalOf(error as { status?: number }));
  }
}

async function valueOf(raw: string, hasExactIntegers: boolean): Promise<unknown> {
  const error = findBoundsError(raw);
  if (error) refuseField('', error.rule, error);
  if (raw === '') return {};
  await yieldEventLoop(raw);
  const value = fromJson(raw);
  const exact = hasExactIntegers ? quoteLargeIntegers(raw) : undefined;
  if (exact === undefined) return value;
  await yieldEventLoop(raw);
  return fromJson(exact);
}

/** Lets other requests run between the steps of a large body. */
async function yieldEventLoop(raw: string): Promise<void> {
  if (raw.length > LARGE_BODY) await setImmediate();
}

/** Names like __proto__ are safe here, because bodies are never copied key by key by assignment. */
function fromJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new RefusalError(failure('body-not-json'));
  }
}

/** Maps the status of a co-body error; a broken gzip stream has none. */
function refusalOf(error: { status?: number }): Failure {
  const reasons: Record<number, Refusal> = { 413: 'body-too-large', 415: 'body-not-supported' };
  return failure(reasons[error.status ?? 400] ?? 'body-not-json');
}

/**
 * Reads the rest of an unneeded body, so that the connection can be used again. Node would do so itself, but would not count the
 * chunks.
 */
export const readRest: ApiMiddleware = async (ctx, next) => {
  try {
    await next();
  } finally {
    if (!ctx.req.complete) discardRest(ctx.req);
  }
};

/** All connections share this limit: unneeded bodies must not take the time of other requests. */
const DISCARDED_PER_SECOND = 33_554_432;
const DISCARD_AGAIN_MS = 100;
const discarded = makeTokenBucket(DISCARDED_PER_SECOND, DISCARDED_PER_SECOND);

function discardRest(request: Ctx['req']): void {
  request.on('data', (bytes: Buffer) => {
    if (discarded.take(bytes.length)) return;
    request.pause();
    setTimeout(() => request.resume(), DISCARD_AGAIN_MS).unref();
  });
  request.resume();
}
