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

export const MOST_PROBLEMS = 20;
const LONGEST_SHOWN = 2_000;

/** Of JSON text; the largest that is sensible has a tenth of it. */
const LONGEST_SCHEMA = 64_000;

// Schemas are written by people for several dialects: a format or keyword that is not known here is no obstacle.
const lenient = { strict: false, logger: false, allErrors: true, addUsedSchema: false } as const;

/** Knows the schema of schemas, and is given no other: it keeps something of each that it compiles. */
const ofSchemas = withFormats(new Ajv2020(lenient));

const MOST_BYTES = 16 * 1_048_576;
/** What compiling makes of a schema: measured, 11 bytes for each of its characters and some for the rest. */
const bytesOfCompiled = (_: unknown, text: string) => 10_000 + 12 * text.length;
const compiled = new LRUCache<string, Validate>({ maxSize: MOST_BYTES, sizeCalculation: bytesOfCompiled });

type Validate = ValidateFunction | 'unfinished';

/**
 * What keeps the arguments from meeting the schema; none: they do. What is compiled is kept, within bounds: for schemas
 * that are stored or our own, never for one that came with a request.
 */
export function argumentsProblems(schema: JsonObject, args: unknown): Problem[] {
  let isMet: ValidateFunction;
  try {
    isMet = validatorOf(schema);
  } catch {
    return [{ path: '', message: 'cannot be checked: the schema itself is wrong' }];
  }
  return isMet(args) ? [] : problemsIn(isMet.errors);
}

/** Compiles it ahead, where it has not been: what is wrong with it is told when arguments are checked. */
export function prepareSchema(schema: JsonObject): void {
  try {
    validatorOf(schema);
  } catch {
    return;
  }
}

/** What keeps this from being a schema that arguments can be checked against; none: it is one. */
export function schemaProblems(schema: JsonObject): Problem[] {
  if (JSON.stringify(schema).length > LONGEST_SCHEMA)
    return [{ path: '', message: `must have at most ${LONGEST_SCHEMA} characters` }];
  const wrong = schemaFormProblems(schema);
  if (wrong.length > 0) return wrong;
  try {
    validatorOf(schema);
    return [];
  } catch (error) {
    return [{ path: '', message: error instanceof Error ? error.message : 'cannot be compiled' }];
  }
}

/** The same by its form alone, without compiling it: in time that grows with its size. */
export function schemaFormProblems(schema: JsonObject): Problem[] {
  if (schema['type'] !== 'object') return [{ path: '/type', message: 'must be "object"' }];
  return ofSchemas.validateSchema(withoutDialect(schema)) ? [] : problemsIn(ofSchemas.errors);
}

function validatorOf(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  // It was given up, for whoever wanted it had no more time: it would take as long again.
  if (known === 'unfinished') throw new Error('takes too long to compile');
  if (known) return known;
  compiled.set(text, 'unfinished');
  // Each by a compiler of its own: one that serves all of them keeps what it made of each for ever.
  const compiler = withFormats(new Ajv2020({ ...lenient, meta: false, validateSchema: false }));
  try {
    const validate = compiler.compile(withoutDialect(schema));
    compiled.set(text, validate);
    return validate;
  } catch (error) {
    compiled.delete(text);
    throw error;
  }
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv);
  return ajv;
}

/** A dialect that is declared would have to be known; what people use of them is common to all. */
function withoutDialect({ $schema: _, ...schema }: JsonObject): Record<string, unknown> {
  return schema;
}

function problemsIn(errors: readonly ErrorObject[] | null | undefined): Problem[] {
  const problems = (errors ?? []).map(error => ({ path: error.instancePath, message: messageOf(error) }));
  return problems.slice(0, MOST_PROBLEMS);
}

function messageOf({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${valuesText(params['allowedValues'])}`;
  if (keyword === 'const') return `must be ${valuesText(params['allowedValue'])}`;
  if (keyword === 'additionalProperties') return `must not have "${params['additionalProperty']}"`;
  return message;
}

/** A model that is told a thousand values reads none of them. */
export function valuesText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
