import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type SavedReply = DataOf<'saveSavedReply'>;

const columns = sql`id as "replyId", host_id as "hostId", name, text, owner_id is not null as "onlyMine",
    created_at at time zone 'UTC' as "createdAt"`;
const isSeenBy = (caller: string) => sql`(owner_id is null or owner_id = ${caller})`;

export async function listSavedReplies({ tx, hostId }: HostScope, caller: string): Promise<SavedReply[]> {
  return rowsOf<SavedReply>(tx)`
    select ${columns} from saved_replies where host_id = ${hostId} and ${isSeenBy(caller)} order by lower(name), id`;
}

export async function findSavedReplyForUpdate(
  { tx, hostId }: HostScope,
  id: string,
  caller: string,
): Promise<SavedReply | undefined> {
  return rowOf<SavedReply>(tx)`
    select ${columns} from saved_replies where host_id = ${hostId} and id = ${id} and ${isSeenBy(caller)} for update`;
}

/** `owner` alone sees the reply. */
export async function upsertSavedReply(
  { tx, hostId }: HostScope,
  reply: { readonly id: string; readonly name: string; readonly text: string; readonly owner: string | null },
): Promise<SavedReply> {
  const [saved] = await rowsOf<SavedReply>(tx)`
    insert into saved_replies as reply (host_id, id, name, text, owner_id)
    values (${hostId}, ${reply.id}, ${reply.name}, ${reply.text}, ${reply.owner})
    on conflict (host_id, id) do update set name = excluded.name, text = excluded.text, owner_id = excluded.owner_id,
      revision = reply.revision + 1, updated_at = now()
    returning ${columns}`;
  if (!saved) throw new Error('The reply was not stored.');
  return saved;
}

export async function deleteSavedReply({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`delete from saved_replies where host_id = ${hostId} and id = ${id}`;
}
