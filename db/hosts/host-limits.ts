import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Limits objects that are returned in one list: it must fit into one response, and reading it must cost the other hosts
 * nothing. Chunks, messages and records have no such limit, because they are read page by page.
 */

export type LimitedObjects =
  | 'agents'
  | 'agent_schemas'
  | 'approved_answers'
  | 'avatars'
  | 'datasets'
  | 'dataset_avatars'
  | 'flows'
  | 'host_providers'
  | 'mcp_configs'
  | 'people'
  | 'rest_tools'
  | 'saved_replies'
  | 'site_chats'
  | 'teams'
  | 'webhooks';

const MAX_BYTES = 4 * 1_048_576;

const objects: Readonly<Record<LimitedObjects, { readonly most: number; readonly sizes: Fragment }>> = {
  // The list derives the form of each agent from its schema.
  agents: {
    most: 1_000,
    sizes: sql`select agent.host_id, octet_length(front_schema::text) + octet_length(arguments::text)
        + octet_length(agent.description) + octet_length(front_name) + octet_length(lucide_icon) as bytes
      from agents agent join agent_schemas schema on schema.host_id = agent.host_id and schema.id = schema_id
      where not agent.deleted`,
  },
  // Deleted schemas count, because they are listed, too.
  agent_schemas: {
    most: 1_000,
    sizes: sql`select host_id, octet_length(description) as bytes from agent_schemas`,
  },
  // Of one list, with the questions and the answer.
  approved_answers: {
    most: 1_000,
    sizes: sql`select host_id, octet_length(answer) + octet_length(questions::text) as bytes from approved_answers
      where not deleted`,
  },
  avatars: { most: 1_000, sizes: sql`select host_id, 0 as bytes from avatars where not deleted` },
  datasets: { most: 1_000, sizes: sql`select host_id, 0 as bytes from datasets where not deleted` },
  dataset_avatars: {
    most: 10_000,
    sizes: sql`select host_id, 0 as bytes from dataset_avatars where not deleted`,
  },
  flows: {
    most: 1_000,
    sizes: sql`select host_id, octet_length(steps::text) as bytes from flows where not deleted`,
  },
  // Listing the models asks each provider.
  host_providers: { most: 20, sizes: sql`select host_id, 0 as bytes from host_providers` },
  mcp_configs: {
    most: 1_000,
    sizes: sql`select host_id, octet_length(config::text) + octet_length(sealed_headers::text) as bytes
      from mcp_configs`,
  },
  people: { most: 1_000, sizes: sql`select host_id, 0 as bytes from people` },
  rest_tools: {
    most: 1_000,
    sizes: sql`select host_id, octet_length(config::text) + octet_length(functions::text) as bytes from rest_tools`,
  },
  saved_replies: {
    most: 1_000,
    sizes: sql`select host_id, octet_length(name) + octet_length(text) as bytes from saved_replies`,
  },
  site_chats: { most: 50, sizes: sql`select host_id, 0 as bytes from site_chats` },
  // A model that hands over reads them all.
  teams: { most: 50, sizes: sql`select host_id, 0 as bytes from teams where not deleted` },
  // Every event is written to each webhook that wants it.
  webhooks: { most: 20, sizes: sql`select host_id, 0 as bytes from webhooks` },
};

/**
 * Whether the host is within its limits. Must be called after a write: a refusal rolls it back. Until the transaction ends,
 * other writers of the host wait here, so that the second of two counts what the first one wrote.
 */
export async function isWithinLimits({ tx, hostId }: HostScope, kind: LimitedObjects): Promise<boolean> {
  const { most, sizes } = objects[kind];
  // The lock has a statement of its own, because the count would not see commits during its own wait.
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtext(${`parley limit ${kind}`}), hashtext(${hostId}))`;
  const [found] = await rowsOf<{ isWithin: boolean }>(tx)`
    select count(*) <= ${most} and coalesce(sum(bytes), 0) <= ${MAX_BYTES} as "isWithin"
    from (${sizes}) objects where host_id = ${hostId}`;
  return found?.isWithin === true;
}
