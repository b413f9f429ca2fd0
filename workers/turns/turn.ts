import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import type { WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { ModelCall } from '../model/model-call.ts';
import type { Stopwatch } from '../runtime/stopwatch.ts';
import type { AnswerCheck } from './check-turn-answer.ts';
import type { ReturnedDialogue, TurnContext } from './context.ts';
import { emptyResponse } from './empty-response.ts';
import type { GeneratedAnswer } from './generate.ts';
import type { TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';
import type { TurnJob } from './turn-job.ts';

/** The complete state of an answered turn. Receipt and stored rows derive from it elsewhere, the response here (`responseOf`). */
export interface Turn
  extends Omit<OpenTurn, 'kind' | 'context'>,
    Omit<TurnContext, 'refineSemantically' | 'filterKeys' | 'spender'>,
    Omit<GeneratedAnswer, 'answer' | 'results'>,
    AnswerCheck,
    WppParsed {
  readonly turnId: string;
  readonly hostId: string;
  readonly body: BodyOf<'reason'>;
  readonly question: string | undefined;
  /** A staff member attends: the answer is empty and no effect is applied. */
  readonly isSilenced: boolean;
  readonly model: string;
  readonly answer: string;
  readonly startedAt: Date;
  readonly durationMs: number;
}

type CheckedText = AnswerCheck & { readonly text: string };

export function turnOf(
  { turnId, hostId, body }: TurnJob,
  { question }: TurnInput,
  { kind: _kind, context, ...open }: OpenTurn,
  generated: GeneratedAnswer & { answer: NonNullable<GeneratedAnswer['answer']> },
  { text, ...check }: CheckedText,
  parsed: WppParsed,
  stopwatch: Stopwatch,
): Turn {
  const { refineSemantically: _search, filterKeys: _keys, spender: _spender, ...read } = context;
  const { answer, results: _results, ...rest } = generated;
  return {
    turnId,
    hostId,
    body,
    question,
    ...open,
    ...read,
    ...rest,
    ...check,
    ...parsed,
    answer: text,
    model: answer.model,
    isSilenced: open.conversation.attended,
    startedAt: stopwatch.startedAt,
    durationMs: stopwatch.elapsedMs(),
  };
}

/** One entry for each model that the turn used. */
export function tokensOf(calls: readonly ModelCall[]): { model: string; tokens: number }[] {
  const used = new Map<string, number>();
  for (const { name, status, tokens } of calls) {
    if (status === 200) used.set(name, (used.get(name) ?? 0) + tokens);
  }
  return [...used].map(([model, tokens]) => ({ model, tokens }));
}

type Response = DataOf<'reason'>;

/** What the commit creates or finds; an id is '' where there is none. */
export interface CommitResult {
  readonly userId: string;
  readonly ticketId: string;
  readonly receipt: Response['svcCompleteLog'][number];
}

/** The response of the reasoning endpoint. */
export function responseOf(turn: Turn, { userId, ticketId, receipt }: CommitResult): Response {
  const { body, hostId, conversation, question, answer, items, effects, returnedDialogue } = turn;
  const { reasoningConfig } = body;
  return {
    ...emptyResponse(hostId, conversation, question),
    assistantResponse: {
      string: answer,
      wppParsed: items.map(item => ({ ...item })),
      isAudio: items.some(item => item.type === 'audio'),
    },
    sources: turn.sources,
    unsupported: turn.unsupported,
    tokensControl: tokensOf(turn.calls),
    userId,
    tickets: { ticketId, ticketDescription: effects.ticket?.description ?? '' },
    jsonArray: effects.agentData,
    agentsLog: effects.agentRuns,
    restStatus: restStatusOf(turn),
    conversation: returnedDialogue ? dialogueOf(turn, returnedDialogue) : [],
    ...(returnedDialogue?.isTruncated ? { conversationTruncated: true } : {}),
    svcCompleteLog: reasoningConfig?.svcCompleteLog ? [receipt] : [],
  };
}

/** One entry for each call to an external service: models and MCP servers. */
function restStatusOf({ calls, externalCalls }: Turn) {
  const models = calls.map(({ name, ...call }) => ({ ...call, name: `model:${name}` }));
  return [...models, ...externalCalls].map(({ name, status, durationMs, error }) => ({
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
  const earlier = items.map(({ isUnanswered: _, isOpen: _open, unsupported: _figures, ...item }) => item);
  return [
    ...earlier,
    ...(question ? [{ ...message, content: question }] : []),
    ...(answer ? [{ role: 'assistant' as const, content: answer, createdAt: endedAt.toISOString() }] : []),
  ].map(item => ({ ...item }));
}
