import { getHeapStatistics } from 'node:v8';
import type { Token } from '../../db/hosts/tokens.ts';
import { ByteBudget, type Held } from '../../platform/byte-budget.ts';
import { MAX_BODY_BYTES, MAX_DOCUMENT_BODY_BYTES } from '../../queues/contract/body-limit.ts';
import { failure } from '../../queues/contract/failure.ts';
import { type Operation, takesBytes } from '../../queues/contract/operation.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { hasLeft } from './open-requests.ts';

/*
 * A `web` process holds bytes for callers: bodies, from before they are read until their request is answered or their document is
 * stored; and answers, until the client has read them. A request without room gets a 503 before its body is read; one with a
 * document or a recording first waits for room, because a wave of these is over within its limit.
 */

/** 100 document bodies of 15 MiB that a token sends slowly make this process 1.8 GB large; so limited, 0.3 GB. */
const MAX_HELD = 268_435_456;
/** Bodies may take one part in this many of the heap; reading a document takes about three times its size for a moment. */
const PART_OF_HEAP = 4;
const PART_OF_A_HOST = 4;
/** How long a request that may have a large answer waits for room. */
const WAIT_MS = 5_000;
/** The same limit for a request with a document or a recording. */
const WAIT_WITH_BODY_MS = 30_000;

export function makeHeldBytes(): ByteBudget {
  const max = Math.min(MAX_HELD, getHeapStatistics().heap_size_limit / PART_OF_HEAP);
  // Each host may hold at least one document.
  const maxPerKey = Math.max(max / PART_OF_A_HOST, MAX_DOCUMENT_BODY_BYTES);
  return new ByteBudget({ max, maxPerKey, sure: MAX_BODY_BYTES });
}

/** Counts the body of each request until its response is sent or its client is gone. */
export function makeBodyHold(budget: ByteBudget, operation: Pick<Operation, 'extras'>): ApiMiddleware {
  const limit = takesBytes(operation) ? MAX_DOCUMENT_BODY_BYTES : MAX_BODY_BYTES;
  return async (ctx, next) => {
    const bytes = bytesOf(ctx, limit);
    if (takesBytes(operation))
      await waitForRoom(ctx, budget, bytes, () => AbortSignal.timeout(WAIT_WITH_BODY_MS));
    else holdBytes(ctx, budget, bytes);
    return next();
  };
}

/** The same for a body of known length. */
export function holdBytes(ctx: Ctx, budget: ByteBudget, bytes: number): void {
  keepUntilEnd(ctx, budget.take(ownerOf(ctx.state.token), bytes));
}

/** Replaces what the request holds so far. */
function keepUntilEnd(ctx: Ctx, held: Held | undefined): void {
  if (!held) throw new RefusalError(failure('overloaded'));
  ctx.state.held?.release();
  ctx.state.held = held;
  if (hasLeft(ctx)) held.release();
  else ctx.res.once('close', held.release);
}

/** Waits until there is room for an answer of this many bytes. */
export async function holdAnswer(ctx: Ctx, budget: ByteBudget, bytes: number, gone: AbortSignal) {
  return waitForRoom(ctx, budget, bytes, () => AbortSignal.any([gone, AbortSignal.timeout(WAIT_MS)]));
}

/** `startLimit` makes the signal that ends the wait; it is called only if there is no room. */
async function waitForRoom(ctx: Ctx, budget: ByteBudget, bytes: number, startLimit: () => AbortSignal) {
  const owner = ownerOf(ctx.state.token);
  keepUntilEnd(ctx, budget.take(owner, bytes) ?? (await budget.wait(owner, bytes, startLimit())));
}

/** All tokens of a host share its room; so do tokens for the same several hosts. */
function ownerOf(token: Token | undefined): string {
  if (!token) return '';
  return token.kind === 'operator' ? token.kind : token.hosts.map(host => host.host_id).join();
}

/** A body without a length, or packed, may become as large as the limit. */
function bytesOf({ req: { headers } }: Ctx, limit: number): number {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : limit;
  const isPacked = (headers['content-encoding'] ?? 'identity') !== 'identity';
  return isPacked && length !== '0' ? limit : Math.min(Number(length), limit);
}
