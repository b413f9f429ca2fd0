import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { type JsonLimits, jsonWeightOf } from '../json-weight.ts';
import { isReadPattern, referenceTarget } from './schema-texts.ts';

/*
 * The schema of a server's tool may be of any draft or dialect: draft 3 to 2020-12, OpenAPI, or of a generator that knows none. It
 * is written anew as model servers take it: known keywords with values of their form, one object at the top, lists with one schema
 * for their items, references to `$defs`. A rule that has no such form is left out, because the server checks the arguments itself.
 */

export type OfferedSchema = JsonObject & { readonly type: 'object' };

/** Checking every schema of one list took 170 s of processor time and 2 GB. */
export const MAX_SCHEMA_SIZE: JsonLimits = { values: 2_000, characters: 16_000, depth: 32 };

/** Returns undefined where the arguments are no object, or where references make the schema too large. */
export function offeredSchemaOf(sent: JsonObject): OfferedSchema | undefined {
  return new SchemaWriter(sent).write();
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
/** Names of types in the languages that schemas are generated from. */
const TYPE_OF_NAME: ReadonlyMap<string, string> = new Map([
  ...TYPES.map(type => [type, type] as const),
  ...'str text char uuid uri url date datetime date-time timestamp time email file binary enum'
    .split(' ')
    .map(name => [name, 'string'] as const),
  ...'int int32 int64 long short'.split(' ').map(name => [name, 'integer'] as const),
  ...'float double decimal numeric'.split(' ').map(name => [name, 'number'] as const),
  ...'list tuple set'.split(' ').map(name => [name, 'array'] as const),
  ...'dict map hash struct'.split(' ').map(name => [name, 'object'] as const),
  ['bool', 'boolean'],
  ['none', 'null'],
]);

type Reader = (value: unknown) => unknown;

const numberOf: Reader = value => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};
const countOf: Reader = value => {
  const count = numberOf(value);
  return Number.isInteger(count) && (count as number) >= 0 ? count : undefined;
};
const flagOf: Reader = value => (typeof value === 'boolean' ? value : undefined);
const textOf: Reader = value => (typeof value === 'string' ? value : undefined);
const listOf: Reader = value => (Array.isArray(value) && value.length > 0 ? value : undefined);

/** The keywords that contain no schema. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...readersFor(numberOf, 'minimum maximum exclusiveMinimum exclusiveMaximum'),
  ...readersFor(countOf, 'minLength maxLength minItems maxItems minProperties maxProperties'),
  ...readersFor(flagOf, 'uniqueItems deprecated readOnly writeOnly nullable'),
  ...readersFor(textOf, 'title description format contentEncoding contentMediaType'),
  ...readersFor(listOf, 'enum examples'),
  ...readersFor(value => value, 'const default'),
  // OpenAPI has examples elsewhere, to which no reference of a schema leads.
  ['example', value => (isJsonObject(value) && '$ref' in value ? undefined : value)],
  ['multipleOf', value => (Number(numberOf(value)) > 0 ? numberOf(value) : undefined)],
  ['pattern', patternOf],
]);

/** As a regular expression is written in a program, `/^[0-9]+$/` matches nothing. */
function patternOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const pattern = value.startsWith('/^') ? value.slice(1, Math.max(1, value.lastIndexOf('/'))) : value;
  return isReadPattern(pattern) ? pattern : undefined;
}

function readersFor(reader: Reader, names: string): (readonly [name: string, reader: Reader])[] {
  return names.split(' ').map(name => [name, reader]);
}

/** Two hundred references to overlapping parts of a schema of 2,000 values would be copied as 64,000 values otherwise. */
const MAX_SCHEMAS = 2_000;

/** Model servers refuse these at the top, or they say nothing of an object. */
const UNTAKEN = new Set(['not', 'enum', 'const', 'items', 'prefixItems']);

type Fields = Record<string, unknown>;

class SchemaWriter {
  readonly #sent: JsonObject;
  /** The names of the definitions, by the references to them; each is written once. */
  readonly #names = new Map<string, string>();
  readonly #waiting: (readonly [name: string, target: unknown])[] = [];
  #schemas = 0;

  constructor(sent: JsonObject) {
    this.#sent = sent;
  }

  write(): OfferedSchema | undefined {
    const top = this.#flat(this.#sent, new Set());
    const types = typesOf(top['type']);
    if (types.length > 0 && !types.includes('object')) return undefined;
    const written = this.#schema({ ...top, type: 'object' });
    const definitions: [string, JsonObject][] = [];
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (this.#schemas > MAX_SCHEMAS) return undefined;
      definitions.push([next[0], this.#schema(next[1])]);
    }
    if (this.#schemas > MAX_SCHEMAS) return undefined;
    const $defs = definitions.length > 0 ? { $defs: Object.fromEntries(definitions) } : {};
    return { properties: {}, ...written, type: 'object', ...$defs };
  }

  /**
   * Merges references and choices at the top, which model servers refuse: what one of several needs, is not required. Each part is
   * merged once, because a hundred references to the top would be followed for ever.
   */
  #flat(sent: JsonObject, merged: Set<unknown>): JsonObject {
    merged.add(sent);
    const { $ref, allOf, anyOf, oneOf, ...others } = sent;
    const own = Object.fromEntries(Object.entries(others).filter(([name]) => !UNTAKEN.has(name)));
    const target = typeof $ref === 'string' ? referenceTarget(this.#sent, $ref) : undefined;
    const flat = (parts: readonly unknown[]) =>
      parts.flatMap(part => (isJsonObject(part) && !merged.has(part) ? [this.#flat(part, merged)] : []));
    const needed = flat([target, allOf].flat());
    const choices = flat([anyOf, oneOf].flat());
    const all = [...needed, ...choices, own];
    if (all.length === 1) return own;
    return {
      ...Object.fromEntries(all.flatMap(Object.entries)),
      type: all.flatMap(({ type }) => typesOf(type)),
      properties: Object.fromEntries([
        ...fieldsOf(needed),
        ...eitherOf(fieldsOf(choices)),
        ...fieldsOf([own]),
      ]),
      required: [...needed, own].flatMap(requiredOf),
    };
  }

  #schema(sent: unknown): JsonObject {
    this.#schemas += 1;
    if (typeof sent === 'string') return this.#schema({ type: sent });
    if (!isJsonObject(sent) || this.#schemas > MAX_SCHEMAS) return {};
    const schema: Fields = {};
    for (const [name, value] of Object.entries(sent)) {
      const read = (value ?? undefined) === undefined ? undefined : READERS.get(name)?.(value);
      if (read !== undefined) schema[name] = read;
      // Null is a value of these.
      else if (value === null && (name === 'default' || name === 'const')) schema[name] = null;
    }
    for (const [side, limit] of SIDES)
      if (sent[side] === true && schema[limit] !== undefined) {
        schema[side] = schema[limit];
        delete schema[limit];
      }
    const type = this.#typeOf(sent);
    if (schema['enum']) schema['enum'] = valuesOf(schema['enum'] as unknown[], type['type']);
    // Validators refuse to compile a schema that has this without a type.
    if (type['type'] === undefined) delete schema['nullable'];
    return {
      ...schema,
      ...type,
      ...this.#objectOf(sent),
      ...this.#itemsOf(sent),
      ...this.#partsOf(sent),
    };
  }

  #typeOf({ type, $ref }: JsonObject): JsonObject {
    const reference = typeof $ref === 'string' ? this.#referenceTo($ref) : {};
    // Draft 3 has schemas among its types.
    if (Array.isArray(type) && type.some(isJsonObject))
      return { anyOf: type.map(each => this.#schema(each)), ...reference };
    return { ...typeFieldsOf(typesOf(type)), ...reference };
  }

  #objectOf(sent: JsonObject): Fields {
    const { properties, patternProperties, additionalProperties: others } = sent;
    const fields: Fields = {};
    if (properties !== undefined && properties !== null) fields['properties'] = this.#map(properties);
    const required = [...new Set(requiredOf(sent))];
    if (required.length > 0) fields['required'] = required;
    if (isJsonObject(patternProperties)) {
      const readable = Object.entries(patternProperties).filter(([pattern]) => isReadPattern(pattern));
      fields['patternProperties'] = this.#map(Object.fromEntries(readable));
    }
    if (typeof others === 'boolean') fields['additionalProperties'] = others;
    else if (isJsonObject(others)) fields['additionalProperties'] = this.#schema(others);
    return fields;
  }

  #map(schemas: unknown): JsonObject {
    if (!isJsonObject(schemas)) return {};
    const entries = Object.entries(schemas).filter(([, each]) => each !== null);
    return Object.fromEntries(entries.map(([name, each]) => [name, this.#schema(each)]));
  }

  /** Model servers want one schema for the items of each list, and know no tuples. */
  #itemsOf({ type, items, prefixItems }: JsonObject): Fields {
    const tuple = [prefixItems, items].filter(each => Array.isArray(each)).flat() as unknown[];
    const schemas = (tuple.length > 0 ? tuple : isJsonObject(items) ? [items] : []).map(each =>
      this.#schema(each),
    );
    const [first, ...others] = new Map(schemas.map(each => [JSON.stringify(each), each])).values();
    if (first) return { items: others.length > 0 ? { anyOf: [first, ...others] } : first };
    return typesOf(type).includes('array') ? { items: {} } : {};
  }

  #partsOf(sent: JsonObject): Fields {
    const fields: Fields = {};
    for (const name of ['anyOf', 'oneOf', 'allOf']) {
      const schemas = sent[name];
      if (Array.isArray(schemas) && schemas.length > 0)
        fields[name] = schemas.map(each => this.#schema(each));
    }
    for (const name of ['not', 'if', 'then', 'else', 'contains', 'propertyNames'])
      if (isJsonObject(sent[name])) fields[name] = this.#schema(sent[name]);
    return fields;
  }

  /** A reference that leads nowhere stands for any value. */
  #referenceTo(reference: string): JsonObject {
    const target = referenceTarget(this.#sent, reference);
    if (!isJsonObject(target)) return {};
    const known = this.#names.get(reference);
    const name = known ?? this.#newName(reference);
    if (known === undefined) {
      this.#names.set(reference, name);
      this.#waiting.push([name, target]);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #newName(reference: string): string {
    const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^\w.-]/g, '_');
    return [...this.#names.values()].includes(last) ? `${last}_${this.#names.size + 1}` : last;
  }
}

type Field = [name: string, schema: unknown];

function fieldsOf(schemas: readonly JsonObject[]): Field[] {
  return schemas.flatMap(({ properties }) => (isJsonObject(properties) ? Object.entries(properties) : []));
}

/** Choices within choices would write a field of 5 MB again at each of a hundred levels: longer ones count as unlike. */
const MAX_COMPARED: JsonLimits = { values: 200, characters: 2_000, depth: 10 };

/** A field that several choices have, such as the one that tells them apart, is as any of them has it. */
function eitherOf(fields: readonly Field[]): Field[] {
  const byName = new Map<string, Map<unknown, unknown>>();
  for (const [name, schema] of fields) {
    const known = byName.get(name) ?? new Map<unknown, unknown>();
    const key = jsonWeightOf(schema, MAX_COMPARED) ? JSON.stringify(schema) : schema;
    byName.set(name, known.set(key, schema));
  }
  return [...byName].map(([name, schemas]) => {
    const [first, ...others] = schemas.values();
    return [name, others.length > 0 ? { anyOf: [first, ...others] } : first];
  });
}

/** Generators list numbers as texts, and texts as numbers: no value would be of such a type and among them, too. */
function valuesOf(values: readonly unknown[], type: unknown): unknown[] {
  const typed = values.map(value => {
    if (type === 'string') return ['number', 'boolean'].includes(typeof value) ? String(value) : value;
    if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value);
    return type === 'integer' || type === 'number' ? (numberOf(value) ?? value) : value;
  });
  return [...new Set(typed)];
}

const SIDES = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

function typesOf(type: unknown): string[] {
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = names.map(name =>
    typeof name === 'string' ? TYPE_OF_NAME.get(name.toLowerCase()) : undefined,
  );
  return [...new Set(types)].filter(each => each !== undefined);
}

function typeFieldsOf([type, ...others]: readonly string[]): JsonObject {
  if (type === undefined) return {};
  return { type: others.length > 0 ? [type, ...others] : type };
}

/** Returns the names that are required, also by the fields themselves, as in draft 3. */
function requiredOf({ required, properties }: JsonObject): string[] {
  const named = [required].flat().filter(name => typeof name === 'string' && name !== '') as string[];
  const inner = isJsonObject(properties) ? Object.entries(properties) : [];
  const marked = inner.filter(([, each]) => isJsonObject(each) && each['required'] === true);
  return [...named, ...marked.map(([name]) => name)];
}
