import Joi from 'joi';
import type { AgentToSet, SchemaToSet } from '../db/agents.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { valueTypes } from '../workers/domain/schemas/front-schema.ts';
import { findSchemaErrors } from '../workers/domain/schemas/schema-errors.ts';

interface FileContent {
  readonly schemas: readonly {
    readonly schemaName: string;
    readonly description?: string;
    readonly schema: JsonObject;
    readonly deleted?: boolean;
  }[];
  readonly agents: readonly (Omit<AgentToSet, 'name'> & { readonly agentName: string })[];
}

export interface AgentsToSet {
  readonly schemas: readonly SchemaToSet[];
  readonly agents: readonly AgentToSet[];
}

const name = Joi.string().max(200);
const words = Joi.string().allow('').max(8_000);

const frontSchema = Joi.object({
  id: words,
  type: Joi.valid('object'),
  title: words,
  schema: words,
  required: Joi.array().items(Joi.string()),
  properties: Joi.object().pattern(
    Joi.string(),
    Joi.object({ type: Joi.valid(...valueTypes).required(), default: Joi.any(), description: words }),
  ),
  description: words,
});

const file = Joi.object({
  schemas: Joi.array()
    .items(
      Joi.object({
        schemaName: name.required(),
        description: words,
        schema: Joi.object().unknown(true).required(),
        deleted: Joi.boolean(),
      }),
    )
    .unique('schemaName')
    .default([]),
  agents: Joi.array()
    .items(
      Joi.object({
        // The name of the function: providers accept no other characters.
        agentName: Joi.string()
          .pattern(/^[A-Za-z0-9_-]{1,64}$/)
          .required(),
        schemaName: name.required(),
        description: words,
        frontSchema,
        frontName: words,
        lucideIcon: words,
        advanced: Joi.boolean(),
        deleted: Joi.boolean(),
      }),
    )
    .unique('agentName')
    .default([]),
});

/** Parses the file; throws with a line for each problem, located by a JSON pointer. */
export function parseAgentsFile(text: string): AgentsToSet {
  const { value, error } = file.label('/').validate(parseJson(text), {
    abortEarly: false,
    convert: false,
    errors: { label: false },
  });
  if (error) throw new Error(error.details.map(({ path, message }) => lineOf(path, message)).join('\n'));
  const { schemas, agents } = value as FileContent;
  const errors = schemas.flatMap(({ schema }, at) =>
    findSchemaErrors(schema).map(
      ({ path, message }) => `${pointerOf(['schemas', at, 'schema'])}${path}: ${message}`,
    ),
  );
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return {
    schemas: schemas.map(({ schemaName, schema, ...rest }) => ({
      ...rest,
      name: schemaName,
      arguments: schema,
    })),
    agents: agents.map(({ agentName, ...rest }) => ({ ...rest, name: agentName })),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The file is not JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

function lineOf(path: readonly (string | number)[], message: string): string {
  return `${pointerOf(path) || '/'}: ${message}`;
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
