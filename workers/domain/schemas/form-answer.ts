import { type FieldError, fieldError, limitFieldErrors } from '../../../platform/field-error.ts';
import { type JsonObject } from '../../../platform/json-object.ts';
import { storableText } from '../../../platform/storable-text.ts';
import { isOfType, type ValueType } from './front-schema.ts';
import { formatValues } from './schema-errors.ts';

/*
 * The schema by which a model is asked for the values of a form, and the validation of its answer. Strict schemas
 * cannot describe an object with free keys: such a field is requested as a list of names and values, and converted
 * here. A model without strict mode may return the object itself, which is accepted. Fields come with the request, so
 * no schema is compiled or cached.
 */

export interface FormField extends JsonObject {
  readonly type: ValueType;
  readonly description?: string;
}

export type FormAnswer = { readonly values: JsonObject } | { readonly errors: readonly FieldError[] };

/** Returns a strict schema of one value for each field, without references. */
export function formSchemaOf(fields: Readonly<Record<string, FormField>>): Record<string, unknown> {
  return objectSchemaOf(mapEntries(fields, valueSchemaOf));
}

/** Returns the values of the model's answer, or its errors. */
export function parseForm(fields: Readonly<Record<string, FormField>>, text: string): FormAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' ? storableText(value) : value,
    );
  } catch {
    return { errors: [wrongAt('', 'is not JSON')] };
  }
  const errors = findFormErrors(fields, answer);
  if (errors.length > 0) return { errors: limitFieldErrors(errors) };
  return { values: mapEntries(answer as JsonObject, (value, name) => valueOf(fields[name], value)) };
}

/** Only the model reads these: it is told the sentence. */
const wrongAt = (path: string, message: string) => fieldError(path, 'schema', message);

const scalars = ['string', 'number', 'integer', 'boolean'] as const;
const pairs = {
  type: 'array',
  items: objectSchemaOf({ name: { type: 'string' }, value: { type: 'string' } }),
};

function objectSchemaOf(properties: JsonObject): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function valueSchemaOf(field: FormField): JsonObject {
  const { type, description = '' } = field;
  const described = description ? { description } : {};
  if (type === 'object') return { ...pairs, ...described };
  if (type === 'array') return { type, items: { type: itemTypeOf(field) }, ...described };
  const values = valuesOf(field);
  return { type, ...(values.length > 0 ? { enum: values } : {}), ...described };
}

/** Returns the values of `enum` that have the declared type, each once: strict schemas reject duplicates. */
function valuesOf({ type, enum: values }: FormField): unknown[] {
  if (!Array.isArray(values)) return [];
  return [...new Set<unknown>(values)].filter(value => isOfType(type, value));
}

function findFormErrors(fields: Readonly<Record<string, FormField>>, answer: unknown): FieldError[] {
  if (!isOfType('object', answer)) return [wrongAt('', 'must be object')];
  const values = answer as JsonObject;
  const missing = Object.keys(fields).filter(name => !Object.hasOwn(values, name));
  const unknown = Object.keys(values).filter(name => !Object.hasOwn(fields, name));
  return [
    ...missing.map(name => wrongAt('', `must have required property '${name}'`)),
    ...unknown.map(name => wrongAt('', `must not have "${name}"`)),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const message = Object.hasOwn(values, name) ? findValueError(field, values[name]) : undefined;
      return message ? [wrongAt(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, message)] : [];
    }),
  ];
}

function findValueError(field: FormField, value: unknown): string | undefined {
  const { type } = field;
  if (type === 'object')
    return isOfType(type, value) || isPairs(value) ? undefined : 'must be object, or names with values';
  if (!isOfType(type, value)) return `must be ${type}`;
  if (type === 'array') {
    const item = itemTypeOf(field);
    return (value as unknown[]).every(each => isOfType(item, each)) ? undefined : `must have ${item} items`;
  }
  const values = valuesOf(field);
  return values.length === 0 || values.includes(value) ? undefined : `must be one of ${formatValues(values)}`;
}

function isPairs(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPair);
}

function isPair(value: unknown): boolean {
  if (!isOfType('object', value) || Object.keys(value as JsonObject).length !== 2) return false;
  const { name, value: its } = value as JsonObject;
  return typeof name === 'string' && typeof its === 'string';
}

function itemTypeOf({ items }: FormField): ValueType {
  const type = (items as JsonObject | undefined)?.['type'];
  return scalars.find(scalar => scalar === type) ?? 'string';
}

function valueOf(field: FormField | undefined, value: unknown): unknown {
  if (field?.type !== 'object' || !Array.isArray(value)) return value;
  const named = (value as { name: string; value: string }[]).filter(({ name }) => name !== '');
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

function mapEntries<T, R>(
  all: Readonly<Record<string, T>>,
  make: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, make(value, name)]));
}
