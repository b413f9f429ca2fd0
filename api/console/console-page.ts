import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
import type { Ctx, State } from '../context.ts';

const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

const pages: Record<string, string> = { '/': 'welcome.html', '/console': 'index.html' };

/** Allows images and audio of answers from other origins; the page loads them only after a click. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' https: http:",
  'media-src https: http:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The web console: static files, read once at start; no other file is served. */
export function makeConsoleRoutes(): Router<State> {
  const router = new Router<State>();
  // Resolved by package import, because this file also runs from `dist`.
  const folder = dirname(createRequire(import.meta.url).resolve('#console/index.html'));
  for (const [path, name] of Object.entries(pages)) {
    const page = readFileSync(join(folder, name));
    router.get(path, ctx => {
      ctx.set('Content-Security-Policy', policy);
      send(ctx, 'html', page);
    });
  }
  for (const name of readdirSync(folder)) {
    const type = types[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const content = readFileSync(join(folder, name));
    router.get(`/console/${name}`, ctx => send(ctx, type, content));
  }
  return router;
}

/** `no-cache`, so that a page never loads scripts of another version. */
function send(ctx: Ctx, type: string, content: Buffer): void {
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = type;
  ctx.body = content;
}
