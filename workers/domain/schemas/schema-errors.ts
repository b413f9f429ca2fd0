import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { type FieldError, fieldError, limitFieldErrors, rules } from '../../../platform/field-error.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { wrongTextsIn } from './schema-texts.ts';

const MAX_QUOTE_LENGTH = 2_000;

/** Limits the JSON text; real schemas have a tenth of it. */
const MAX_SCHEMA_LENGTH = 64_000;

// Lenient: schemas come in several dialects, so unknown formats and keywords are ignored.
const lenient = { strict: false, logger: false, allErrors: true, addUsedSchema: false } as const;

/**
 * Validates schemas only. Ajv keeps each schema that it compiles, so it is given no other. These come from strangers: it stops
 * at the first error, and parses no pattern.
 */
const ofForeignSchemas = new Ajv2020({ ...lenient, allErrors: false, validateFormats: false });

const MAX_BYTES = 16 * 1_048_576;
/** The memory of a compiled schema was measured at 11 bytes for each character, plus a constant. */
const bytesOfCompiled = (_: unknown, text: string) => 10_000 + 12 * text.length;
const compiled = new LRUCache<string, ValidateFunction>({
  maxSize: MAX_BYTES,
  sizeCalculation: bytesOfCompiled,
});

/**
 * Returns the errors of arguments against a schema; empty if valid. Compiled validators are cached within bounds, so this is
 * for stored schemas and our own, never for one that came with a request.
 */
export function argumentErrorsOf(schema: JsonObject, args: unknown): FieldError[] {
  try {
    const isMet = validatorOf(schema);
    return isMet(args) ? [] : toFieldErrors(isMet.errors);
  } catch {
    return [fieldError('', 'schema', 'cannot be checked: the schema itself is wrong')];
  }
}

/**
 * Returns the errors of a schema for arguments; empty if it can be used. It is validated, but not compiled: it comes with a
 * tenant's request.
 */
export function schemaErrorsOf(schema: JsonObject): FieldError[] {
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
    return [fieldError('', 'max-length', { limit: MAX_SCHEMA_LENGTH })];
  if (schema['type'] !== 'object')
    return [fieldError('/type', 'one-of', { values: ['object'], message: 'must be "object"' })];
  if (!isSchema(schema)) return toFieldErrors(ofForeignSchemas.errors);
  const { references, patterns } = wrongTextsIn(schema);
  const messages = [
    ...references.map(each => `can't resolve reference ${formatValues(each)}`),
    ...patterns.map(each => `is no regular expression: ${formatValues(each)}`),
  ];
  return limitFieldErrors(messages.map(message => fieldError('', 'schema', message)));
}

/** Whether this is a JSON schema. Takes time linear in its size. */
function isSchema(schema: JsonObject): boolean {
  return ofForeignSchemas.validateSchema(withoutDialect(schema)) === true;
}

function validatorOf(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  // A new compiler for each schema: a shared one keeps what it compiled for ever.
  const compiler = withFormats(new Ajv2020({ ...lenient, meta: false, validateSchema: false }));
  const validate = compiler.compile(withoutDialect(schema));
  compiled.set(text, validate);
  return validate;
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv);
  return ajv;
}

/** Ajv rejects an unknown `$schema`; the keywords in use are common to all dialects. */
function withoutDialect({ $schema: _, ...schema }: JsonObject): Record<string, unknown> {
  return schema;
}

function toFieldErrors(errors: readonly ErrorObject[] | null | undefined): FieldError[] {
  const fieldErrors = (errors ?? []).map(error => fieldError(error.instancePath, 'schema', messageOf(error)));
  return limitFieldErrors(fieldErrors);
}

function messageOf({ keyword, params, message = rules.schema }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${formatValues(params['allowedValues'])}`;
  if (keyword === 'const') return `must be ${formatValues(params['allowedValue'])}`;
  if (keyword === 'additionalProperties') return `must not have "${params['additionalProperty']}"`;
  return message;
}

/** Truncates the list, because a model does not read a thousand values. */
export function formatValues(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH)}…`;
}
