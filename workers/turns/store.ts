import { type Db, isTooLate } from '../../db/connection.ts';
import { mergeGlobalData, setConversation } from '../../db/conversations/conversations.ts';
import { lockForAnswer } from '../../db/conversations/takeover.ts';
import { noteUntoldCalls, storeAskedCalls } from '../../db/conversations/tool-confirmations.ts';
import { finishTurn } from '../../db/conversations/turns.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { addGapQuestion, type GapReason } from '../../db/knowledge/gap-questions.ts';
import type { NewReply } from '../../db/replies.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { whenAborted } from '../../platform/link-signals.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { saysNotFound } from '../../text/says-not-found.ts';
import { isPayment } from '../domain/wpp-parsed/wpp-item.ts';
import { newEventOf } from '../runtime/add-event.ts';
import type { UnstoredReply } from '../runtime/job.ts';
import { lockAsker, storeAsker } from './asker.ts';
import { forgetAttachments } from './attachments.ts';
import { REPLY_MARGIN_MS } from './claim.ts';
import { listDoneSteps, storeStepsDone } from './flow.ts';
import { eventsOf, receiptOf, responseOf, tokensByModelOf } from './reply.ts';
import { type AnsweredTurn, listRunAgents, NO_CHECK, NO_EFFECTS, type ReadTurn } from './turn.ts';
import { untilDeadline } from './until-deadline.ts';

type Reply = Outcome<DataOf<'reason'>>;

/** Commits the turn. A commit that is too late is refused at the deadline, and not before it. */
export async function commitTurn(db: Db, turn: AnsweredTurn): Promise<Reply> {
  const { job } = turn;
  const reply = await untilDeadline(db, turn, () => job.commit(scope => storeTurn(scope, turn))).catch(
    error => {
      if (!isTooLate(error)) throw error;
      return failure('deadline', { turnId: job.turnId });
    },
  );
  // A commit may have succeeded although its connection was lost.
  const committed = isFailure(reply) ? await job.findCheckedReply() : undefined;
  if (committed) return committed as Reply;
  if (isFailure(reply) && job.remainingMs() <= REPLY_MARGIN_MS) await whenAborted(job.signal);
  return reply;
}

/**
 * Stores the end user's data and all effects that the model requested, and last the answer with its receipt, events and reply.
 * That last statement refuses, and so nothing is stored, when another attempt has taken the turn over.
 */
export async function storeTurn(
  scope: HostScope,
  generated: AnsweredTurn,
): Promise<UnstoredReply<DataOf<'reason'>>> {
  // The lock comes before any row lock, so that no deadlock is possible.
  await lockAsker(scope, generated);
  const turn = await silenceIfAttended(scope, generated);
  const { attempt, answer, items, conversation } = turn;
  const { turnId, body } = turn.job;
  const gap = findGapReason(turn);
  if (gap) await addGapQuestion(scope, turnId, gap);
  const kept = turn.isSilenced ? undefined : turn.flowState?.asks?.kept;
  if (body.globalData || Object.keys(kept ?? {}).length > 0)
    await mergeGlobalData(scope, conversation.id, { ...body.globalData, ...kept });
  const { contactId, leadId } = await storeAsker(scope, turn);
  const { ticketId, askHumanHelp } = await storeEffects(scope, turn, contactId);
  const maskedValues = turn.masking.findNewValues();
  if (maskedValues) await setConversation(scope, conversation.id, { maskedValues });
  const committed = { ...turn, conversation: { ...conversation, askHumanHelp, leadId } };
  const receipt = receiptOf(turn);
  const finished = {
    turnId,
    attempt,
    answer,
    payments: items.filter(isPayment).map(({ content }) => content),
    checked: [turn.sources, turn.unsupported] as const,
    tokens: tokensByModelOf(turn.calls),
    receipt,
    failedCode: turn.failure?.code,
    idleAfterMinutes: askHumanHelp ? null : turn.avatar.idle_after_minutes,
    chatAsked: turn.job.chat?.asked,
    isLast: turn.effects.handover !== undefined || turn.effects.closes,
    events: eventsOf(turn, { ticketId, askHumanHelp }).map(newEventOf),
  };
  const outcome = {
    code: 200 as const,
    data: responseOf(committed, { userId: contactId ?? '', ticketId, receipt }),
  };
  const store = async (reply: NewReply, isLast: boolean) => {
    const commits = isLast && !turn.job.attachments;
    if (!(await finishTurn(scope, { ...finished, reply, commits })))
      return failure('interrupted', { turnId });
    await forgetAttachments(scope, turn.job, { isFinal: true });
    return outcome;
  };
  return { outcome, store };
}

/** A staff member may have taken over while the model generated: then answer and effects are dropped. */
async function silenceIfAttended(scope: HostScope, generated: AnsweredTurn): Promise<AnsweredTurn> {
  if (generated.isSilenced && storesOnlyItsEnd(generated)) return generated;
  const locked = await lockForAnswer(scope, generated.conversation);
  if (!locked) return generated;
  const { conversation, isTakenOver } = locked;
  if (!isTakenOver) return { ...generated, conversation };
  return {
    ...generated,
    conversation,
    sources: [],
    unsupported: [],
    check: NO_CHECK,
    answer: '',
    isTruncated: false,
    failure: undefined,
    items: [],
    warnings: [],
    effects: NO_EFFECTS,
    isSilenced: true,
  };
}

/** Whether a turn that is silent from the start has nothing to store before its end: that locks the conversation, too. */
export function storesOnlyItsEnd({ knownCalls, job: { body } }: ReadTurn): boolean {
  return knownCalls.length === 0 && !body.userData && !body.globalData;
}

/** Returns why the question stayed without an answer. */
function findGapReason({ answer, approved, failure, check, effects }: AnsweredTurn): GapReason | undefined {
  const { handover } = effects;
  if (failure || approved) return undefined;
  if (check.action === 'withhold') return 'withheld';
  if (handover?.reason === 'missing_knowledge') return 'handover';
  return saysNotFound(answer) ? 'not_found' : undefined;
}

async function storeEffects(scope: HostScope, turn: AnsweredTurn, contactId: string | undefined) {
  const { job, conversation, effects, flowState } = turn;
  const isAsked = !turn.isSilenced && turn.failure === undefined;
  const done = { steps: listDoneSteps(turn), agents: listRunAgents(effects), isAsked };
  if (flowState) {
    await storeStepsDone(scope, flowState, { conversationId: conversation.id, turnId: job.turnId, ...done });
  }
  const { handover, ticket, closes } = effects;
  if (handover || closes) {
    // A handover keeps the conversation open for the staff member who takes over, also one that was closed meanwhile.
    // A new request for help is of the team that it names, or of none; one that waits keeps its team.
    const teamId = handover?.teamId ?? (conversation.askHumanHelp ? undefined : null);
    const team = teamId === undefined ? {} : { teamId };
    const changes = handover ? { askHumanHelp: true, closed: false, ...team } : { closed: true };
    await setConversation(scope, conversation.id, changes);
  }
  const isRehearsal = job.body.reasoningConfig?.rehearsal === true;
  if (!isRehearsal && (effects.asks.length > 0 || turn.knownCalls.length > 0)) {
    // A person who did not get the answer was not asked.
    const asked = turn.failure || turn.answer === '' ? [] : effects.asks;
    await storeAskedCalls(scope, { conversationId: conversation.id, turnId: job.turnId }, asked);
    if (!isAsked) await noteUntoldCalls(scope, job.turnId);
  }
  // A rehearsal opens no ticket that a staff member would work on.
  const opened =
    ticket && !isRehearsal
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
