import type { JsonObject } from '../../platform/json-object.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type Listed = DataOf<'listAgents'>;
type ListedAgent = Listed['agents'][number];
type ListedSchema = Listed['schemas'][number];

export interface AgentSchema extends ListedSchema {
  readonly arguments: JsonObject;
}

export interface Agent extends Omit<ListedAgent, 'frontSchema'> {
  readonly arguments: JsonObject;
  /** Overrides for the form of the arguments; the rest is derived from the schema. */
  readonly frontSchema: JsonObject;
  readonly deleted: boolean;
}

export interface AgentWithSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly schemaName: string;
  readonly arguments: JsonObject;
}

export interface SchemaToSet {
  readonly schemaName: string;
  readonly arguments: JsonObject;
  readonly description?: string | undefined;
  readonly deleted?: boolean | undefined;
}

export interface AgentToSet {
  readonly agentName: string;
  readonly schemaName: string;
  readonly description?: string | undefined;
  readonly frontSchema?: JsonObject | undefined;
  readonly frontName?: string | undefined;
  readonly lucideIcon?: string | undefined;
  readonly advanced?: boolean | undefined;
  readonly deleted?: boolean | undefined;
}

const schemaColumns = sql`id, created_at at time zone 'UTC' as "createdAt", updated_at at time zone 'UTC' as "updatedAt",
    name as "schemaName", description, deleted, arguments`;
const agentColumns = sql`agent.id, agent.created_at at time zone 'UTC' as "createdAt",
    agent.updated_at at time zone 'UTC' as "updatedAt", agent.name as "agentName", agent.description,
    agent.front_schema as "frontSchema", schema.name as "schemaName", agent.schema_id as "schemaId",
    agent.lucide_icon as "lucideIcon", agent.front_name as "frontName", agent.advanced, agent.deleted, schema.arguments`;

/** Includes deleted ones, which an agent may still name. */
export async function listSchemas({ tx, hostId }: HostScope): Promise<AgentSchema[]> {
  return rowsOf<AgentSchema>(tx)`
    select ${schemaColumns} from agent_schemas where host_id = ${hostId} order by name`;
}

/** Also finds a deleted one. */
export async function findSchema({ tx, hostId }: HostScope, name: string): Promise<AgentSchema | undefined> {
  return rowOf<AgentSchema>(tx)`
    select ${schemaColumns} from agent_schemas where host_id = ${hostId} and name = ${name}`;
}

/** Until the transaction ends, no other one saves agents or schemas of the host; two that create the same one wait, too. */
export async function lockAgents({ tx, hostId }: HostScope): Promise<void> {
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended(${`parley agents ${hostId}`}, 0))`;
}

type AgentKey = { readonly id: string } | { readonly name: string };

/** Also finds a deleted one. Locks all agents of the host against concurrent saves. */
export async function findAgentForUpdate(scope: HostScope, key: AgentKey): Promise<Agent | undefined> {
  await lockAgents(scope);
  return findAgent(scope, key);
}

/** Also finds a deleted one. */
export async function findAgent({ tx, hostId }: HostScope, key: AgentKey): Promise<Agent | undefined> {
  const [agent] = await rowsOf<Agent>(tx)`
    select ${agentColumns} from agents agent
    join agent_schemas schema on schema.host_id = agent.host_id and schema.id = agent.schema_id
    where agent.host_id = ${hostId} and ${'id' in key ? sql`agent.id = ${key.id}` : sql`agent.name = ${key.name}`}`;
  return agent;
}

/** Leaves out deleted agents. */
export async function listAgents({ tx, hostId }: HostScope): Promise<Agent[]> {
  return rowsOf<Agent>(tx)`
    select ${agentColumns} from agents agent
    join agent_schemas schema on schema.host_id = agent.host_id and schema.id = agent.schema_id
    where agent.host_id = ${hostId} and not agent.deleted
    order by agent.name`;
}

/** Finds the agents of these names that may run: neither they nor their schemas are deleted. */
export async function findAgents(
  { tx, hostId }: HostScope,
  names: readonly string[],
): Promise<AgentWithSchema[]> {
  if (names.length === 0) return [];
  return rowsOf<AgentWithSchema>(tx)`
    select agent.id, agent.name, agent.description, schema.name as "schemaName", schema.arguments
    from agents agent
    join agent_schemas schema on schema.host_id = agent.host_id and schema.id = agent.schema_id
    where agent.host_id = ${hostId} and agent.name = any(${names}::text[])
      and not agent.deleted and not schema.deleted
    order by agent.name`;
}

/** Inserts or replaces the schema of that name; missing fields take their defaults. */
export async function setSchema(
  { tx, hostId }: HostScope,
  { schemaName, description = '', arguments: args, deleted = false }: SchemaToSet,
): Promise<AgentSchema> {
  const [schema] = await rowsOf<AgentSchema>(tx)`
    insert into agent_schemas (host_id, name, description, arguments, deleted)
    values (${hostId}, ${schemaName}, ${description}, ${jsonOf(args)}::jsonb, ${deleted})
    on conflict (host_id, name) do update set
      description = excluded.description, arguments = excluded.arguments, deleted = excluded.deleted,
      updated_at = now()
    returning ${schemaColumns}`;
  if (!schema) throw new Error('The schema was not stored.');
  return schema;
}

/** Inserts or replaces the agent of that name; undefined if the host has no such schema. */
export async function setAgent({ tx, hostId }: HostScope, agent: AgentToSet): Promise<Agent | undefined> {
  const {
    agentName,
    schemaName,
    frontSchema = {},
    description = '',
    frontName = '',
    lucideIcon = '',
  } = agent;
  const { advanced = false, deleted = false } = agent;
  return rowOf<Agent>(tx)`
    with schema as (
      select host_id, id, name, arguments from agent_schemas where host_id = ${hostId} and name = ${schemaName}
    ), agent as (
      insert into agents
        (host_id, name, description, schema_id, front_schema, front_name, lucide_icon, advanced, deleted)
      select host_id, ${agentName}, ${description}, id, ${jsonOf(frontSchema)}::jsonb, ${frontName},
        ${lucideIcon}, ${advanced}::boolean, ${deleted}::boolean
      from schema
      on conflict (host_id, name) do update set
        description = excluded.description, schema_id = excluded.schema_id,
        front_schema = excluded.front_schema, front_name = excluded.front_name,
        lucide_icon = excluded.lucide_icon, advanced = excluded.advanced, deleted = excluded.deleted,
        updated_at = now()
      returning *
    )
    select ${agentColumns} from agent cross join schema`;
}
