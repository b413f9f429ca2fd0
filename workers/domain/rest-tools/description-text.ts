import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { jsonWeightOf } from '../json-weight.ts';
import { referenceTarget } from '../schemas/schema-texts.ts';

/*
 * OpenAPI in JSON or YAML, as text from strangers. The library stops by itself at a depth, and at a number of merged keys: another
 * took 36 s for 4 MB of `1,`, and did not end for 2 MB of `? `. References are followed here, so that nothing is fetched or opened.
 */

/** The API of GitHub has 12 MB, every other of sixty has less than 4. YAML of this length takes 3 s at most, JSON 0.2 s. */
const MAX_LENGTH = 5 * 1_048_576;
/**
 * Bounds also what anchors and loops of them repeat: 600 bytes of YAML stood for 2^30 values. The largest of sixty descriptions
 * has 67,000 values, the deepest has 30 levels.
 */
const LIMITS = { values: 600_000, characters: 2 * MAX_LENGTH, depth: 100 };

const WITH_MERGES = CORE_SCHEMA.withTags(mergeTag);

type Description = { readonly description: JsonObject } | { readonly errors: FieldError[] };

/** Returns what a text of JSON or YAML holds, if that is a description of OpenAPI 3. */
export function parseDescription(text: string): Description {
  const wrong = (error: FieldError) => ({ errors: [error] });
  if (text.length > MAX_LENGTH) return wrong(fieldError('', 'max-length', { limit: MAX_LENGTH }));
  const parsed = parseJson(text) ?? parseYaml(text);
  if ('error' in parsed) return wrong(fieldError('', 'unreadable', `cannot be read: ${parsed.error}`));
  const { value } = parsed;
  if (!jsonWeightOf(value, LIMITS))
    return wrong(fieldError('', 'too-large', 'has too many values, or is nested too deeply'));
  if (!isJsonObject(value)) return wrong(fieldError('', 'type', { values: ['object'] }));
  const error = versionErrorOf(value);
  return error ? wrong(error) : { description: value };
}

type Parsed = { readonly value: unknown } | { readonly error: string };

function parseJson(text: string): Parsed | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text.trim()) as unknown };
  } catch {
    // A map of YAML may begin with a brace, too.
    return undefined;
  }
}

function parseYaml(text: string): Parsed {
  try {
    return { value: load(text, { schema: WITH_MERGES, json: true }) };
  } catch (error) {
    // The first line has the cause and the place, the others quote the text.
    const [cause = ''] = (error instanceof Error ? error.message : '').split('\n');
    return { error: cause };
  }
}

function versionErrorOf({ openapi, swagger }: JsonObject): FieldError | undefined {
  // In YAML without quotes it is a number.
  const textOf = (version: unknown) => (typeof version === 'number' ? version.toFixed(1) : String(version));
  const is = (version: unknown, first: string) => textOf(version).startsWith(first);
  if (is(openapi, '3.0') || is(openapi, '3.1')) return undefined;
  const message = is(swagger, '2')
    ? 'is a description of Swagger 2.0: convert it to OpenAPI 3, for example at editor.swagger.io'
    : 'must be a description of OpenAPI 3.0 or 3.1';
  return fieldError(swagger === undefined ? '/openapi' : '/swagger', 'unsupported', message);
}

/** The message of a reference that cannot be followed. */
export const LEADS_NOWHERE = 'leads nowhere in this file';

/** A chain of references, or one that leads to itself, is followed so far. */
const MAX_REFERENCES = 32;

/** Follows references within the description; undefined if one leads nowhere, to another file, or for ever. */
export function resolved(description: JsonObject, value: unknown): JsonObject | undefined {
  let at = value;
  for (let count = 0; count < MAX_REFERENCES && isJsonObject(at); count += 1) {
    const { $ref, ...siblings } = at;
    if (typeof $ref !== 'string') return at;
    const target = referenceTarget(description, $ref);
    at = isJsonObject(target) ? { ...target, ...siblings } : undefined;
  }
  return undefined;
}

/** The parts of a description that its schemas refer to; none of them is a keyword of schemas. */
export function definitionsOf(description: JsonObject): JsonObject {
  const entries = Object.entries(description);
  return Object.fromEntries(entries.filter(([name]) => PARTS.has(name) || name.startsWith('x-')));
}

const PARTS = new Set(['components', 'definitions', 'paths', 'webhooks']);

/** A JSON Pointer. */
export function pointerTo(...steps: readonly (string | number)[]): string {
  return steps.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
