import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { ReturnedDialogue } from './context.ts';
import { receiptOf } from './receipt.ts';
import { type Turn, tokensOf } from './turn.ts';

/** The ids that the commit creates or finds; '' where there is none. */
export interface CommitResult {
  readonly userId: string;
  readonly ticketId: string;
}

/** The response of the reasoning endpoint. */
export function responseOf(turn: Turn, { userId, ticketId }: CommitResult): DataOf<'reason'> {
  const { body, conversation, answer, items, effects, returnedDialogue } = turn;
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
    conversation: returnedDialogue ? dialogueOf(turn, returnedDialogue) : [],
    ...(returnedDialogue?.isTruncated ? { conversationTruncated: true } : {}),
    svcCompleteLog: reasoningConfig?.svcCompleteLog ? [receiptOf(turn)] : [],
    question: turn.question ?? '',
  };
}

/** One entry for each call to an external service: models and MCP servers. */
function restStatusOf({ calls, outsideCalls }: Turn) {
  const models = calls.map(({ name, ...call }) => ({ ...call, name: `model:${name}` }));
  return [...models, ...outsideCalls].map(({ name, status, durationMs, error }) => ({
    name,
    status,
    durationMs,
    ...(error ? { error } : {}),
  }));
}

/** The returned dialogue, with this turn at its end. */
function dialogueOf(
  { question, answer, startedAt, durationMs }: Turn,
  { items, lastQuestion }: ReturnedDialogue,
) {
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const message = { role: 'user' as const, createdAt: startedAt.toISOString(), ...lastQuestion };
  const earlier = items.map(({ isUnanswered: _, ...item }) => item);
  return [
    ...earlier,
    ...(question ? [{ ...message, content: question }] : []),
    ...(answer ? [{ role: 'assistant' as const, content: answer, createdAt: endedAt.toISOString() }] : []),
  ].map(item => ({ ...item }));
}
