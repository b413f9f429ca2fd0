import { upsertContact } from '../../db/contacts.ts';
import { findConversation, mergeGlobalData, setConversation } from '../../db/conversations.ts';
import { finishTurn } from '../../db/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { failure, type Outcome } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import { reasoningDataOf, receiptOf, type Turn, tokensOf } from './turn.ts';

/** The answer, its receipt, and what was said about the person; refused when the turn is in other hands by now. */
export async function storeTurn(scope: HostScope, thought: Turn): Promise<Outcome<DataOf<'reason'>>> {
  const turn = await asItStands(scope, thought);
  const { jobId, attempt, answer, body, conversation } = turn;
  const receipt = receiptOf(turn);
  const finished = await finishTurn(scope, { jobId, attempt, answer, tokens: tokensOf(turn.calls), receipt });
  if (!finished) return failure('interrupted', { turnId: jobId });
  if (body.globalData) await mergeGlobalData(scope, conversation.id, body.globalData);
  const contactId = await knownContact(scope, turn);
  return { code: 200, data: reasoningDataOf(turn, contactId ?? '') };
}

/** A person of the host may have come while the model thought: then what it said is not said. */
async function asItStands(scope: HostScope, thought: Turn): Promise<Turn> {
  const conversation = await findConversation(scope, thought.conversation.id, { forUpdate: true });
  if (!conversation) return thought;
  return { ...thought, conversation, ...(conversation.attended ? { answer: '', items: [] } : {}) };
}

async function knownContact(scope: HostScope, { body, conversation }: Turn): Promise<string | undefined> {
  const { userData } = body;
  const earlier = conversation.contactId ?? undefined;
  if (!userData) return earlier;
  const contactId = (await upsertContact(scope, userData)) ?? earlier;
  await setConversation(scope, conversation.id, {
    ...(contactId ? { contactId } : {}),
    ...(userData.name ? { userName: userData.name } : {}),
    ...(userData.phone ? { wppId: userData.phone } : {}),
    ...(userData.externalId ? { externalId: userData.externalId } : {}),
  });
  return contactId;
}
