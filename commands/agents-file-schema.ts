import Joi from 'joi';
import type { AgentToSet } from '../db/agents.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { valueTypes } from '../workers/domain/schemas/front-schema.ts';

export interface FileContent {
  readonly schemas: readonly {
    readonly schemaName: string;
    readonly description?: string;
    readonly schema: JsonObject;
    readonly deleted?: boolean;
  }[];
  readonly agents: readonly (Omit<AgentToSet, 'name'> & { readonly agentName: string })[];
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

export const agentsFileSchema = Joi.object({
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
