import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What is wrong at one place, in words that hold no value of the checked data. They may name its fields, which are
 * whoever's words it was made of: nothing for a log.
 */
export interface Problem {
  /** JSON pointer; '' is the whole. */
  readonly path: string;
  readonly message: string;
}

const MOST_PROBLEMS = 20;

// Schemas are written by people for several dialects: a format or keyword that is not known here is no obstacle.
const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, addUsedSchema: false });
addFormats.default(ajv);
const compiled = new LRUCache<string, ValidateFunction>({ max: 500 });

/** What keeps the arguments from meeting the schema; none: they do. */
export function argumentsProblems(schema: JsonObject, args: unknown): Problem[] {
  let isMet: ValidateFunction;
  try {
    isMet = validatorOf(schema);
  } catch {
    return [{ path: '', message: 'cannot be checked: the schema itself is wrong' }];
  }
  return isMet(args) ? [] : problemsIn(isMet.errors);
}

/** What keeps this from being a schema that arguments can be checked against; none: it is one. */
export function schemaProblems(schema: JsonObject): Problem[] {
  if (schema['type'] !== 'object') return [{ path: '/type', message: 'must be "object"' }];
  if (!ajv.validateSchema(undeclared(schema))) return problemsIn(ajv.errors);
  try {
    validatorOf(schema);
    return [];
  } catch (error) {
    return [{ path: '', message: error instanceof Error ? error.message : 'cannot be compiled' }];
  }
}

function validatorOf(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known) return known;
  const plain = undeclared(schema);
  const validate = ajv.compile(plain);
  // It would keep every schema for ever; the cache above forgets.
  ajv.removeSchema(plain);
  compiled.set(text, validate);
  return validate;
}

/** A dialect that is declared would have to be known; what people use of them is common to all. */
function undeclared({ $schema: _, ...schema }: JsonObject): Record<string, unknown> {
  return schema;
}

function problemsIn(errors: readonly ErrorObject[] | null | undefined): Problem[] {
  const problems = (errors ?? []).map(error => ({ path: error.instancePath, message: messageOf(error) }));
  return problems.slice(0, MOST_PROBLEMS);
}

function messageOf({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params['allowedValues'])}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`;
  if (keyword === 'additionalProperties') return `must not have "${params['additionalProperty']}"`;
  return message;
}
