import { createHash } from 'node:crypto';
import Router from '@koa/router';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Notice } from '../../db/conversations/notice-channel.ts';
import { repeat } from '../../platform/repeat.ts';
import { failure } from '../../queues/contract/failure.ts';
import { conversationId } from '../../queues/contract/operations/fields.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import { object, optional, text } from '../../queues/contract/shape.ts';
import type { ApiMiddleware, Ctx, State } from '../context.ts';
import {
  assertMayCall,
  makeAuthentication,
  sessionOf,
  type TokenFinder,
  tokenOf,
} from '../guards/authenticate.ts';
import { makeBodyHold } from '../guards/held-bytes.ts';
import { callerOf } from '../guards/host-choice.ts';
import { hasLeft } from '../guards/open-requests.ts';
import { makeBodyReader } from '../guards/read-body.ts';
import { validateBody } from '../guards/validate.ts';
import { RefusalError, sendOutcome } from '../replies/envelope.ts';
import { EventSender } from '../replies/event-sender.ts';
import type { RouteParts } from '../request.ts';
import type { Notices } from './notices.ts';

/*
 * An open page of the console gets notices, so that it need not ask all the time:
 *
 *   GET /console/events --change, typing …--> ends with the session, the rights, the host, the connection or this process
 *   POST /console/typing --> the pages of the colleagues
 */

const EVENTS_PATH = '/console/events';
const TYPING_PATH = '/console/typing';
/** A stream whose session has ended stops within this time; a notice of rights is faster, but may be lost. */
const CHECK_EVERY_MS = 20_000;
/** A page may announce typing no more often than this. */
const TYPING_WITHIN_S = 2;
const typingBody = object({ conversationId, name: optional(text()) });

/** A person who may list the conversations of the host may know which have changed. */
const followed = operationOf('listConversations');

type StreamParts = Pick<RouteParts, 'findToken' | 'rateLimit' | 'heldBytes' | 'timeoutMs' | 'notices'>;

export function makeNoticeRoutes(parts: StreamParts): Router<State> {
  const { findToken, rateLimit, heldBytes, timeoutMs, notices } = parts;
  const router = new Router<State>();
  const guards = [makeAuthentication(findToken), rateLimit];
  const read = makeBodyReader({ timeLimitMs: timeoutMs, timeoutRefusal: 'deadline' });
  const stream: ApiMiddleware = ctx => streamNotices(ctx, parts);
  const typing = [...guards, makeBodyHold(heldBytes, {}), read, makeTyping(notices)];
  router.register(EVENTS_PATH, ['GET'], [...guards, stream] as never);
  router.register(TYPING_PATH, ['POST'], typing as never);
  return router;
}

/** The session that reads the stream. */
interface Reader {
  readonly session: string;
  readonly hostId: string;
  /** Stands for the session in notices, without revealing it. */
  readonly writer: string;
}

function readerOf(ctx: Ctx): Reader {
  const session = sessionOf(ctx);
  if (session === undefined) throw new RefusalError(failure('unauthorized'));
  assertMayCall(tokenOf(ctx), followed);
  const [hostId = ''] = callerOf(ctx, followed, {}).hostIds;
  const writer = createHash('sha256').update(`notices ${session}`).digest('base64url');
  return { session, hostId, writer };
}

function streamNotices(ctx: Ctx, { findToken, notices }: StreamParts): void {
  const reader = readerOf(ctx);
  const refusal = notices.findRefusal(reader.hostId);
  if (refusal) throw new RefusalError(failure(refusal));
  if (hasLeft(ctx)) return;
  // Koa must not write this response.
  ctx.respond = false;
  const events = new EventSender(ctx.res);
  const closed = new AbortController();
  const check = async () => {
    if (!(await mayFollow(ctx, reader, findToken))) events.end();
  };
  const stop = notices.follow(reader.hostId, {
    onNotice(notice) {
      if (notice.kind === 'rights') return void check().catch(() => undefined);
      if (notice.kind === 'typing' && notice.writer === reader.writer) return;
      // Unread notices would fill the memory; after the cut, the page connects again and looks.
      if (events.isFull) ctx.res.destroy();
      else events.send(eventOf(notice));
    },
    onEnd: () => events.end(),
  });
  ctx.res.once('close', () => {
    stop();
    closed.abort();
  });
  // Without the database nobody knows the rights: the stream stays.
  void repeat(check, { everyMs: CHECK_EVERY_MS, signal: closed.signal, onError: () => {} });
  events.sendLine(': open');
}

/** Whether the session is still valid and may list the conversations of the same host. */
async function mayFollow(ctx: Ctx, { session, hostId }: Reader, findToken: TokenFinder): Promise<boolean> {
  const token = await findToken(session);
  if (!token || token.expired || token.revoked) return false;
  ctx.state.token = token;
  try {
    return readerOf(ctx).hostId === hostId;
  } catch (error) {
    if (error instanceof RefusalError) return false;
    throw error;
  }
}

function eventOf(notice: Exclude<Notice, { kind: 'rights' }>) {
  const { kind, conversationId } = notice;
  if (kind === 'typing') {
    const { name, personId } = notice;
    return { event: 'typing', data: { conversationId, name, personId } };
  }
  return { event: 'change', data: { conversationId, kind } };
}

/** Stores nothing. A call that comes too early is accepted, but told to nobody. */
function makeTyping(notices: Notices): ApiMiddleware {
  const limiter = new RateLimiterMemory({ points: 1, duration: TYPING_WITHIN_S });
  return async ctx => {
    const { hostId, writer } = readerOf(ctx);
    const sent = validateBody(ctx, typingBody, ctx.state.body);
    const token = tokenOf(ctx);
    // A person has one name; a token names its user in each call, as in messages.
    const name = token.role ? token.name : (sent.name ?? token.name);
    const isTold = await limiter.consume(`${writer} ${sent.conversationId}`).then(
      () => true,
      () => false,
    );
    const typist = { name, personId: token.role ? token.id : null, writer };
    if (isTold) notices.tell({ kind: 'typing', hostId, conversationId: sent.conversationId, ...typist });
    sendOutcome(ctx, { code: 200, data: {} });
  };
}
