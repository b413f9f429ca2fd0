import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import { hostOfToken, type TokenHost } from '../hosts/tokens.ts';
import { rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type SiteChat = DataOf<'saveSiteChat'>;
export type SiteChatSettings = Omit<SiteChat, 'chatId' | 'hostId' | 'publicKey' | 'createdAt' | 'deleted'>;

const columns = sql`chat.id as "chatId", chat.host_id as "hostId", public_key as "publicKey", avatar_id as "avatarId", origins, title,
    greeting, colour, enabled, show_sources as "showSources", visitor_questions_per_hour as "visitorQuestionsPerHour",
    address_questions_per_hour as "addressQuestionsPerHour", questions_per_day as "questionsPerDay",
    chat.created_at at time zone 'UTC' as "createdAt"`;

/** A chat as its visitors meet it. */
export interface OpenSiteChat extends SiteChat {
  readonly host: TokenHost;
  /** The short name of its avatar. */
  readonly subSlug: string;
}

/** Finds the enabled chat of this key. Works as the owner, because the key tells the host. */
export async function findOpenSiteChat(db: Db, publicKey: string): Promise<OpenSiteChat | undefined> {
  return rowOf<OpenSiteChat>(db)`
    select ${columns}, avatar.sub_slug as "subSlug", ${hostOfToken} as host
    from site_chats chat join hosts on hosts.id = chat.host_id
    join avatars avatar on avatar.host_id = chat.host_id and avatar.id = chat.avatar_id and not avatar.deleted
    where public_key = ${publicKey} and enabled`;
}

/** Lists the oldest first, with disabled ones. */
export async function listSiteChats({ tx, hostId }: HostScope): Promise<SiteChat[]> {
  return rowsOf<SiteChat>(tx)`
    select ${columns} from site_chats chat where host_id = ${hostId} order by chat.created_at, id`;
}

export async function findSiteChatForUpdate(
  { tx, hostId }: HostScope,
  id: string,
): Promise<SiteChat | undefined> {
  return rowOf<SiteChat>(tx)`
    select ${columns} from site_chats chat where host_id = ${hostId} and id = ${id} for update`;
}

/** Returns undefined, and writes nothing, if the host has no such avatar. A chat keeps its first key. */
export async function upsertSiteChat(
  { tx, hostId }: HostScope,
  { chatId, publicKey }: Pick<SiteChat, 'chatId' | 'publicKey'>,
  chat: SiteChatSettings,
): Promise<SiteChat | undefined> {
  return rowOf<SiteChat>(tx)`
    insert into site_chats as chat (host_id, id, avatar_id, public_key, origins, title, greeting, colour, enabled, show_sources,
      visitor_questions_per_hour, address_questions_per_hour, questions_per_day)
    select avatar.host_id, ${chatId}, avatar.id, ${publicKey}, ${chat.origins}::text[], ${chat.title}, ${chat.greeting},
      ${chat.colour}, ${chat.enabled}, ${chat.showSources}, ${chat.visitorQuestionsPerHour}, ${chat.addressQuestionsPerHour},
      ${chat.questionsPerDay}
    from avatars avatar where avatar.host_id = ${hostId} and avatar.id = ${chat.avatarId} and not avatar.deleted
    on conflict (host_id, id) do update set avatar_id = excluded.avatar_id, origins = excluded.origins,
      title = excluded.title, greeting = excluded.greeting, colour = excluded.colour, enabled = excluded.enabled,
      show_sources = excluded.show_sources, visitor_questions_per_hour = excluded.visitor_questions_per_hour,
      address_questions_per_hour = excluded.address_questions_per_hour, questions_per_day = excluded.questions_per_day,
      updated_at = now()
    returning ${columns}`;
}

export async function deleteSiteChat({ tx, hostId }: HostScope, id: string): Promise<void> {
  await rowsOf(tx)`delete from site_chats where host_id = ${hostId} and id = ${id}`;
}
