import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';

export const valueTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type ValueType = (typeof valueTypes)[number];

export interface FrontProperty {
  readonly type: ValueType;
  readonly default: unknown;
  readonly description: string;
}

/** The arguments of an agent in the form that a page renders. */
export interface FrontSchema {
  readonly id: string;
  readonly type: 'object';
  readonly title: string;
  readonly schema: string;
  readonly required: string[];
  readonly properties: Record<string, FrontProperty>;
  readonly description: string;
}

interface AgentParts {
  readonly agentName: string;
  readonly frontName: string;
  readonly description: string;
  readonly schemaName: string;
  readonly arguments: JsonObject;
  /** Overrides for the page; the rest is derived from the schema. */
  readonly frontSchema: JsonObject;
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export function frontSchemaOf(agent: AgentParts): FrontSchema {
  const { frontSchema, arguments: schema } = agent;
  const properties = objectOf(frontSchema['properties'] ?? schema['properties']);
  const required = frontSchema['required'] ?? schema['required'];
  return {
    id: textOf(frontSchema['id']) || agent.schemaName,
    type: 'object',
    title: textOf(frontSchema['title']) || agent.frontName || agent.agentName,
    schema: textOf(frontSchema['schema']) || textOf(schema['$schema']) || DIALECT,
    required: Array.isArray(required) ? required.filter(name => typeof name === 'string') : [],
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, frontPropertyOf(objectOf(property))]),
    ),
    description: textOf(frontSchema['description']) || agent.description,
  };
}

function emptyOf(type: ValueType): unknown {
  const empties = { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} };
  return empties[type];
}

export function isOfType(type: ValueType, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isJsonObject(value);
  return typeof value === type;
}

function frontPropertyOf(property: JsonObject): FrontProperty {
  const type = typeOf(property);
  const frontSchema = property['default'];
  const description = textOf(property['description']) || textOf(property['title']);
  return { type, default: isOfType(type, frontSchema) ? frontSchema : emptyOf(type), description };
}

/** JSON Schema allows several types, or an `enum` without a type; a page needs one. */
function typeOf({ type, enum: values, const: only, properties, items }: JsonObject): ValueType {
  const declared = Array.isArray(type) ? type : [type];
  const known = valueTypes.find(one => declared.includes(one));
  if (known) return known;
  const sample: unknown = Array.isArray(values) ? values[0] : only;
  if (sample !== undefined) return valueTypes.find(one => isOfType(one, sample)) ?? 'string';
  if (properties) return 'object';
  return items ? 'array' : 'string';
}

function objectOf(value: unknown): JsonObject {
  return isOfType('object', value) ? (value as JsonObject) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
