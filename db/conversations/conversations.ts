import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Fragment, jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** The channel of conversations that name none. */
export const DEFAULT_PLATFORM = 'api';
/** The channel of rehearsals, which the console hides from staff who attend. */
export const REHEARSAL_PLATFORM = 'ensaio';

export type GlobalData = Readonly<Record<string, unknown>>;
export type UserData = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly id: string;
  readonly contactId: string | null;
  readonly leadId: string | null;
  readonly platform: string;
  readonly globalData: GlobalData;
  /** Data of callers about the end user. */
  readonly userData: UserData;
  readonly userName: string;
  readonly wppId: string;
  readonly externalId: string;
  readonly archived: boolean;
  readonly closed: boolean;
  readonly askHumanHelp: boolean;
  /** Set if a staff member has written since help was requested: the assistant stays silent. */
  readonly attended: boolean;
  /** The last word of staff that silenced the assistant. */
  readonly staffSeq: string | null;
  /** Set if a staff member handles it. */
  readonly assignedTo: string | null;
  readonly teamId: string | null;
  /** Earlier messages are no longer context. */
  readonly reopenedAt: Date | null;
  readonly createdAt: Date;
  readonly categories: readonly string[];
  /** Values of its tokens, in the order of their numbers. */
  readonly maskedValues: readonly MaskedValue[];
}

/** A personal identifier, as `workers/domain/masking` describes it. */
export interface MaskedValue {
  readonly kind: string;
  readonly key: string;
  readonly text: string;
}

export type ConversationChanges = Partial<
  Pick<
    Conversation,
    | 'contactId'
    | 'userData'
    | 'userName'
    | 'wppId'
    | 'externalId'
    | 'archived'
    | 'closed'
    | 'askHumanHelp'
    | 'maskedValues'
  >
> & {
  readonly assigned?: Assignment;
  /** Null: no team. One that is deleted meanwhile counts as none. */
  readonly teamId?: string | null;
  readonly labels?: readonly string[];
  readonly closeReason?: string | null;
};

/** Who handles a conversation: people of the host, and in `name` after theirs those whom only a caller knows. */
export interface Assignment {
  /** Undefined: those who have this name already, else nobody of the host. */
  readonly personIds?: readonly string[] | undefined;
  readonly name?: string | null | undefined;
}

/** The fields of a conversation that callers see: data that they sent, in any amount, is left out. */
type ConversationInformation = DataOf<'getConversationInformation'>;

/** The contact's latest lead when it joined the conversation, else its first later one, which not every row has stored. */
const leadOfContact = sql`coalesce(lead_id, (
  select leads.id from leads where leads.host_id = conversations.host_id and leads.contact_id = conversations.contact_id
  order by leads.created_at, leads.id limit 1))`;

export const informationColumns = sql`conversations.id, dialogue_summary, main_topic, user_name, tip, wpp_id, archived,
    coalesce(last_message_at, conversations.created_at) at time zone 'UTC' as last_message_at, external_id,
    heat_score, heat_score_description, sentiment_score, sentiment_score_explanation,
    coalesce(${leadOfContact}::text, '') as lead_id, ask_human_help, closed,
    assigned_to, assigned_person_ids[1] as assigned_person_id, assigned_person_ids, team_id, labels,
    case when closed then close_reason end as close_reason`;

export const conversationColumns = sql`conversations.id, contact_id as "contactId", ${leadOfContact} as "leadId", platform,
    user_name as "userName", wpp_id as "wppId", external_id as "externalId", archived, closed,
    ask_human_help as "askHumanHelp", assigned_to as "assignedTo", team_id as "teamId", conversations.created_at as "createdAt",
    global_data as "globalData", user_data as "userData", attended, staff_seq as "staffSeq", reopened_at as "reopenedAt", categories,
    masked_values as "maskedValues"`;

export async function insertConversation(
  { tx, hostId }: HostScope,
  globalData: GlobalData = {},
): Promise<string> {
  const [inserted] = await rowsOf<{ id: string }>(tx)`
    insert into conversations (host_id, platform, global_data)
    values (${hostId}, ${platformOf(globalData) ?? DEFAULT_PLATFORM}, ${jsonOf(globalData)})
    returning id`;
  if (!inserted) throw new Error('The conversation was not stored.');
  return inserted.id;
}

export async function findConversation(
  { tx, hostId }: HostScope,
  id: string,
): Promise<Conversation | undefined> {
  return rowOf<Conversation>(tx)`
    select ${conversationColumns} from conversations where host_id = ${hostId} and id = ${id}`;
}

export async function findConversationInformation(
  { tx, hostId }: HostScope,
  id: string,
): Promise<ConversationInformation | undefined> {
  return rowOf<ConversationInformation>(tx)`
    select ${informationColumns} from conversations where host_id = ${hostId} and id = ${id}`;
}

/** Merges the given keys into the stored ones and returns all. */
export async function mergeGlobalData(
  { tx, hostId }: HostScope,
  id: string,
  globalData: GlobalData,
): Promise<GlobalData | undefined> {
  const [merged] = await rowsOf<{ globalData: GlobalData }>(tx)`
    update conversations set global_data = global_data || ${jsonOf(globalData)}::jsonb,
      platform = coalesce(${platformOf(globalData) ?? null}, platform), updated_at = now()
    where host_id = ${hostId} and id = ${id}
    returning global_data as "globalData"`;
  return merged?.globalData;
}

/** Also tells whether the conversation was closed, and had asked for help, before the change. */
export interface ChangedConversation extends Conversation {
  readonly wasClosed: boolean;
  readonly wasAskingHelp: boolean;
}

/**
 * Updates the given fields. Closing also ends the request for help and the assignment, unless they are given. Without a request
 * for help, nobody attends.
 */
export async function setConversation(
  { tx, hostId }: HostScope,
  id: string,
  changes: ConversationChanges,
): Promise<ChangedConversation | undefined> {
  const { contactId, userData, userName, wppId, externalId, archived, closed, askHumanHelp } = changes;
  const { maskedValues, assigned = closed ? { personIds: [] } : undefined } = changes;
  const { teamId, labels, closeReason = null } = changes;
  const help = askHumanHelp ?? (closed ? false : null);
  const [conversation] = await rowsOf<ChangedConversation>(tx)`
    update conversations set
      contact_id = coalesce(${contactId ?? null}, contact_id),
      lead_id = case when ${contactId ?? null}::uuid = contact_id or ${contactId ?? null}::uuid is null then lead_id else (
        select leads.id from leads where leads.host_id = ${hostId} and leads.contact_id = ${contactId ?? null}::uuid
        order by arrived_at desc, leads.id limit 1) end,
      user_data = coalesce(${userData ? jsonOf(userData) : null}::jsonb, user_data),
      user_name = coalesce(${userName ?? null}, user_name),
      wpp_id = coalesce(${wppId ?? null}, wpp_id),
      external_id = coalesce(${externalId ?? null}, external_id),
      archived = coalesce(${archived ?? null}, archived),
      closed = coalesce(${closed ?? null}, closed),
      ask_human_help = coalesce(${help}, ask_human_help),
      ${assigned ? setAssigned(hostId, assigned) : sql``}
      ${teamId === undefined ? sql`` : sql`team_id = (select id from teams where host_id = ${hostId} and id = ${teamId}::uuid and not deleted),`}
      ${labels ? sql`labels = ${labels}::text[],` : sql``}
      ${
        closed
          ? sql`close_reason = coalesce(${closeReason}, case when closed then close_reason end),
        closed_at = case when closed then closed_at else clock_timestamp() end,`
          : sql``
      }
      masked_values = coalesce(${maskedValues ? jsonOf(maskedValues) : null}::jsonb, masked_values),
      attended = attended and coalesce(${help}, ask_human_help),
      updated_at = now()
    from (
      select id as earlier_id, closed as was_closed, ask_human_help as was_asking_help from conversations
      where host_id = ${hostId} and id = ${id} for no key update
    ) earlier_conversation
    where host_id = ${hostId} and id = earlier_id
    returning ${conversationColumns}, was_closed as "wasClosed", was_asking_help as "wasAskingHelp"`;
  return conversation;
}

function setAssigned(hostId: string, { personIds, name = null }: Assignment): Fragment {
  const ids = personIds
    ? sql`${personIds}::uuid[]`
    : sql`case when assigned_to = ${name}::text then assigned_person_ids else '{}' end`;
  const names = attendantNamesOf(hostId, ids, sql`${name}::text`);
  return sql`assigned_person_ids = ${ids}, assigned_to = ${names}, untaken_since = case
    when ${names} is null then null
    when (${names}, ${ids}) is distinct from (assigned_to, assigned_person_ids) then clock_timestamp()
    else untaken_since end,`;
}

/** The present names of people, and after as many names in `names` the others; in a name there is no comma. */
function attendantNamesOf(hostId: string, personIds: Fragment, names: Fragment): Fragment {
  return sql`nullif(concat_ws(', ', (
      select string_agg(regexp_replace(name, '[\\s,]+', ' ', 'g'), ', ' order by place)
      from unnest(${personIds}) with ordinality attendant (id, place)
      join people on people.host_id = ${hostId} and people.id = attendant.id
    ), nullif(array_to_string((string_to_array(${names}, ', '))[cardinality(${personIds}) + 1:], ', '), '')), '')`;
}

/** Shows the present name of the person in the conversations that they handle. */
export async function renameAttendant({ tx, hostId }: HostScope, personId: string): Promise<void> {
  const names = attendantNamesOf(hostId, sql`assigned_person_ids`, sql`assigned_to`);
  await rowsOf(tx)`
    update conversations set assigned_to = ${names}, updated_at = now()
    where host_id = ${hostId} and assigned_person_ids <> '{}' and ${personId}::uuid = any (assigned_person_ids)
      and assigned_to is distinct from ${names}`;
}

/** Locks the conversation until the transaction ends. */
export async function lockConversation(
  { tx, hostId }: HostScope,
  id: string,
): Promise<Conversation | undefined> {
  return rowOf<Conversation>(tx)`
    select ${conversationColumns} from conversations where host_id = ${hostId} and id = ${id} for no key update`;
}

/** Characters. Any text may be a channel, but it is a key of indexes; callers cannot ask for a longer one either. */
const MAX_PLATFORM = 200;

function platformOf({ platform }: GlobalData): string | undefined {
  if (typeof platform !== 'string' || platform.trim() === '') return undefined;
  return Array.from(platform.trim().slice(0, 2 * MAX_PLATFORM))
    .slice(0, MAX_PLATFORM)
    .join('');
}
