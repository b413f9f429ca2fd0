import { type ContactData, lockContact, upsertContact } from '../../db/conversations/contacts.ts';
import {
  type Conversation,
  type ConversationChanges,
  findConversation,
  linkLead,
  mergeGlobalData,
  setConversation,
} from '../../db/conversations/conversations.ts';
import { finishTurn } from '../../db/conversations/turns.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { addGapQuestion, type GapReason } from '../../db/knowledge/gap-questions.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isEmail } from '../../text/contact.ts';
import { e164Of } from '../../text/phone.ts';
import { saysNotFound } from '../domain/gaps/says-not-found.ts';
import { isBlank, limitUserData, type UserData } from '../domain/user-data.ts';
import { isPayment } from '../domain/wpp-parsed/wpp-item.ts';
import { addEvents } from '../runtime/add-event.ts';
import { NO_CHECK } from './check.ts';
import { listDoneSteps, storeStepsDone } from './flow.ts';
import { eventsOf, receiptOf, responseOf, type Turn, tokensOf } from './reply.ts';
import { listRunAgents, makeEffects } from './turn.ts';

/**
 * Stores the answer, its receipt, the data of the end user and all effects that the model requested. Refuses, and stores
 * nothing, when another attempt has taken the turn over.
 */
export async function storeTurn(scope: HostScope, generated: Turn): Promise<Outcome<DataOf<'reason'>>> {
  // Locks the contact before the conversation, in the same order as a CRM record that links both: no deadlock.
  if (generated.body.userData) await lockContact(scope, contactOf(generated));
  const turn = await silenceIfAttended(scope, generated);
  const { turnId, attempt, answer, items, body, conversation } = turn;
  const receipt = receiptOf(turn);
  const finished = await finishTurn(scope, {
    turnId,
    attempt,
    answer,
    payments: items.filter(isPayment).map(({ content }) => content),
    checked: [turn.sources, turn.unsupported],
    tokens: tokensOf(turn.calls),
    receipt,
  });
  if (!finished) return failure('interrupted', { turnId: turnId });
  const gap = findGapReason(turn);
  if (gap) await addGapQuestion(scope, turnId, gap);
  if (body.globalData) await mergeGlobalData(scope, conversation.id, body.globalData);
  const contactId = await storeContact(scope, turn);
  const { ticketId, askHumanHelp } = await storeEffects(scope, turn, contactId);
  const maskedValues = turn.masking.findNewValues();
  if (maskedValues) await setConversation(scope, conversation.id, { maskedValues });
  const leadId = await linkLead(scope, conversation.id);
  await addEvents(scope, eventsOf(turn, { ticketId, askHumanHelp }));
  const committed = { ...turn, conversation: { ...conversation, askHumanHelp, leadId } };
  return { code: 200, data: responseOf(committed, { userId: contactId ?? '', ticketId, receipt }) };
}

/** A staff member may have taken over while the model generated: then answer and effects are dropped. */
async function silenceIfAttended(scope: HostScope, generated: Turn): Promise<Turn> {
  const conversation = await findConversation(scope, generated.conversation.id, { forUpdate: true });
  if (!conversation) return generated;
  if (!conversation.attended) return { ...generated, conversation };
  return {
    ...generated,
    ...NO_CHECK,
    conversation,
    answer: '',
    items: [],
    warnings: [],
    effects: makeEffects(),
    isSilenced: true,
  };
}

/** What left the question without an answer. */
function findGapReason({ answer, check, effects: { handover } }: Turn): GapReason | undefined {
  if (check.action === 'withhold') return 'withheld';
  if (handover?.reason === 'missing_knowledge') return 'handover';
  return saysNotFound(answer) ? 'not_found' : undefined;
}

async function storeEffects(scope: HostScope, turn: Turn, contactId: string | undefined) {
  const { body, conversation, effects, flowState, turnId } = turn;
  const done = { steps: listDoneSteps(turn), agents: listRunAgents(effects) };
  if (flowState) {
    await storeStepsDone(scope, flowState, { conversationId: conversation.id, turnId: turnId, ...done });
  }
  const { handover, ticket, closes } = effects;
  if (handover || closes) {
    // A handover keeps the conversation open for the staff member who takes over.
    const changes = handover ? { askHumanHelp: true } : { closed: true };
    await setConversation(scope, conversation.id, changes);
  }
  // A rehearsal opens no ticket that a staff member would work on.
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

async function storeContact(scope: HostScope, turn: Turn): Promise<string | undefined> {
  const { body, conversation, data } = turn;
  const earlier = conversation.contactId ?? undefined;
  if (!body.userData) return earlier;
  const contactId = (await upsertContact(scope, contactOf(turn))) ?? earlier;
  await setConversation(scope, conversation.id, {
    ...(contactId ? { contactId } : {}),
    ...toShownFields(conversation, body.userData),
    userData: limitUserData(data.userData),
  });
  return contactId;
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
 * The contact that the turn's `userData` describes. The e-mail and the phone of earlier turns still identify it. But a
 * new e-mail may be that of another person, so the earlier phone no longer counts then.
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
