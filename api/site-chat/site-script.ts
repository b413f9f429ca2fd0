import { createRequire } from 'node:module';
import Router from '@koa/router';
import { makeReader, send } from '../console/console-page.ts';
import type { State } from '../context.ts';
import { SITE_CHAT_PATH } from './site-chat-calls.ts';

/** Pages ask for it at each view; an hour after an upgrade all have the new one. */
const CACHING = 'public, max-age=3600';

/** The script of the chat, which is no secret: pages of every site may load it, but not every page may ask. */
export function makeSiteScriptRoutes(): Router<State> {
  const router = new Router<State>();
  const read = makeReader(createRequire(import.meta.url).resolve('#site-chat/chat.js'));
  router.get(`${SITE_CHAT_PATH}/chat.js`, ctx => {
    // Helmet keeps what a service sends for its own pages.
    ctx.set('Cross-Origin-Resource-Policy', 'cross-origin');
    ctx.set('Access-Control-Allow-Origin', '*');
    send(ctx, 'text/javascript', read(), CACHING);
  });
  return router;
}
