import Router from '@koa/router';
import { failure } from '../../queues/contract/failure.ts';
import type { ApiMiddleware, State } from '../context.ts';
import {
  bearerOf,
  enabledHostsOf,
  makeAuthentication,
  type TokenFinder,
  tokenOf,
} from '../guards/authenticate.ts';
import { makeStrangerLimits } from '../guards/stranger-limits.ts';
import { RefusalError, sendOutcome } from '../replies/envelope.ts';

/** Resolves to undefined if the link is unknown, used or expired, or its host is disabled. */
export type LinkExchange = (
  link: string,
) => Promise<{ readonly token: string; readonly hostSlug: string; readonly name: string } | undefined>;

interface SessionParts {
  readonly findToken: TokenFinder;
  readonly rateLimit: ApiMiddleware;
}

const PATH = '/console/sign-in';
const SESSION_PATH = '/console/session';
const HINT = 'The sign-in link is unknown, used or expired, or its host is disabled';

/** What the console shows depends on what its token may do. */
export function makeSessionRoutes({ findToken, rateLimit }: SessionParts): Router<State> {
  const router = new Router<State>();
  const read: ApiMiddleware = ctx => {
    const token = tokenOf(ctx);
    enabledHostsOf(token, { scope: undefined });
    sendOutcome(ctx, { code: 200, data: { scopes: token.scopes } });
  };
  router.register(SESSION_PATH, ['GET'], [makeAuthentication(findToken), rateLimit, read] as never);
  return router;
}

/**
 * Exchanges the secret of a sign-in link for a token. A POST, because mail scanners follow links by GET; the secret is in a
 * header, because an address is logged by proxies.
 */
export function makeSignInRoutes(exchange: LinkExchange): Router<State> {
  const router = new Router<State>();
  const limits = makeStrangerLimits();
  router.post(PATH, async ctx => {
    const signedIn = await limits.finding(ctx, () => exchange(bearerOf(ctx) ?? ''));
    if (!signedIn) {
      await limits.noteFailed(ctx, PATH);
      throw new RefusalError(failure('unauthorized', { hint: HINT }));
    }
    sendOutcome(ctx, { code: 200, data: signedIn });
  });
  return router;
}
