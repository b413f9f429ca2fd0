import { errorsAt, type FieldError, fieldError } from '../../../platform/field-error.ts';
import { isJsonObject } from '../../../platform/json-object.ts';
import { headerNameErrorOf } from '../header-rules.ts';
import { jsonWeightOf } from '../json-weight.ts';
import { MAX_SCHEMA_SIZE, offeredSchemaOf } from '../schemas/offered-schema.ts';
import type { ArgumentPlace, RestFunction } from './rest-function.ts';
import { findDotSegment, placesIn } from './rest-path.ts';

/** The fields of a body that say what a tool can do. */
interface FunctionFields {
  readonly functions?: readonly RestFunction[] | undefined;
}

export type ReadFunctions =
  | { readonly functions: readonly RestFunction[] }
  | { readonly errors: readonly FieldError[] };

/** The one place where a body becomes functions, with schemas as a model is offered them; undefined where it has none. */
export function functionsOf({ functions }: FunctionFields): ReadFunctions | undefined {
  if (functions === undefined) return undefined;
  const read = functions.map((each, at) => readFunction(each, `functions[${at}]`));
  const names = functions.map(({ name }) => name);
  const taken = names.flatMap((name, at) =>
    names.indexOf(name) < at ? [fieldError(`functions[${at}].name`, 'taken')] : [],
  );
  const errors = [...read.flatMap(each => ('errors' in each ? each.errors : [])), ...taken];
  if (errors.length > 0) return { errors };
  return { functions: read.flatMap(each => ('functions' in each ? each.functions : [])) };
}

export function hasBody(method: RestFunction['method']): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** A function that reads may be called again, and needs nobody's word. */
export function isReading({ method }: Pick<RestFunction, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether the person has to say yes before it is called. */
export function isForPerson(each: RestFunction): boolean {
  return (each.confirm ?? (isReading(each) ? 'none' : 'person')) === 'person';
}

function readFunction(sent: RestFunction, at: string): ReadFunctions {
  const schema = jsonWeightOf(sent.arguments, MAX_SCHEMA_SIZE) && offeredSchemaOf(sent.arguments);
  if (!schema) {
    const message = 'must be the JSON Schema of an object, of at most 2,000 values and 16,000 characters';
    return { errors: [fieldError(`${at}.arguments`, 'schema', message)] };
  }
  const known = new Set(Object.keys(isJsonObject(schema['properties']) ? schema['properties'] : {}));
  const places = (['query', 'headers', 'cookies'] as const).flatMap(kind =>
    (sent[kind] ?? []).map((place, index) => ({ kind, place, path: `${at}.${kind}[${index}]` })),
  );
  const errors = [
    ...pathErrorsOf(sent.path, known, `${at}.path`),
    ...places.flatMap(({ kind, place, path }) => [
      ...(known.has(place.argument) ? [] : [fieldError(`${path}.argument`, 'unknown')]),
      ...(kind === 'query' ? [] : errorsAt(`${path}.name`, headerNameErrorOf(nameOf(place)))),
    ]),
    ...(sent.body !== undefined && isReading(sent)
      ? [fieldError(`${at}.body`, 'not-allowed', `cannot be set with ${sent.method}`)]
      : []),
  ];
  return errors.length > 0 ? { errors } : { functions: [{ ...sent, arguments: schema }] };
}

export function nameOf({ argument, name = argument }: ArgumentPlace): string {
  return name;
}

function pathErrorsOf(path: string, known: ReadonlySet<string>, at: string): FieldError[] {
  if (findDotSegment(path)) return [fieldError(at, 'format', 'must have no segment . or ..')];
  const isKnown = placesIn(path).every(argument => known.has(argument));
  return isKnown ? [] : [fieldError(at, 'unknown', 'names an argument that its schema has not')];
}
