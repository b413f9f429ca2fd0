import { type Agent, type AgentSchema, listAgents as agentsOf, listSchemas } from '../../db/agents.ts';
import { frontSchemaOf } from '../domain/front-schema.ts';
import type { Handler } from '../job.ts';

export const listAgents: Handler<'listAgents'> = job =>
  job.read(async scope => {
    const agents = await agentsOf(scope);
    const schemas = await listSchemas(scope);
    return { code: 200, data: { agents: agents.map(agentEntryOf), schemas: schemas.map(schemaEntryOf) } };
  });

function agentEntryOf(agent: Agent) {
  const { id, createdAt, updatedAt, name, description } = agent;
  const { schemaName, schemaId, lucideIcon, frontName, advanced } = agent;
  return {
    id,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    agentName: name,
    description,
    frontSchema: frontSchemaOf(agent),
    schemaName,
    schemaId,
    lucideIcon,
    frontName,
    advanced,
  };
}

function schemaEntryOf({ id, createdAt, updatedAt, name, description, deleted }: AgentSchema) {
  return {
    id,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    schemaName: name,
    description,
    deleted,
  };
}
