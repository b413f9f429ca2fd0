/** Keywords of JSON Schema that the model uses; the schema of the client is untrusted. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

/** Subschemas that are merged into one: references may be circular or fan out exponentially. */
const MAX_FLATTENED_SCHEMAS = 200;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Resolves `#/a/b` from the root; any other reference, or a dangling one, is a schema that allows everything. */
function resolveReference(root: JsonSchema, ref: string): JsonSchema {
  let node: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  return isObject(node) ? node : {};
}

function mergeSchemas(left: JsonSchema, right: JsonSchema): JsonSchema {
  const both: JsonSchema = { ...left, ...right };
  const properties = left.properties && right.properties && { ...left.properties, ...right.properties };
  const required = left.required && right.required && [...left.required, ...right.required];
  return { ...both, ...(properties && { properties }), ...(required && { required }) };
}

const isNullSchema = (schema: JsonSchema) => schema.type === 'null' || schema.const === null;

/** Flattens a schema: references resolved, allOf merged, the first non-null branch of anyOf and oneOf taken. */
export function flattenSchema(
  root: JsonSchema,
  schema: unknown,
  budget = { left: MAX_FLATTENED_SCHEMAS },
): JsonSchema {
  budget.left -= 1;
  if (!isObject(schema) || budget.left < 0) return {};
  const { $ref, allOf, anyOf, oneOf, ...keywords }: JsonSchema = schema;
  let flat: JsonSchema = keywords;
  const branches = [anyOf, oneOf].map(any => any?.find(branch => !isNullSchema(branch)) ?? any?.[0]);
  const parts = [
    $ref === undefined ? undefined : resolveReference(root, $ref),
    ...(allOf ?? []),
    ...branches,
  ];
  for (const part of parts) if (part) flat = mergeSchemas(flattenSchema(root, part, budget), flat);
  return flat;
}

/** The type to generate: the declared one, not null if there is a choice; else the type that the keywords belong to. */
export function chooseType(schema: JsonSchema): string {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  const type = types?.find(type => type !== 'null') ?? types?.[0];
  if (type !== undefined) return type;
  if (schema.properties || schema.required) return 'object';
  if (schema.items || schema.prefixItems || schema.minItems !== undefined) return 'array';
  return (schema.minimum ?? schema.maximum ?? schema.multipleOf) === undefined ? 'string' : 'number';
}
