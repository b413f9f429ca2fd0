import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { offeredSchemaOf } from '../schemas/offered-schema.ts';
import { definitionsOf, LEADS_NOWHERE, pointerTo, resolved } from './description-text.ts';
import type { RestFunction } from './rest-function.ts';

/** What an operation is sent that is in no parameter. */
export interface DescribedBody {
  readonly kind: NonNullable<RestFunction['body']>;
  readonly schema: JsonObject;
  readonly names: readonly string[];
  /** The fields that are not asked for: those that only an answer has, and files. */
  readonly hidden: readonly string[];
}

/** Undefined where there is none, or where the method has none. */
export function bodyOf(
  description: JsonObject,
  sent: unknown,
  place: string,
  method: RestFunction['method'],
): DescribedBody | FieldError | undefined {
  if (sent === undefined || method === 'GET' || method === 'HEAD') return undefined;
  const body = resolved(description, sent);
  if (!body) return fieldError(place, 'unknown', LEADS_NOWHERE);
  const content = isJsonObject(body['content']) ? Object.entries(body['content']) : [];
  if (content.length === 0) return undefined;
  const [best] = content
    .flatMap(([type, media]) => ({ type, media, kind: kindOf(type) }))
    .toSorted((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  if (!best?.kind)
    return fieldError(`${place}/content`, 'unsupported', 'is none of JSON, a form, multipart and plain text');
  const { schema } = isJsonObject(best.media) ? best.media : {};
  const at = `${place}${pointerTo('content', best.type, 'schema')}`;
  return best.kind === 'text'
    ? TEXT
    : fieldsOf(description, isJsonObject(schema) ? schema : {}, best.kind, at);
}

const KINDS = ['json', 'form', 'multipart', 'text', undefined] as const;

function kindOf(mediaType: string): (typeof KINDS)[number] {
  const type = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json') || type === '*/*') return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  return type === 'text/plain' ? 'text' : undefined;
}

const TEXT: DescribedBody = {
  kind: 'text',
  schema: { properties: { body: { type: 'string' } }, required: ['body'] },
  names: ['body'],
  hidden: [],
};

function fieldsOf(
  description: JsonObject,
  schema: JsonObject,
  kind: 'json' | 'form' | 'multipart',
  place: string,
): DescribedBody | FieldError {
  const found = resolved(description, schema);
  if (!found) return fieldError(place, 'unknown', LEADS_NOWHERE);
  const offered = offeredSchemaOf({ ...definitionsOf(description), allOf: [schema] });
  if (!offered)
    return found['type'] === undefined || found['type'] === 'object'
      ? fieldError(place, 'too-large', 'has too many parts')
      : fieldError(place, 'unsupported', 'is no object, whose fields could be arguments');
  const properties = Object.entries(offered['properties'] as JsonObject);
  const required = (offered['required'] ?? []) as readonly string[];
  const files = kind === 'json' ? [] : properties.filter(([, each]) => isFile(each)).map(([name]) => name);
  const file = files.find(name => required.includes(name));
  if (file !== undefined)
    return fieldError(
      `${place}${pointerTo('properties', file)}`,
      'unsupported',
      'is a file, which no model has',
    );
  const answered = properties.filter(([, each]) => isJsonObject(each) && each['readOnly'] === true);
  const hidden = [...files, ...answered.map(([name]) => name)];
  const names = properties.map(([name]) => name).filter(name => !hidden.includes(name));
  return { kind, schema, names, hidden };
}

function isFile(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  const { format, contentMediaType, contentEncoding, items } = schema;
  if (isFile(items)) return true;
  return format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
}
