import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type Consent = DataOf<'saveConsent'>;

/** A contact, or the end user of a conversation; of both, the contact counts. */
export interface ConsentOf {
  readonly contactId: string | undefined;
  readonly conversationId: string | undefined;
}

const columns = sql`id as "consentId", host_id as "hostId", contact_id as "contactId", conversation_id as "conversationId",
  version, text_digest as "textDigest", channel, withdrawn,
  to_char(said_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`;

/** Returns undefined if nobody is there. What comes with a later time than now is of now: a withdrawal would come before it. */
export async function insertConsent(
  { tx, hostId }: HostScope,
  { contactId, conversationId }: ConsentOf,
  said: Pick<Consent, 'version' | 'textDigest' | 'channel' | 'withdrawn'> & { readonly at: Date | undefined },
): Promise<Consent | undefined> {
  return rowOf<Consent>(tx)`
    insert into consents (host_id, contact_id, conversation_id, version, text_digest, channel, withdrawn, said_at)
    select ${hostId}, coalesce(contact.id, conversation.contact_id), conversation.id, ${said.version}, ${said.textDigest},
      ${said.channel}, ${said.withdrawn},
      least(coalesce(${said.at ?? null}::timestamptz, clock_timestamp()), clock_timestamp())
    from (values (${conversationId ?? null}::uuid, ${contactId ?? null}::uuid)) person (conversation_id, contact_id)
    left join conversations conversation on conversation.host_id = ${hostId} and conversation.id = person.conversation_id
    left join contacts contact on contact.host_id = ${hostId} and contact.id = person.contact_id
    where (person.conversation_id is null or conversation.id is not null) and (person.contact_id is null or contact.id is not null)
    returning ${columns}`;
}

/** Lists the newest of each version, also of the other conversations of the same contact, the newest first. */
export async function listConsents(
  { tx, hostId }: HostScope,
  { contactId, conversationId }: ConsentOf,
): Promise<Consent[]> {
  return rowsOf<Consent>(tx)`
    with person as (
      select coalesce(${contactId ?? null}::uuid, (
        select contact_id from conversations where host_id = ${hostId} and id = ${conversationId ?? null})) as contact
    )
    select ${columns} from (
      select distinct on (version) * from consents
      where host_id = ${hostId} and (
        conversation_id = ${conversationId ?? null} or contact_id = (select contact from person)
        or conversation_id in (
          select id from conversations where host_id = ${hostId} and contact_id = (select contact from person)))
      order by version, said_at desc, created_at desc
    ) newest order by said_at desc, version`;
}
