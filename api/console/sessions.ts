import Router from '@koa/router';
import type { SignInLinkFace } from '../../db/hosts/sessions.ts';
import type { Token } from '../../db/hosts/tokens.ts';
import { failure } from '../../queues/contract/failure.ts';
import { isByHttps } from '../base-address.ts';
import type { ApiMiddleware, Ctx, State } from '../context.ts';
import {
  assertOwnPage,
  bearerOf,
  enabledHostsOf,
  makeAuthentication,
  SESSION_COOKIE,
  sessionOf,
  type TokenFinder,
  tokenOf,
} from '../guards/authenticate.ts';
import { toAvailableHost } from '../guards/host-choice.ts';
import { makeUnknownCallerLimits } from '../guards/unknown-caller-limits.ts';
import { RefusalError, sendOutcome } from '../replies/envelope.ts';
import type { Notices } from './notices.ts';

/*
 * Sessions of the console: a link or a token is exchanged for a cookie, which no script can read.
 *
 *   POST /console/sign-in-link … POST /console/sign-in --cookie--> GET /console/session … DELETE /console/session
 */

export interface SessionStore {
  /**
   * The secret of the session; undefined if the link is unknown, used or expired, its host disabled, or the token not in force.
   * With the same key a link gives the same session again, for a browser that missed the answer.
   */
  open(linkOrToken: string, key: string | undefined): Promise<string | undefined>;
  /** Says whom a link is for, without using it up. Undefined if it would not sign in. */
  find(link: string): Promise<SignInLinkFace | undefined>;
  /** Makes a link for each person of this e-mail address, in any host, who may sign in; the one seen last comes first. */
  makeLinks(email: string): Promise<string[]>;
  end(session: string): Promise<void>;
}

interface SessionParts {
  readonly sessions: SessionStore;
  readonly findToken: TokenFinder;
  readonly rateLimit: ApiMiddleware;
  readonly notices: Notices;
}

const SIGN_IN_PATH = '/console/sign-in';
/** A person with a used link could guess a shorter key, and would have the session. */
const secretKey = /^[\x21-\x7e]{32,255}$/;
/** The longest time that browsers keep a cookie. The database decides when the session ends, because use extends it. */
const COOKIE_SECONDS = 400 * 86_400;
const LINK_PATH = '/console/sign-in-link';
const SESSION_PATH = '/console/session';
const HINT =
  'The sign-in link is unknown, used or expired, or its host is disabled; or the token is not valid';

export function makeSessionRoutes({ sessions, findToken, rateLimit, notices }: SessionParts): Router<State> {
  const router = new Router<State>();
  const limits = makeUnknownCallerLimits();
  const read: ApiMiddleware = ctx => {
    sendSession(ctx, tokenOf(ctx));
    const session = sessionOf(ctx);
    if (session) setCookie(ctx, session, COOKIE_SECONDS);
  };
  router.register(SESSION_PATH, ['GET'], [makeAuthentication(findToken), rateLimit, read] as never);

  // A POST, because mail scanners follow links by GET; the secret is in a header, because an address is logged by proxies,
  // and because no form of another site can send it.
  router.post(SIGN_IN_PATH, async ctx => {
    const key = secretKey.exec(ctx.get('idempotency-key'))?.[0];
    const opened = await limits.finding(ctx, () => sessions.open(bearerOf(ctx) ?? '', key));
    const token = opened && (await findToken(opened));
    if (!opened || !token) {
      await limits.noteFailed(ctx, SIGN_IN_PATH);
      throw new RefusalError(failure('unauthorized', { hint: HINT }));
    }
    const earlier = ctx.cookies.get(SESSION_COOKIE);
    if (earlier && earlier !== opened) await sessions.end(earlier);
    sendSession(ctx, token);
    setCookie(ctx, opened, COOKIE_SECONDS);
  });

  // The page shows this before the person agrees: anybody with the link may know whom it is for.
  router.post(LINK_PATH, async ctx => {
    const face = await limits.finding(ctx, () => sessions.find(bearerOf(ctx) ?? ''));
    if (!face) {
      await limits.noteFailed(ctx, LINK_PATH);
      throw new RefusalError(failure('unauthorized', { hint: HINT }));
    }
    const { name, hostName, hostPicture } = face;
    sendOutcome(ctx, { code: 200, data: { name, host_name: hostName, host_picture: hostPicture } });
  });

  router.delete(SESSION_PATH, async ctx => {
    assertOwnPage(ctx);
    const session = sessionOf(ctx);
    if (session) {
      const [host, ...others] = (await findToken(session))?.hosts ?? [];
      await sessions.end(session);
      // Other windows of the browser leave at once; windows of a session with several hosts leave at their next call.
      if (host && others.length === 0) notices.tell({ kind: 'rights', hostId: host.host_id });
    }
    setCookie(ctx, '', 0);
    sendOutcome(ctx, { code: 200, data: {} });
  });
  return router;
}

/** Tells the console who is signed in and what they may do. */
function sendSession(ctx: Ctx, token: Token): void {
  const hosts = enabledHostsOf(token, { scope: undefined }).map(host => ({
    ...toAvailableHost(host),
    time_zone: host.time_zone,
  }));
  const { id, name, role, scopes, kind } = token;
  const rights = { ...(role ? { role } : {}), ...(kind === 'operator' ? { operator: true } : {}), scopes };
  sendOutcome(ctx, { code: 200, data: { id, name, ...rights, hosts } });
}

function setCookie(ctx: Ctx, value: string, seconds: number): void {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isByHttps(ctx) ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${SESSION_COOKIE}=${value}; ${flags}`);
}
