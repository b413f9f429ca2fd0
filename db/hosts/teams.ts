import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Fragment, returnsRow, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type Team = DataOf<'saveTeam'>;
export type TeamSettings = Pick<Team, 'name' | 'description' | 'personIds'>;

const columns = sql`id as "teamId", host_id as "hostId", name, description, person_ids as "personIds",
    created_at at time zone 'UTC' as "createdAt"`;

export async function listTeams({ tx, hostId }: HostScope): Promise<Team[]> {
  return rowsOf<Team>(tx)`
    select ${columns} from teams where host_id = ${hostId} and not deleted order by lower(name), id`;
}

export async function findTeamForUpdate({ tx, hostId }: HostScope, id: string): Promise<Team | undefined> {
  return rowOf<Team>(tx)`
    select ${columns} from teams where host_id = ${hostId} and id = ${id} and not deleted for update`;
}

/** Returns undefined if another team has the name, in whatever case. */
export async function upsertTeam(
  { tx, hostId }: HostScope,
  id: string,
  { name, description, personIds }: TeamSettings,
): Promise<Team | undefined> {
  // The lock has a statement of its own, because the next one would not see commits during its own wait.
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtext('parley teams'), hashtext(${hostId}))`;
  return rowOf<Team>(tx)`
    insert into teams (host_id, id, name, description, person_ids)
    select ${hostId}, ${id}::uuid, ${name}, ${description}, ${personIds}::uuid[] where not exists (
      select from teams where host_id = ${hostId} and lower(name) = lower(${name}) and id <> ${id}::uuid and not deleted)
    on conflict (host_id, id) do update set name = excluded.name, description = excluded.description,
      person_ids = excluded.person_ids, updated_at = now()
    returning ${columns}`;
}

/** What is open waits for everybody then. */
export async function deleteTeam({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`
    with deleted_team as (
      update teams set deleted = true, updated_at = now() where host_id = ${hostId} and id = ${id}
    )
    update conversations set team_id = null, untaken_since = null, updated_at = now()
    where host_id = ${hostId} and team_id = ${id} and not closed`;
}

/** Ids of the teams of which the person is a member. */
export const teamsOf = (hostId: string, personId: string): Fragment => sql`array(
  select id from teams where host_id = ${hostId} and not deleted and ${personId}::uuid = any (person_ids))`;

export async function hasTeam({ tx, hostId }: HostScope, id: string): Promise<boolean> {
  return returnsRow(tx)`select from teams where host_id = ${hostId} and id = ${id} and not deleted`;
}

/** What staff may choose from for a conversation: of labels also those that it has. */
interface Listed {
  readonly labels: readonly string[];
  readonly closeReasons: readonly string[];
}

export const NOTHING_LISTED: Listed = { labels: [], closeReasons: [] };

export async function readListed({ tx, hostId }: HostScope, conversationId: string): Promise<Listed> {
  const [listed] = await rowsOf<Listed>(tx)`
    select close_reasons as "closeReasons", labels || array(
        select unnest(conversations.labels) from conversations where host_id = ${hostId} and id = ${conversationId}
        except select unnest(hosts.labels) order by 1
      ) as labels
    from hosts where id = ${hostId}`;
  return listed ?? NOTHING_LISTED;
}
