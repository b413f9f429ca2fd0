import Joi from 'joi';
import type { AgentToSet, SchemaToSet } from '../db/assistants/agents.ts';
import {
  agentFieldsToSet,
  agentName,
  argumentsSchema,
  schemaName,
} from '../queues/contract/operations/agent-shape.ts';
import { flag } from '../queues/contract/shape.ts';
import type { AgentsToSave } from '../workers/assistants/agent-changes.ts';
import { schemaErrorsOf } from '../workers/domain/schemas/schema-errors.ts';

/** The API has the same limits. */
const agentsFileSchema = Joi.object({
  schemas: Joi.array()
    .items(
      Joi.object({
        schemaName: schemaName.required(),
        description: agentFieldsToSet.description,
        schema: argumentsSchema.required(),
        deleted: flag(),
      }),
    )
    .unique('schemaName')
    .default([]),
  agents: Joi.array()
    .items(
      Joi.object({
        agentName: agentName.required(),
        schemaName: schemaName.required(),
        ...agentFieldsToSet,
        deleted: flag(),
      }),
    )
    .unique('agentName')
    .default([]),
});

/** Parses the file; throws with a line for each problem, located by a JSON pointer. */
export function parseAgentsFile(text: string): AgentsToSave {
  const { value, error } = agentsFileSchema.label('/').validate(parseJson(text), {
    abortEarly: false,
    convert: false,
    errors: { label: false },
  });
  if (error) throw new Error(error.details.map(({ path, message }) => lineOf(path, message)).join('\n'));
  const { schemas, agents } = value as FileContent;
  const errors = schemas.flatMap(({ schema }, at) =>
    schemaErrorsOf(schema).map(
      ({ path, message }) => `${pointerOf(['schemas', at, 'schema'])}${path}: ${message}`,
    ),
  );
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return {
    schemas: schemas.map(({ schema, ...rest }) => ({ ...rest, arguments: schema })),
    agents,
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

interface FileContent {
  readonly schemas: readonly {
    readonly schemaName: string;
    readonly description?: string;
    readonly schema: SchemaToSet['arguments'];
    readonly deleted?: boolean;
  }[];
  readonly agents: readonly AgentToSet[];
}
