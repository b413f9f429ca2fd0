import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { filesByMessage } from './files.ts';

/** A message of a conversation as the visitor of a site sees it. */
export interface VisitorMessage {
  readonly id: string;
  readonly from: 'visitor' | 'assistant' | 'staff';
  /** Of a staff member. */
  readonly name: string | null;
  readonly text: string;
  readonly at: string;
  readonly sources: readonly VisitorSource[] | null;
  readonly files:
    | readonly { readonly id: string; readonly name: string | null; readonly size: number }[]
    | null;
}

interface VisitorSource {
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
}

export interface VisitorConversation {
  /** Whether somebody of the staff is asked to answer, or does. */
  readonly staff: 'none' | 'waiting' | 'attending';
  readonly messages: readonly VisitorMessage[];
}

interface VisitorPage {
  readonly conversationId: string;
  readonly avatarId: string;
  readonly after: string | undefined;
  readonly withSources: boolean;
}

/** The newest that are read at once: of a longer conversation the page shows its end. */
const MAX_MESSAGES = 100;
/** Characters of a passage that are shown. */
const MAX_PASSAGE = 2_000;

/**
 * Reads the newest messages, or those after one, oldest first, without notes. A passage is a source as long as the avatar may
 * read it. Undefined if there is no such conversation yet.
 */
export async function readVisitorConversation(
  { tx, hostId }: HostScope,
  { conversationId, avatarId, after, withSources }: VisitorPage,
): Promise<VisitorConversation | undefined> {
  const [found] = await rowsOf<VisitorConversation>(tx)`
    select case when attended then 'attending' when ask_human_help then 'waiting' else 'none' end as staff, coalesce((
      select json_agg(json_build_object('id', seq::text, 'name', case author when 'human' then name end, 'text', content,
        'from', case author when 'user' then 'visitor' when 'human' then 'staff' else author end,
        'at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'sources', sources, 'files', files) order by seq)
      from (
        select seq, author, name, content, created_at, ${withSources ? sourcesOf(hostId, avatarId) : sql`null`} as sources,
          case author when 'human' then attachments end as files
        from messages left join ${filesByMessage(hostId, conversationId)} file on message_key = seq::text
        where host_id = ${hostId} and conversation_id = ${conversationId} and author in ('user', 'assistant', 'human')
          and content <> '' ${after === undefined ? sql`` : sql`and seq > ${after}::bigint`}
        order by seq desc limit ${MAX_MESSAGES}
      ) newest
    ), '[]') as messages
    from conversations where host_id = ${hostId} and id = ${conversationId}`;
  return found;
}

/** An address with a query may hold a secret, so it is left out. */
function sourcesOf(hostId: string, avatarId: string): Fragment {
  return sql`(
    select json_agg(json_build_object('title', coalesce(document_title, dataset_name), 'text', left(readable.content, ${MAX_PASSAGE}),
      'url', case when document.url ~ '^https?://[^?@]+$' then document.url end) order by place)
    from jsonb_array_elements(messages.sources) with ordinality source (value, place)
    join readable_chunks readable on readable.host_id = ${hostId} and readable.avatar_id = ${avatarId}
      and readable.chunk_id = (source.value ->> 'chunkId')::uuid
    left join documents document on document.host_id = ${hostId} and document.id = readable.document_id)`;
}
