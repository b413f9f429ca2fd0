/*
 * The page at /docs: Swagger UI with our own reader. The one of Swagger UI takes the whole document apart for each operation that
 * is opened, which takes seconds. Ours relies on the document being JSON that refers only to its own components, none of which
 * leads back to itself.
 */

type Json = { readonly [key: string]: unknown };

interface Reader {
  readonly specActions: {
    updateJsonSpec(document: Json): unknown;
    updateResolvedSubtree(path: readonly string[], value: unknown): unknown;
  };
}

declare const SwaggerUIBundle: (settings: Json) => unknown;

// Groups are closed, because all operations at once take seconds to draw.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  validatorUrl: null,
  plugins: [readPlainly],
});
// Swagger UI opens the operation named in the address only when it loads.
addEventListener('hashchange', () => location.reload());

/** A plugin for Swagger UI: it keeps what a closed operation shows, and reads the rest when the operation is opened. */
function readPlainly(): Json {
  let document: Json = {};
  const wrapActions = {
    parseToJson:
      (_original: unknown, { specActions }: Reader) =>
      (text: string) => {
        document = JSON.parse(text);
        return specActions.updateJsonSpec(closedOf(document));
      },
    requestResolvedSubtree:
      (_original: unknown, { specActions }: Reader) =>
      (path: readonly string[]) =>
        specActions.updateResolvedSubtree(path, resolve(document, partOf(document, path))),
  };
  return { statePlugins: { spec: { wrapActions } } };
}

function closedOf({ paths, webhooks, components, ...about }: Json): Json {
  const { securitySchemes } = components as Json;
  return { ...about, paths: mapItems(paths), webhooks: mapItems(webhooks), components: { securitySchemes } };
}

function mapItems(items: unknown): Json {
  return mapValues(items, item => mapValues(item, closeOperation));
}

function closeOperation(operation: unknown): Json {
  const shown = new Set(['operationId', 'summary', 'tags', 'deprecated', 'security']);
  return Object.fromEntries(Object.entries(operation as Json).filter(([key]) => shown.has(key)));
}

/** Returns the value with each reference replaced by what it points to. */
function resolve(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(each => resolve(document, each));
  if (value === null || typeof value !== 'object') return value;
  const { $ref: address } = value as Json;
  if (typeof address === 'string' && address.startsWith('#/components/'))
    return resolve(document, partOf(document, address.slice(2).split('/')));
  const entries = Object.entries(value).map(([key, inner]) => [key, resolve(document, inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => !isOnEveryResponse(inner)));
}

/** The introduction explains these headers: a table of them at each of twenty responses would take most of the time. */
function isOnEveryResponse(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'x-on-every-response' in value;
}

function partOf(document: Json, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (part as Json)[key], document);
}

function mapValues(record: unknown, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(record as Json).map(([key, value]) => [key, change(value)]));
}
