import type { DataOf } from '../../queues/contract/operations/index.ts';
import { receiptOf } from './receipt.ts';
import { type ReturnedDialogue, type Turn, tokensOf } from './turn.ts';

/** What only the commit can tell; an id is '' where there is no such thing. */
export interface CommitResult {
  readonly userId: string;
  readonly ticketId: string;
}

/** The answer of the reasoning endpoint. */
export function buildResponse(turn: Turn, { userId, ticketId }: CommitResult): DataOf<'reason'> {
  const { body, conversation, answer, items, effects, returned } = turn;
  const { reasoningConfig } = body;
  return {
    assistantResponse: {
      string: answer,
      wppParsed: items.map(item => ({ ...item })),
      isAudio: items.some(item => item.type === 'audio'),
    },
    tokensControl: tokensOf(turn.calls),
    sessionId: conversation.id,
    conversationId: conversation.id,
    hostId: turn.hostId,
    userId,
    leadId: conversation.leadId ?? '',
    tickets: { ticketId, ticketDescription: effects.ticket?.description ?? '' },
    askHumanHelp: conversation.askHumanHelp,
    jsonArray: effects.agentData,
    agentsLog: effects.agentRuns,
    restStatus: restStatusOf(turn),
    conversation: returned ? dialogueOf(turn, returned) : [],
    ...(returned?.isTruncated ? { conversationTruncated: true } : {}),
    svcCompleteLog: reasoningConfig?.svcCompleteLog ? [receiptOf(turn)] : [],
    question: turn.question ?? '',
  };
}

/** One for each call to somebody outside: the model, the servers of tools. */
function restStatusOf({ calls, outsideCalls }: Turn) {
  const models = calls.map(({ name, ...call }) => ({ ...call, name: `model:${name}` }));
  return [...models, ...outsideCalls].map(({ name, status, durationMs, error }) => ({
    name,
    status,
    durationMs,
    ...(error ? { error } : {}),
  }));
}

/** The dialogue with this turn at its end. */
function dialogueOf(
  { question, answer, startedAt, durationMs }: Turn,
  { items, lastQuestion }: ReturnedDialogue,
) {
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const asked = { role: 'user' as const, createdAt: startedAt.toISOString(), ...lastQuestion };
  const earlier = items.map(({ isUnanswered: _, ...item }) => item);
  return [
    ...earlier,
    ...(question ? [{ ...asked, content: question }] : []),
    ...(answer ? [{ role: 'assistant' as const, content: answer, createdAt: endedAt.toISOString() }] : []),
  ].map(item => ({ ...item }));
}
