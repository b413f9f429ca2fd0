import type { Db } from '../../db/connection.ts';
import { type ContactData, lockContact, upsertContact } from '../../db/conversations/contacts.ts';
import {
  type Conversation,
  type ConversationChanges,
  findConversation,
  lockConversation,
  setConversation,
} from '../../db/conversations/conversations.ts';
import { abandonTurn } from '../../db/conversations/turns.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { isFinal } from '../../queues/contract/failure.ts';
import { isEmail } from '../../text/contact.ts';
import { e164Of } from '../../text/phone.ts';
import { isBlank, limitUserData, type UserData } from '../domain/user-data.ts';
import { mergeTurnData } from './read.ts';
import type { ClaimedTurn, TurnJob } from './turn.ts';

/* The end user's data are stored with the answer of a turn, and with its failure too, so that staff know whom to answer. */

type Asked = Pick<ClaimedTurn, 'conversation' | 'data'> & { readonly job: Pick<TurnJob, 'body'> };

/** Must be called before any row is locked: a later lock could deadlock. */
export async function lockAsker(scope: HostScope, asked: Asked): Promise<void> {
  if (asked.job.body.userData) await lockContact(scope, describedContactOf(asked));
}

/**
 * Ends a turn without an answer: its question stays. `code` is what its caller is told; a turn that was cancelled, or whose
 * request is at fault, did not fail. Returns false where another run has the turn.
 */
export function endUnanswered(
  db: Db,
  job: Pick<TurnJob, 'hostId' | 'turnId' | 'body' | 'attachments' | 'signal' | 'remainingMs'>,
  attempt: number,
  code: number,
): Promise<boolean> {
  const { hostId, turnId, body } = job;
  const failedCode = findFailedCode(job, code);
  const hasAttachments = job.attachments !== undefined;
  const abandoned = { turnId, attempt, code: failedCode, hasAttachments };
  return withHost(db, hostId, async scope => {
    if (failedCode === undefined || !body.userData) return abandonTurn(scope, abandoned);
    const seen = await findConversation(scope, body.conversationId);
    if (!seen) return false;
    await lockAsker(scope, { job, conversation: seen, data: mergeTurnData(seen, body) });
    if (!(await abandonTurn(scope, abandoned))) return false;
    const conversation = (await lockConversation(scope, body.conversationId)) ?? seen;
    await storeAsker(scope, { job, conversation, data: mergeTurnData(conversation, body) });
    return true;
  });
}

function findFailedCode(job: Pick<TurnJob, 'signal' | 'remainingMs'>, code: number): number | undefined {
  if (isFinal(code)) return undefined;
  // At the deadline nobody waits any more either, but the caller did not leave, so that is a failure.
  if (job.signal.reason === 'deadline' || job.remainingMs() <= 0) return 408;
  return job.signal.reason === 'cancelled' ? undefined : code;
}

/** A lead belongs to its contact, so a conversation with another contact has another lead. */
export async function storeAsker(
  scope: HostScope,
  asked: Asked,
): Promise<{ readonly contactId: string | undefined; readonly leadId: string | null }> {
  const { conversation, data } = asked;
  const { body } = asked.job;
  const earlier = conversation.contactId ?? undefined;
  if (!body.userData) return { contactId: earlier, leadId: conversation.leadId };
  const contactId = (await upsertContact(scope, describedContactOf(asked))) ?? earlier;
  const changed = await setConversation(scope, conversation.id, {
    ...(contactId ? { contactId } : {}),
    ...toShownFields(conversation, body.userData),
    userData: limitUserData(data.userData),
  });
  return { contactId, leadId: changed?.leadId ?? null };
}

/** Updates the fields that the conversation shows. An emptied value clears its field, unless the field came from elsewhere. */
function toShownFields({ userData: stored, ...shown }: Conversation, sent: UserData): ConversationChanges {
  const valueOf = (field: keyof UserData, now: string): string => {
    if (!isBlank(sent[field])) return String(sent[field]);
    return Object.hasOwn(sent, field) && stored[field] === now ? '' : now;
  };
  return {
    userName: valueOf('name', shown.userName),
    wppId: valueOf('phone', shown.wppId),
    externalId: valueOf('externalId', shown.externalId),
  };
}

/**
 * Returns the contact that the turn's `userData` describes. The e-mail, the phone and the CPF of earlier turns still identify it.
 * But a new e-mail may be another person's, so the earlier phone and CPF no longer count then.
 */
function describedContactOf({ job, data, conversation }: Asked): ContactData {
  const { userData = {} } = job.body;
  const { name, externalId } = userData;
  const email = emailIn(data.userData);
  const isSameEmail = email?.toLowerCase() === emailIn(conversation.userData)?.toLowerCase();
  const cpf = isSameEmail ? data.userData.cpf : userData.cpf;
  const phone = emailIn(userData) ? userData.phone : data.userData.phone;
  return { name, cpf, externalId, email, phone, phoneE164: e164Of(phone) };
}

function emailIn({ email }: UserData): string | undefined {
  return email !== undefined && isEmail(email) ? email : undefined;
}
