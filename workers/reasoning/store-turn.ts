import { type ContactData, holdContact, upsertContact } from '../../db/contacts.ts';
import { findConversation, linkLead, mergeGlobalData, setConversation } from '../../db/conversations.ts';
import { openTicket } from '../../db/tickets.ts';
import { finishTurn } from '../../db/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import { isEmail } from '../domain/email.ts';
import { e164Of } from '../domain/phone.ts';
import { noEffects } from './effects.ts';
import { reasoningDataOf } from './reasoning-data.ts';
import { receiptOf, stepsDoneIn } from './receipt.ts';
import { rememberSteps } from './steering.ts';
import { type Turn, tokensOf } from './turn.ts';

/**
 * The answer, its receipt, what was said about the person and all that the model has called for; refused, and nothing
 * of it is stored, when the turn is in other hands by now.
 */
export async function storeTurn(scope: HostScope, thought: Turn): Promise<Outcome<DataOf<'reason'>>> {
  // Before the conversation, which a record of the same contact may want to link.
  if (thought.body.userData) await holdContact(scope, contactOf(thought));
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
  const { conversation, effects, steering, jobId } = turn;
  const place = { conversationId: conversation.id, turnId: jobId };
  if (steering) await rememberSteps(scope, steering, place, stepsDoneIn(turn));
  const { handover, ticket, closes } = effects;
  if (handover || closes) {
    // Whoever is to help finds the conversation open.
    const changes = handover ? { askHumanHelp: true } : { closed: true };
    await setConversation(scope, conversation.id, changes);
  }
  const opened =
    ticket &&
    (await openTicket(scope, {
      conversationId: conversation.id,
      contactId,
      subject: ticket.subject,
      content: ticket.description,
    }));
  const askHumanHelp = handover !== undefined || (conversation.askHumanHelp && !closes);
  return { ticketId: opened?.id ?? '', askHumanHelp };
}

async function knownContact(scope: HostScope, turn: Turn): Promise<string | undefined> {
  const { body, conversation } = turn;
  const { userData } = body;
  const earlier = conversation.contactId ?? undefined;
  if (!userData) return earlier;
  const contactId = (await upsertContact(scope, contactOf(turn))) ?? earlier;
  await setConversation(scope, conversation.id, {
    ...(contactId ? { contactId } : {}),
    ...(userData.name ? { userName: userData.name } : {}),
    ...(userData.phone ? { wppId: userData.phone } : {}),
    ...(userData.externalId ? { externalId: userData.externalId } : {}),
  });
  return contactId;
}

function contactOf({ body: { userData } }: Turn): ContactData {
  const { email = '', ...others } = userData ?? {};
  return { ...others, ...(isEmail(email) ? { email } : {}), phoneE164: e164Of(userData?.phone) };
}
