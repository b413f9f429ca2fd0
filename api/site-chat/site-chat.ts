import { randomUUID } from 'node:crypto';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { OpenSiteChat } from '../../db/assistants/site-chats.ts';
import type { Token } from '../../db/hosts/tokens.ts';
import type { FileSeal } from '../../platform/file-seal.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { FILES_PATH } from '../../queues/contract/operations/attachment-shape.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { bearerOf, enabledHostsOf } from '../guards/authenticate.ts';
import { callerOf } from '../guards/host-choice.ts';
import { networkOf, refuseUntilNext, WINDOW_SECONDS } from '../guards/rate-limit.ts';
import { hasBody, limitBodyTime, parseBytes, readBytes } from '../guards/read-body.ts';
import { makeUnknownCallerLimits, type UnknownCallerLimits } from '../guards/unknown-caller-limits.ts';
import { validateBody } from '../guards/validate.ts';
import { envelopeOf, errorOf, RefusalError, sendOutcome } from '../replies/envelope.ts';
import { streamTurn, turnDataOf } from '../replies/stream-answer.ts';
import { type Ask, makeRequest, type RouteParts } from '../request.ts';
import { readRequestOptions, wantsStream } from '../request-options.ts';
import { runInRequestSpan } from '../request-span.ts';
import { messagesBody, questionBody, visitBody } from './site-chat-calls.ts';
import type { SiteChats } from './site-chats.ts';

/*
 * Chats on the sites of institutions, whose pages call without a token:
 *
 *   visits --visitor--> questions (a turn of the one conversation of the visitor) … messages (what was said in it)
 *
 * Each call needs the Origin of a page of the chat, and a visitor that was signed for both. The chat counts as a token of its host
 * for turns and logs; a visitor names no conversation, so it reaches no other.
 */

export interface SiteChatParts extends RouteParts {
  readonly siteChats: SiteChats;
  readonly signFile: FileSeal['sign'];
}

const turn = operationOf('reason');
const MAX_KEY_LENGTH = 64;
/** Of 4,000 characters, escaped. Without it, strangers had 1 MiB parsed for each call. */
const MAX_BYTES = 65_536;
/** A slow stranger must not hold one of the few places for long. */
const READ_WITHIN_MS = 5_000;
/** Pages ask for messages every few seconds, several pages of one visitor too. */
const READS_PER_MINUTE = 120;
/** A page fetches a file of a message while it shows it. */
const FILE_SECONDS = 86_400;

export function makeSiteChat(parts: SiteChatParts, ask: Ask, pace: ApiMiddleware): ApiMiddleware[] {
  const { siteChats } = parts;
  const limits = makeUnknownCallerLimits();
  const reads = new RateLimiterMemory({ points: READS_PER_MINUTE, duration: WINDOW_SECONDS });
  const forChat =
    (work: (ctx: Ctx, site: Site) => Promise<void>): ApiMiddleware =>
    async ctx => {
      const site = await openSite(ctx, siteChats, limits);
      await readSmallBody(ctx, site, limits);
      await pace(ctx, () => work(ctx, site));
    };
  const visit = forChat(async (ctx, { chat, origin }) => {
    validateBody(ctx, visitBody, ctx.state.body);
    const { publicKey, title, greeting, colour } = chat;
    const site = { publicKey, origin };
    const known = siteChats.visitors.read(bearerOf(ctx) ?? '', site, ctx.state.arrivedAt);
    const visitor = siteChats.visitors.sign(site, ctx.state.arrivedAt, known);
    sendOutcome(ctx, { code: 200, data: { visitor, title, greeting, colour } });
  });
  const question = forChat((ctx, site) =>
    runInRequestSpan(ctx, 'reason', () => askAsVisitor(ctx, site, parts, ask)),
  );
  const messages = forChat(async (ctx, { chat, origin }) => {
    const visitorId = visitorOf(ctx, { chat, origin }, siteChats);
    await reads
      .consume(visitorId)
      .catch((state: RateLimiterRes) => refuseUntilNext(ctx, state, 'too-many-requests'));
    const { after } = validateBody(ctx, messagesBody, ctx.state.body);
    const { staff, messages } = await siteChats.read(chat, visitorId, after);
    const expires = Math.floor(Date.now() / 1_000) + FILE_SECONDS;
    const addressOf = (id: string) => {
      const signature = parts.signFile({ hostId: chat.hostId, id, expires });
      return `${FILES_PATH}/${chat.hostId}/${id}?expires=${expires}&signature=${signature}`;
    };
    const shown = messages.map(message => ({
      ...message,
      files: message.files?.map(({ id, name, size }) => ({ name, size, url: addressOf(id) })) ?? null,
    }));
    sendOutcome(ctx, { code: 200, data: { staff, messages: shown } });
  });
  return [visit, question, messages];
}

/** What a browser asks before each of these calls. */
export function makePreflight({ siteChats }: Pick<SiteChatParts, 'siteChats'>): ApiMiddleware {
  const limits = makeUnknownCallerLimits();
  return async ctx => {
    await openSite(ctx, siteChats, limits);
    ctx.set('Access-Control-Allow-Methods', 'POST');
    ctx.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key');
    ctx.set('Access-Control-Max-Age', '7200');
    ctx.status = 204;
  };
}

interface Site {
  readonly chat: OpenSiteChat;
  readonly origin: string;
}

/** Refuses pages that are none of the chat's; its own may read every answer from here on, refusals too. */
async function openSite(ctx: Ctx, { find }: SiteChats, limits: UnknownCallerLimits): Promise<Site> {
  const publicKey = String(ctx['params'].key).slice(0, MAX_KEY_LENGTH);
  ctx.vary('Origin');
  const chat = await limits.finding(ctx, () => find(publicKey));
  if (!chat) throw new RefusalError(failure('site-chat-not-found'));
  const origin = ctx.get('origin');
  if (!chat.origins.includes(origin)) throw new RefusalError(failure('origin-not-allowed'));
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id');
  ctx.state.token = tokenOf(chat);
  enabledHostsOf(ctx.state.token, turn);
  return { chat, origin };
}

function tokenOf({ chatId: id, title: name, host }: OpenSiteChat): Token {
  const validity = { expiresAt: null, revokedAt: null, expired: false, revoked: false };
  return { id, name, kind: 'host', scopes: ['reason'], hosts: [host], ...validity };
}

async function readSmallBody(ctx: Ctx, { chat }: Site, limits: UnknownCallerLimits): Promise<void> {
  if (Number(ctx.get('content-length')) > MAX_BYTES) throw new RefusalError(failure('body-too-large'));
  if (!hasBody(ctx, false)) return;
  const read = () => limitBodyTime(ctx, readBytes(ctx, ''), READ_WITHIN_MS, 'deadline');
  const bytes = await limits.reading(ctx, { address: chat.publicKey, hostId: chat.hostId }, read);
  if (bytes.length > MAX_BYTES) throw new RefusalError(failure('body-too-large'));
  const { value, isStorable } = await parseBytes(ctx, bytes, { hasExactIntegers: false, takesForms: false });
  ctx.state.body = value;
  ctx.state.isStorable = isStorable;
}

function visitorOf(ctx: Ctx, { chat, origin }: Site, { visitors }: SiteChats): string {
  const { publicKey } = chat;
  const id = visitors.read(bearerOf(ctx) ?? '', { publicKey, origin }, ctx.state.arrivedAt);
  if (id === undefined) throw new RefusalError(failure('visitor-invalid'));
  return id;
}

async function askAsVisitor(ctx: Ctx, site: Site, parts: SiteChatParts, ask: Ask): Promise<void> {
  const { chat } = site;
  const visitorId = visitorOf(ctx, site, parts.siteChats);
  const sent = validateBody(ctx, questionBody, ctx.state.body);
  // A turn with a key goes on when its client leaves.
  const { idempotencyKey: key = randomUUID() } = readRequestOptions(ctx, turn);
  await parts.siteChats.count(chat, { visitorId, network: networkOf(ctx.ip), key });
  ctx.state.operation = 'reason';
  const body = {
    ...sent,
    hostId: chat.hostId,
    conversationId: visitorId,
    subSlug: chat.subSlug,
    globalData: { platform: 'site' },
  };
  const request: Request = {
    ...makeRequest(ctx, 'reason', callerOf(ctx, turn, {}), body, parts),
    opensConversation: true,
    // Keys of two visitors may be equal.
    idempotencyKey: `site-${parts.siteChats.visitors.nameOf([visitorId, key])}`,
  };
  if (wantsStream(ctx, turn))
    return streamTurn(ctx, request, ask, {
      sendChange: (events, { kind, text }) => events.send({ event: kind, data: { text } }),
      sendEnd(events, outcome) {
        if (isFailure(outcome)) events.send({ event: 'error', data: errorOf(ctx, outcome) });
        else events.send({ event: 'answer', data: envelopeOf(200, answerOf(outcome)) });
      },
    });
  const outcome = await ask(request);
  sendOutcome(ctx, isFailure(outcome) ? outcome : { code: 200, data: answerOf(outcome) });
}

/** The part of a turn that is the visitor's. */
function answerOf(outcome: Exclude<Outcome<unknown>, { message: string }>) {
  const { assistantResponse, choices, askHumanHelp } = turnDataOf(outcome);
  const staff = askHumanHelp ? 'waiting' : 'none';
  return { text: assistantResponse.string, ...(choices ? { choices } : {}), staff };
}
