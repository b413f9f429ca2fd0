import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { isHeaderValue } from '../header-rules.ts';
import { formatInvalidArguments } from '../prompts/tool-texts.ts';
import { hasBody, nameOf } from './read-functions.ts';
import type { ArgumentPlace, RestFunction } from './rest-function.ts';
import { encode, fillPath, findDotSegment, placesIn } from './rest-path.ts';

type Pair = [name: string, value: string];

export interface RestRequest {
  readonly method: RestFunction['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RestBody | undefined;
}

export type RestBody =
  | { readonly type: string; readonly text: string }
  /** Parts of a `multipart/form-data`. */
  | { readonly parts: readonly Pair[] };

/** Returns the request of a call, or what the model is told of its arguments. */
export function requestOf(
  baseURL: string,
  called: RestFunction,
  args: JsonObject,
): RestRequest | { readonly error: string } {
  const given = declaredOf(called.arguments, args);
  const missing = placesIn(called.path).find(argument => simpleOf(given[argument]) === '');
  if (missing !== undefined) return { error: formatInvalidArguments(missing, 'é obrigatório') };
  const path = fillPath(called.path, argument => simpleOf(given[argument]));
  if (findDotSegment(path.plain)) return { error: formatInvalidArguments('', 'não servem num endereço') };
  const { query = [], headers = [], cookies = [] } = called;
  const placed = new Set([
    ...placesIn(called.path),
    ...[...query, ...headers, ...cookies].map(({ argument }) => argument),
  ]);
  const others = Object.entries(given).filter(([name]) => !placed.has(name));
  const isInBody = called.body !== undefined || hasBody(called.method);
  const fields = [
    ...query.flatMap(place => queryFieldsOf(place, given[place.argument])),
    ...(isInBody ? [] : others.flatMap(([argument, value]) => queryFieldsOf({ argument }, value))),
  ];
  const sentHeaders = headersOf(headers, cookies, given);
  const wrong = Object.entries(sentHeaders).find(([, value]) => !isHeaderValue(value));
  if (wrong) return { error: formatInvalidArguments(wrong[0], 'tem caracteres que não servem aqui') };
  return {
    method: called.method,
    url: `${baseURL.replace(/\/$/, '')}${path.sent}${fields.length > 0 ? `?${fields.join('&')}` : ''}`,
    headers: sentHeaders,
    body: isInBody ? bodyOf(called.body, Object.fromEntries(others)) : undefined,
  };
}

/** What a schema does not name may set a field of the system that nobody meant to offer. */
function declaredOf({ properties, patternProperties, additionalProperties }: JsonObject, args: JsonObject) {
  const isOpen = patternProperties !== undefined || Boolean(additionalProperties);
  const names = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(Object.entries(args).filter(([name]) => isOpen || Object.hasOwn(names, name)));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const DELIMITERS: ReadonlyMap<ArgumentPlace['style'], string> = new Map([
  ['spaceDelimited', '%20'],
  ['pipeDelimited', '%7C'],
]);

/** Returns the fields of a query, encoded; a value of null has none. */
function queryFieldsOf(place: ArgumentPlace, value: unknown): string[] {
  const { style = 'form', explode = style === 'form' } = place;
  const fieldOf = (name: string, text: string) => `${encode(name)}=${text}`;
  const name = nameOf(place);
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) {
    const items = value.map(item => encode(textOf(item)));
    return explode
      ? items.map(item => fieldOf(name, item))
      : [fieldOf(name, items.join(DELIMITERS.get(style) ?? ','))];
  }
  if (!isJsonObject(value)) return [fieldOf(name, encode(textOf(value)))];
  if (style === 'deepObject')
    return deepFieldsOf(name, value).map(([key, text]) => fieldOf(key, encode(text)));
  const entries = Object.entries(value).map(([key, inner]) => [key, encode(textOf(inner))] as const);
  if (explode) return entries.map(([key, text]) => fieldOf(key, text));
  return [fieldOf(name, entries.flatMap(([key, text]) => [encode(key), text]).join(','))];
}

/** OpenAPI does not say how deeper values are written: as servers read `a[b][c]`, and the items of a list as those of any other. */
function deepFieldsOf(name: string, value: unknown): Pair[] {
  if (Array.isArray(value)) return value.map((item): Pair => [name, textOf(item)]);
  if (!isJsonObject(value)) return [[name, textOf(value)]];
  return Object.entries(value).flatMap(([key, inner]) => deepFieldsOf(`${name}[${key}]`, inner));
}

function headersOf(
  headers: readonly ArgumentPlace[],
  cookies: readonly ArgumentPlace[],
  given: JsonObject,
): Record<string, string> {
  const isGiven = ({ argument }: ArgumentPlace) => (given[argument] ?? undefined) !== undefined;
  const cookie = cookies
    .filter(isGiven)
    .map(place => `${nameOf(place)}=${encode(simpleOf(given[place.argument], place.explode))}`);
  return {
    ...Object.fromEntries(
      headers.filter(isGiven).map(place => [nameOf(place), simpleOf(given[place.argument], place.explode)]),
    ),
    ...(cookie.length > 0 ? { cookie: cookie.join('; ') } : {}),
  };
}

function simpleOf(value: unknown, explode = false): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (!isJsonObject(value)) return textOf(value);
  return Object.entries(value)
    .map(([key, inner]) => [key, textOf(inner)].join(explode ? '=' : ','))
    .join(',');
}

function bodyOf(form: RestFunction['body'], others: JsonObject): RestBody | undefined {
  const pairs = Object.entries(others)
    .filter(([, value]) => value !== null)
    .flatMap(([name, value]) => [value].flat().map((item): Pair => [name, textOf(item)]));
  switch (form) {
    case 'form':
      return {
        type: 'application/x-www-form-urlencoded',
        text: new URLSearchParams(pairs).toString(),
      };
    case 'multipart':
      return { parts: pairs };
    case 'text':
      return { type: 'text/plain; charset=utf-8', text: pairs.map(([, value]) => value).join('\n') };
    case 'json':
      return jsonBodyOf(others);
    case undefined:
      return Object.keys(others).length > 0 ? jsonBodyOf(others) : undefined;
  }
}

function jsonBodyOf(others: JsonObject): RestBody {
  return { type: 'application/json', text: JSON.stringify(others) };
}
