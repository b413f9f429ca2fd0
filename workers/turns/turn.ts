import type { Avatar } from '../../db/avatars.ts';
import type { Conversation } from '../../db/conversations.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { WppItem, WppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { ModelCall } from '../model/model-call.ts';
import type { HandlerJob } from '../runtime/job.ts';
import type { Stopwatch } from '../runtime/stopwatch.ts';
import type { ExternalCall } from '../tools/tool.ts';
import type { ToolRun } from './call-tool.ts';
import type { TurnContext } from './context.ts';
import type { Effects } from './effects.ts';
import type { FlowState } from './flow-state.ts';
import type { Readiness } from './flow-tools.ts';
import type { GeneratedAnswer } from './generate.ts';
import type { TurnData, TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';

/** The complete state of an answered turn; receipt, response and stored rows derive from it. */
export interface Turn extends Omit<TurnContext, 'refineSemantically' | 'filterKeys'> {
  readonly jobId: string;
  readonly hostId: string;
  readonly attempt: number;
  readonly body: BodyOf<'reason'>;
  readonly question: string | undefined;
  readonly conversation: Conversation;
  readonly avatar: Avatar;
  readonly data: TurnData;
  readonly flowState: FlowState | undefined;
  readonly calls: readonly ModelCall[];
  readonly toolRuns: readonly ToolRun[];
  readonly outsideCalls: readonly ExternalCall[];
  readonly effects: Effects;
  /** The state of the agents that run as soon as their arguments are known, before the model was asked. */
  readonly readiness: readonly Readiness[];
  /** Keys of the data for which the prompt had no room. */
  readonly factsLeftOut: readonly string[];
  /** A staff member attends: the answer is empty and no effect is applied. */
  readonly isSilenced: boolean;
  readonly model: string;
  readonly answer: string;
  readonly items: readonly WppItem[];
  readonly warnings: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

export function turnOf(
  { jobId, hostId, body }: HandlerJob<'reason'>,
  { question }: TurnInput,
  { attempt, conversation, avatar, data, context, flowState }: OpenTurn,
  { answer, results: _, ...rest }: GeneratedAnswer & { answer: NonNullable<GeneratedAnswer['answer']> },
  parsed: WppParsed,
  stopwatch: Stopwatch,
): Turn {
  return {
    jobId,
    hostId,
    attempt,
    body,
    question,
    conversation,
    avatar,
    data,
    flowState,
    dialogue: context.dialogue,
    returnedDialogue: context.returnedDialogue,
    retrievalQuery: context.retrievalQuery,
    missingFilterKeys: context.missingFilterKeys,
    chunks: context.chunks,
    ...rest,
    answer: answer.text,
    model: answer.model,
    ...parsed,
    isSilenced: conversation.attended,
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
