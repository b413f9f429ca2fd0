import { type Fragment, sql } from '../rows-of.ts';

export interface ConversationFilter {
  readonly askHumanHelp?: boolean | undefined;
  readonly unanswered?: boolean | undefined;
  readonly closed?: boolean | undefined;
  readonly archived?: boolean | undefined;
  readonly platform?: string | undefined;
  readonly assignedTo?: string | undefined;
  readonly contactId?: string | undefined;
  /** Only conversations with a message or any other change at or after this time. */
  readonly updatedSince?: Date | undefined;
}

/** The indexes have the same expression. */
export const newestAt = sql`(case when last_message_at is null then created_at else last_message_at end)`;

/** Whether a conversation has the state of `is_closed` and `is_archived`, in the form of the index that serves the filter. */
export function isInState({ platform, askHumanHelp, unanswered }: ConversationFilter): Fragment {
  if (platform === undefined || askHumanHelp || unanswered)
    return sql`closed = is_closed and archived = is_archived`;
  return sql`${stateOf(sql`closed`, sql`archived`)} = ${stateOf(sql`is_closed`, sql`is_archived`)}`;
}

function stateOf(closed: Fragment, archived: Fragment): Fragment {
  return sql`(case when ${closed} then case when ${archived} then 3 else 2 end else case when ${archived} then 1 else 0 end end)`;
}

/** The conditions but those of its state. In a conversation without a message, nobody waits for anything. */
export function isAsked(
  hostId: string,
  { askHumanHelp, unanswered, platform, assignedTo, contactId, updatedSince }: ConversationFilter,
): Fragment {
  // In the text of the statement, not a value: so the planner knows that a partial index is enough.
  const help = askHumanHelp ? sql`and ask_human_help` : sql`and not ask_human_help`;
  const waiting = unanswered ? sql`and unanswered_at is not null` : sql`and unanswered_at is null`;
  return sql`host_id = ${hostId} and last_message_at is not null ${askHumanHelp === undefined ? sql`` : help}
    ${unanswered === undefined ? sql`` : waiting}
    ${platform === undefined ? sql`` : sql`and platform = ${platform}`}
    ${assignedTo === undefined ? sql`` : sql`and assigned_to = ${assignedTo}`}
    ${contactId === undefined ? sql`` : sql`and contact_id = ${contactId}`}
    ${updatedSince === undefined ? sql`` : sql`and (updated_at >= ${updatedSince} or ${newestAt} >= ${updatedSince})`}`;
}

/** One person's conversations, or those of one staff member: their index needs no ranges by state. */
export function isOfFew({ contactId, assignedTo }: ConversationFilter): boolean {
  return contactId !== undefined || assignedTo !== undefined;
}

export function hasState({ closed, archived }: ConversationFilter): Fragment {
  return sql`closed = any (${valuesOf(closed)}::boolean[]) and archived = any (${valuesOf(archived)}::boolean[])`;
}

export function valuesOf(flag: boolean | undefined): readonly string[] {
  return flag === undefined ? ['false', 'true'] : [String(flag)];
}
