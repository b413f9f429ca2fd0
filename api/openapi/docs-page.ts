import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
import type { State } from '../context.ts';
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
<script src="/docs/start.js"></script>
`;
/** Groups are closed, because all operations at once take seconds to draw. Swagger UI opens what the address names only when it loads. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  validatorUrl: null,
});
addEventListener('hashchange', () => location.reload());
`;
const policy =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'";

/** The API document, and Swagger UI for it, served without external resources. */
export function makeDocsRoutes(version: string, hasTestRun: boolean): Router<State> {
  const router = new Router<State>();
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  // Public, so it is made once; by the first request, because it would delay the start.
  let document: Buffer | undefined;
  router.get('/openapi.json', ctx => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(version, { hasTestRun })));
    ctx.type = 'json';
    ctx.body = document;
  });
  router.get('/docs', ctx => {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'html';
    ctx.body = page;
  });
  router.get('/docs/start.js', ctx => {
    ctx.type = 'text/javascript';
    ctx.body = start;
  });
  for (const [name, type] of Object.entries(assets)) {
    const content = readFileSync(join(folder, name));
    router.get(`/docs/${name}`, ctx => {
      ctx.type = type;
      ctx.set('Cache-Control', 'public, max-age=3600');
      ctx.body = content;
    });
  }
  return router;
}
