import { isOfType, type ValueType } from './front-schema.ts';
import { argumentsProblems, type Problem } from './schema-problems.ts';
import { storableText } from './storable.ts';

/*
 * How a model is asked for the values of a form, and how its answer is read. Strict schemas know no object of free
 * names: such a field is asked for as a list of names and values, and put together here. A model that is not held to
 * the schema may write the object itself; that is as good.
 */

type JsonObject = Readonly<Record<string, unknown>>;

export interface FormField extends JsonObject {
  readonly type: ValueType;
  readonly description?: string;
}

export type FormAnswer = { readonly values: JsonObject } | { readonly problems: readonly Problem[] };

/** A strict schema of one value for each field, without references. */
export function formSchemaOf(fields: Readonly<Record<string, FormField>>): Record<string, unknown> {
  return objectSchemaOf(mapped(fields, valueSchemaOf));
}

/** The values in a model's answer, or what is wrong with it. */
export function readForm(fields: Readonly<Record<string, FormField>>, text: string): FormAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' ? storableText(value) : value,
    );
  } catch {
    return { problems: [{ path: '', message: 'is not JSON' }] };
  }
  const problems = argumentsProblems(objectSchemaOf(mapped(fields, readableSchemaOf)), answer);
  if (problems.length > 0) return { problems };
  return { values: mapped(answer as JsonObject, (value, name) => valueOf(fields[name], value)) };
}

const scalars = ['string', 'number', 'integer', 'boolean'];
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
  // Values of another type could not be met; a strict schema takes none twice.
  const values = Array.isArray(field['enum'])
    ? [...new Set(field['enum'])].filter(value => isOfType(type, value))
    : [];
  return { type, ...(values.length > 0 ? { enum: values } : {}), ...described };
}

function readableSchemaOf(field: FormField): JsonObject {
  return field.type === 'object' ? { anyOf: [{ type: 'object' }, pairs] } : valueSchemaOf(field);
}

function itemTypeOf({ items }: FormField): unknown {
  const type = (items as JsonObject | undefined)?.['type'];
  return scalars.find(scalar => scalar === type) ?? 'string';
}

function valueOf(field: FormField | undefined, value: unknown): unknown {
  if (field?.type !== 'object' || !Array.isArray(value)) return value;
  const named = (value as { name: string; value: string }[]).filter(({ name }) => name !== '');
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

function mapped<T, R>(
  all: Readonly<Record<string, T>>,
  make: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, make(value, name)]));
}
