import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
import type { Ctx, State } from '../context.ts';
import { sendZipped, type ZippedContent, zip } from '../zipped-content.ts';
import { openApiDocument } from './openapi.ts';

const require = createRequire(import.meta.url);
/** The only files of swagger-ui-dist that are served. */
const assets: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Parley API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js"></script>
`;
const policy =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'";

/** Serves the API document, and Swagger UI for it, which `console/docs-page.ts` starts; without external resources. */
export function makeDocsRoutes(version: string, hasTestRun: boolean): Router<State> {
  const router = new Router<State>();
  const write = () => Buffer.from(JSON.stringify(openApiDocument(version, { hasTestRun })));
  router.get('/openapi.json', makeSender('json', write));
  router.get('/docs', ctx => {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    ctx.body = page;
  });
  // Browsers do not cache it: it changes with each version.
  router.get(
    '/docs/start.js',
    makeSender('text/javascript', () =>
      readFileSync(join(dirname(require.resolve('#console/index.html')), 'docs-page.js')),
    ),
  );
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const [name, type] of Object.entries(assets)) {
    const sendAsset = makeSender(type, () => readFileSync(join(folder, name)));
    router.get(`/docs/${name}`, ctx => {
      ctx.set('Cache-Control', 'public, max-age=3600');
      sendAsset(ctx);
    });
  }
  return router;
}

/** Makes it once, because it is the same for everybody, and at the first request, because it would delay the start. */
function makeSender(type: string, make: () => Buffer): (ctx: Ctx) => void {
  let content: ZippedContent | undefined;
  return ctx => {
    content ??= zip(make());
    ctx.type = type;
    sendZipped(ctx, content);
  };
}
