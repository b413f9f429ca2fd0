import Joi from 'joi';
import type { AgentToSet, SchemaToSet } from '../db/assistants/agents.ts';
import {
  agentFieldsToSet,
  agentName,
  argumentsSchema,
  schemaName,
} from '../queues/contract/operations/agent-to-set.ts';
import { flag } from '../queues/contract/shape.ts';

export interface FileContent {
  readonly schemas: readonly {
    readonly schemaName: string;
    readonly description?: string;
    readonly schema: SchemaToSet['arguments'];
    readonly deleted?: boolean;
  }[];
  readonly agents: readonly (Omit<AgentToSet, 'name'> & { readonly agentName: string })[];
}

/** The limits are those of the API. */
export const agentsFileSchema = Joi.object({
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
