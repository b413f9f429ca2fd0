import { NIL_UUID } from '../../platform/uuid.ts';
import { type KnownCall, knownCallsOf } from '../conversations/tool-confirmations.ts';
import { type Host, hostColumns } from '../hosts/hosts.ts';
import { rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { AgentWithSchema } from './agents.ts';
import { type GivenAnswer, givenAnswersOf } from './approved-answers.ts';
import { type Avatar, avatarColumns } from './avatars.ts';
import type { FlowStep } from './flows.ts';
import { type McpConfig, mcpColumns } from './mcp-configs.ts';
import { type RestTool, restToolColumns } from './rest-tools.ts';

export interface TurnFlow {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly steps: readonly FlowStep[];
  readonly model: string;
}

/** A team to which the turn may hand its conversation over. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface TurnSettings {
  readonly avatar: Avatar;
  readonly host: Host;
  /** The active flow that was saved last; null if the avatar has none. */
  readonly flow: TurnFlow | null;
  /** Agents of the flow's steps that may run: neither they nor their schemas are deleted. */
  readonly agents: readonly AgentWithSchema[];
  /** Keys of the flow's steps that the conversation has done. */
  readonly stepsDone: readonly string[];
  /** Enabled ones come first, then the oldest. */
  readonly mcpConfigs: readonly McpConfig[];
  /** Enabled ones, the oldest first. */
  readonly restTools: readonly RestTool[];
  readonly teams: readonly Team[];
  /** Keys of the filters of readable chunks, the first thousand. */
  readonly filterKeys: readonly string[];
  /** Approved answers that may be one to the question of the turn. */
  readonly givenAnswers: readonly GivenAnswer[];
  /** The oldest first. */
  readonly knownCalls: readonly KnownCall[];
}

interface SettingsSearch {
  /** Undefined: the default avatar of the host, its oldest. */
  readonly subSlug?: string | undefined;
  readonly conversationId: string;
  /** Names of agents, which replace the ones of the flow. */
  readonly agentNames?: readonly string[] | undefined;
  readonly maxMcpConfigs: number;
  readonly turnId: string;
  /** See `knownCallsOf`. */
  queueNow(): number;
  /** See `givenAnswersOf`. */
  readonly approved?: { key(): string | undefined; readonly reader: number };
}

type OftenNone = 'givenAnswers' | 'knownCalls';

/** Whether there may be any. */
interface Some {
  readonly someAnswers: boolean;
  readonly someCalls: boolean;
}

/** A turn uses no more. */
const MAX_REST_TOOLS = 32;

/** Reads the settings with one statement, and what most turns have none of with another; undefined if there is no such avatar. */
export async function readTurnSettings(
  scope: HostScope,
  search: SettingsSearch,
): Promise<TurnSettings | undefined> {
  const found = await readSettings(scope, search);
  if (!found) return undefined;
  const { someAnswers, someCalls, ...settings } = found;
  const key = someAnswers ? search.approved?.key() : undefined;
  const some =
    key !== undefined || someCalls
      ? await readSome(scope, settings.avatar.avatar_id, search, key)
      : undefined;
  return { ...settings, ...(some ?? { givenAnswers: [], knownCalls: [] }) };
}

async function readSome(
  { tx, hostId }: HostScope,
  avatarId: string,
  { conversationId, turnId, queueNow, approved }: SettingsSearch,
  key: string | undefined,
): Promise<Pick<TurnSettings, OftenNone> | undefined> {
  const [some] = await rowsOf<Pick<TurnSettings, OftenNone>>(tx)`
    select ${givenAnswersOf(hostId, sql`${avatarId}::uuid`, key, approved?.reader ?? 0)} as "givenAnswers",
      ${knownCallsOf(hostId, { conversationId, turnId, queueNow: queueNow() })} as "knownCalls"`;
  return some;
}

async function readSettings(
  { tx, hostId }: HostScope,
  { subSlug, conversationId, agentNames, maxMcpConfigs }: SettingsSearch,
): Promise<(Omit<TurnSettings, OftenNone> & Some) | undefined> {
  return rowOf<Omit<TurnSettings, OftenNone> & Some>(tx)`
    with avatar as (
      select ${avatarColumns} from avatars avatar
      where avatar.host_id = ${hostId} and avatar.sub_slug = coalesce(${subSlug ?? null}, avatar.sub_slug)
        and not avatar.deleted
      order by avatar.created_at, avatar.id limit 1
    ), flow as (
      select id, name, version, steps, model from flows
      where host_id = ${hostId} and avatar_id = (select avatar_id from avatar) and active and not deleted
      order by updated_at desc, id limit 1
    )
    select (select row_to_json(avatar) from avatar) as avatar,
      (select row_to_json(host) from (select ${hostColumns} from hosts where id = ${hostId}) host) as host,
      (select row_to_json(flow) from flow) as flow,
      (select coalesce(json_agg(row_to_json(offered_agent) order by offered_agent.name), '[]') from (
        select agent.id, agent.name, agent.description, schema.name as "schemaName", schema.arguments
        from agents agent
        join agent_schemas schema on schema.host_id = agent.host_id and schema.id = agent.schema_id
        where agent.host_id = ${hostId} and not agent.deleted and not schema.deleted
          and agent.name = any (coalesce(${agentNames ?? null}::text[], array(
            select jsonb_path_query(steps, '$[*].agents[*].agentName') #>> '{}' from flow)))
      ) offered_agent) as agents,
      array(
        select step_key from flow_steps_done
        where host_id = ${hostId} and conversation_id = ${conversationId}
          and flow_id = coalesce((select id from flow), ${NIL_UUID}::uuid)
      ) as "stepsDone",
      (select coalesce(json_agg(row_to_json(listed_config)), '[]') from (
        select ${mcpColumns} from mcp_configs mcp
        where mcp.host_id = ${hostId} and mcp.avatar_id = (select avatar_id from avatar)
        order by mcp.enabled desc, mcp.created_at, mcp.id limit ${maxMcpConfigs}
      ) listed_config) as "mcpConfigs",
      (select coalesce(json_agg(row_to_json(listed_tool)), '[]') from (
        select ${restToolColumns} from rest_tools rest
        where rest.host_id = ${hostId} and rest.avatar_id = (select avatar_id from avatar) and rest.enabled
        order by rest.created_at, rest.id limit ${MAX_REST_TOOLS}
      ) listed_tool) as "restTools",
      (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'description', description) order by lower(name), id), '[]')
        from teams where host_id = ${hostId} and not deleted) as teams,
      array(
        select distinct key from (
          select filter from readable_chunks
          where host_id = ${hostId} and avatar_id = (select avatar_id from avatar) and filter is not null
          limit 1000
        ) filtered_chunk, jsonb_object_keys(filter) key
        order by key
      ) as "filterKeys",
      exists (select from approved_answers where host_id = ${hostId} and enabled and not deleted) as "someAnswers",
      exists (
        select from tool_confirmations where host_id = ${hostId} and conversation_id = ${conversationId}) as "someCalls"
    where exists (select from avatar)`;
}
