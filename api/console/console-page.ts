import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
import type { Ctx, State } from '../context.ts';
import { sendZipped, type ZippedContent, zip } from '../zipped-content.ts';
import { type Language, languageOf } from './page-language.ts';

const types: Record<string, string> = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
};

const pages: Record<string, string> = { '/': 'welcome', '/console': 'index' };

/**
 * Images and audio from other origins are allowed: pictures of assistants, and media in answers, which the page loads only after
 * a click.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "img-src 'self' data: https: http:",
  "media-src 'self' https: http:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The web console: the built files of `dist/console`, and no other file. */
export function makeConsoleRoutes(): Router<State> {
  const router = new Router<State>();
  // Resolved by package import, because this file also runs from `dist`.
  const folder = dirname(createRequire(import.meta.url).resolve('#console/index.html'));
  for (const [path, name] of Object.entries(pages)) {
    // The files of other languages have them in their names.
    const readerOf = (language: Language) =>
      makeReader(join(folder, language === 'pt' ? `${name}.html` : `${name}.${language}.html`));
    const readers = { pt: readerOf('pt'), en: readerOf('en'), es: readerOf('es') };
    router.get(path, ctx => {
      ctx.set('Content-Security-Policy', policy);
      send(ctx, 'html', readers[languageOf(ctx)]());
    });
  }
  for (const name of readdirSync(folder)) {
    const type = types[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const read = makeReader(join(folder, name));
    router.get(`/console/${name}`, ctx => send(ctx, type, read()));
  }
  return router;
}

interface StaticFile extends ZippedContent {
  readonly tag: string;
}

/** Reads the file again after a new build; during a build, it keeps the former one. */
export function makeReader(path: string): () => StaticFile {
  let builtAt = statSync(path).mtimeMs;
  let file = readFile(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? builtAt;
    if (now !== builtAt) file = readFile(path);
    builtAt = now;
    return file;
  };
}

function readFile(path: string): StaticFile {
  const content = readFileSync(path);
  return { ...zip(content), tag: createHash('sha256').update(content).digest('base64url') };
}

/**
 * `no-cache` makes sure that a page never runs scripts of another version; an unchanged file is not sent again, however long it
 * may be kept.
 */
export function send(ctx: Ctx, type: string, file: StaticFile, caching = 'no-cache'): void {
  ctx.set('Cache-Control', caching);
  ctx.type = type;
  ctx.etag = file.tag;
  ctx.status = 200;
  sendZipped(ctx, file);
  if (!ctx.fresh) return;
  ctx.status = 304;
  ctx.remove('Content-Encoding');
}
