import { type ContactData, lockContact, upsertContact } from '../../db/contacts.ts';
import {
  type Conversation,
  type ConversationChanges,
  findConversation,
  linkLead,
  mergeGlobalData,
  setConversation,
} from '../../db/conversations.ts';
import { openTicket } from '../../db/tickets.ts';
import { finishTurn } from '../../db/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isEmail } from '../domain/email.ts';
import { e164Of } from '../domain/phone.ts';
import { isBlank, limitUserData, type UserData } from '../domain/user-data.ts';
import { agentsRunIn, noEffects } from './effects.ts';
import { receiptOf, stepsDoneIn } from './receipt.ts';
import { rememberSteps } from './steering.ts';
import { type Turn, tokensOf } from './turn.ts';
import { reasoningDataOf } from './turns-data.ts';

/**
 * The answer, its receipt, what was said about the person and all that the model has called for; refused, and nothing
 * of it is stored, when the turn is in other hands by now.
 */
export async function storeTurn(scope: HostScope, thought: Turn): Promise<Outcome<DataOf<'reason'>>> {
  // Before the conversation, which a record of the same contact may want to link.
  if (thought.body.userData) await lockContact(scope, contactOf(thought));
  const turn = await asItStands(scope, thought);
  const { jobId, attempt, answer, body, conversation } = turn;
  const receipt = receiptOf(turn);
  const finished = await finishTurn(scope, { jobId, attempt, answer, tokens: tokensOf(turn.calls), receipt });
  if (!finished) return failure('interrupted', { turnId: jobId });
  if (body.globalData) await mergeGlobalData(scope, conversation.id, body.globalData);
  const contactId = await knownContact(scope, turn);
  const { ticketId, askHumanHelp } = await storeEffects(scope, turn, contactId);
  const leadId = await linkLead(scope, conversation.id);
  const told = { ...turn, conversation: { ...conversation, askHumanHelp, leadId } };
  return { code: 200, data: reasoningDataOf(told, { userId: contactId ?? '', ticketId }) };
}

/** A person of the host may have come while the model thought: then what it said is not said, nor done. */
async function asItStands(scope: HostScope, thought: Turn): Promise<Turn> {
  const conversation = await findConversation(scope, thought.conversation.id, { forUpdate: true });
  if (!conversation) return thought;
  if (!conversation.attended) return { ...thought, conversation };
  return {
    ...thought,
    conversation,
    answer: '',
    items: [],
    warnings: [],
    effects: noEffects(),
    isSilenced: true,
  };
}

async function storeEffects(scope: HostScope, turn: Turn, contactId: string | undefined) {
  const { body, conversation, effects, steering, jobId } = turn;
  const done = { steps: stepsDoneIn(turn), agents: agentsRunIn(effects) };
  if (steering) {
    await rememberSteps(scope, steering, { conversationId: conversation.id, turnId: jobId, ...done });
  }
  const { handover, ticket, closes } = effects;
  if (handover || closes) {
    // Whoever is to help finds the conversation open.
    const changes = handover ? { askHumanHelp: true } : { closed: true };
    await setConversation(scope, conversation.id, changes);
  }
  // Nobody is to work on what was only tried.
  const opened =
    ticket && !body.reasoningConfig?.rehearsal
      ? await openTicket(scope, {
          conversationId: conversation.id,
          contactId,
          subject: ticket.subject,
          content: ticket.description,
        })
      : undefined;
  const askHumanHelp = handover !== undefined || (conversation.askHumanHelp && !closes);
  return { ticketId: opened?.id ?? '', askHumanHelp };
}

async function knownContact(scope: HostScope, turn: Turn): Promise<string | undefined> {
  const { body, conversation, data } = turn;
  const earlier = conversation.contactId ?? undefined;
  if (!body.userData) return earlier;
  const contactId = (await upsertContact(scope, contactOf(turn))) ?? earlier;
  await setConversation(scope, conversation.id, {
    ...(contactId ? { contactId } : {}),
    ...shownOf(conversation, body.userData),
    userData: limitUserData(data.userData),
  });
  return contactId;
}

/** What the conversation shows of it. What was emptied is emptied there, too, but never what came from elsewhere. */
function shownOf({ userData: kept, ...shown }: Conversation, given: UserData): ConversationChanges {
  const told = (field: keyof UserData, now: string): string => {
    if (!isBlank(given[field])) return String(given[field]);
    return Object.hasOwn(given, field) && kept[field] === now ? '' : now;
  };
  return {
    userName: told('name', shown.userName),
    wppId: told('phone', shown.wppId),
    externalId: told('externalId', shown.externalId),
  };
}

/**
 * Whom the turn's `userData` is about. It need not say so again: who was known by an e-mail or a phone still is. But
 * another e-mail may be another person's, who has not the phone of the one before.
 */
function contactOf({ body: { userData = {} }, data }: Turn): ContactData {
  const { name, cpf, externalId } = userData;
  const email = emailIn(data.userData);
  const phone = emailIn(userData) ? userData.phone : data.userData.phone;
  return { name, cpf, externalId, email, phone, phoneE164: e164Of(phone) };
}

function emailIn({ email }: UserData): string | undefined {
  return email !== undefined && isEmail(email) ? email : undefined;
}
