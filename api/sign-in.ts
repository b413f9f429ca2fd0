import Router from '@koa/router';
import { failure } from '../queues/contract/failure.ts';
import { bearerOf } from './authenticate.ts';
import type { State } from './context.ts';
import { RefusalError, sendOutcome } from './envelope.ts';
import { makeStrangerLimits } from './stranger-limits.ts';

/** Resolves to undefined if the link is unknown, used or expired. */
export type LinkExchange = (
  link: string,
) => Promise<{ readonly token: string; readonly hostSlug: string; readonly name: string } | undefined>;

const PATH = '/console/sign-in';
const HINT = 'The sign-in link is unknown, used or expired';

/**
 * Exchanges the secret of a sign-in link for a token. A POST, because mail scanners follow links by GET; the secret is in a
 * header, because an address is logged by proxies.
 */
export function makeSignInRoutes(exchange: LinkExchange): Router<State> {
  const router = new Router<State>();
  const limits = makeStrangerLimits();
  router.post(PATH, async ctx => {
    const signedIn = await limits.reading(ctx, () => exchange(bearerOf(ctx) ?? ''));
    if (!signedIn) {
      await limits.noteFailed(ctx, PATH);
      throw new RefusalError(failure('unauthorized', { hint: HINT }));
    }
    sendOutcome(ctx, { code: 200, data: signedIn });
  });
  return router;
}
