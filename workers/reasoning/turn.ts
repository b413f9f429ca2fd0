import type { Avatar } from '../../db/avatars.ts';
import type { FoundChunk } from '../../db/chunks.ts';
import type { Conversation } from '../../db/conversations.ts';
import type { BodyOf, DataOf } from '../../queues/operations/index.ts';
import type { DialogueItem } from '../domain/prompt.ts';
import type { WppItem } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { ModelCall } from '../model/model.ts';

/** All that is known of a turn when it is answered; everything that leaves it is derived from this. */
export interface Turn {
  readonly jobId: string;
  readonly hostId: string;
  readonly attempt: number;
  readonly body: BodyOf<'reason'>;
  readonly question: string | undefined;
  readonly conversation: Conversation;
  readonly avatar: Avatar;
  readonly dialogue: readonly DialogueItem[];
  readonly retrievalQuery: string;
  readonly chunks: readonly FoundChunk[];
  readonly calls: readonly ModelCall[];
  readonly model: string;
  readonly answer: string;
  readonly items: readonly WppItem[];
  readonly warnings: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** One entry for each model that the turn used. */
export function tokensOf(calls: readonly ModelCall[]): { model: string; tokens: number }[] {
  const used = new Map<string, number>();
  for (const { name, status, tokens } of calls) {
    if (status === 200) used.set(name, (used.get(name) ?? 0) + tokens);
  }
  return [...used].map(([model, tokens]) => ({ model, tokens }));
}

/** What happened in the turn, for whoever has to explain an answer later. */
export function receiptOf(turn: Turn) {
  return {
    turnId: turn.jobId,
    attempt: turn.attempt,
    startedAt: turn.startedAt.toISOString(),
    durationMs: turn.durationMs,
    avatar: { id: turn.avatar.id, subSlug: turn.avatar.subSlug },
    model: turn.model,
    retrieval: {
      query: turn.retrievalQuery,
      chunks: turn.chunks.map(({ chunkId, datasetId, score }) => ({ chunkId, datasetId, score })),
    },
    modelCalls: turn.calls,
    warnings: turn.warnings,
  };
}

/** The answer of the reasoning endpoint; `userId` is the contact's, '' where there is none. */
export function reasoningDataOf(turn: Turn, userId: string): DataOf<'reason'> {
  const { body, conversation, answer, items } = turn;
  const { returnDialogue = false, reasoningConfig } = body;
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
    tickets: { ticketId: '', ticketDescription: '' },
    askHumanHelp: conversation.askHumanHelp,
    jsonArray: [],
    agentsLog: [],
    restStatus: turn.calls.map(({ name, status, durationMs, error }) => ({
      name: `model:${name}`,
      status,
      durationMs,
      ...(error ? { error } : {}),
    })),
    conversation: returnDialogue || reasoningConfig?.returnDialogue ? dialogueOf(turn) : [],
    svcCompleteLog: reasoningConfig?.svcCompleteLog ? [receiptOf(turn)] : [],
    question: turn.question ?? '',
  };
}

/** The dialogue with this turn at its end. */
function dialogueOf({ dialogue, question, answer, startedAt, durationMs }: Turn) {
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const said = (role: 'user' | 'assistant', content: string | undefined, at: Date): DialogueItem[] =>
    content ? [{ role, content, createdAt: at.toISOString() }] : [];
  const earlier = dialogue.map(({ isUnanswered: _, ...item }) => item);
  const both = [...said('user', question, startedAt), ...said('assistant', answer, endedAt)];
  return [...earlier, ...both].map(item => ({ ...item }));
}
