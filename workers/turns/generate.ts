import type { Logger } from 'pino';
import { oneLineOf } from '../domain/one-line.ts';
import { type PromptMessage, promptOf } from '../domain/prompt.ts';
import type { PromptFacts } from '../domain/prompt-facts.ts';
import type { Model } from '../model/model.ts';
import type { HandlerJob } from '../runtime/job.ts';
import type { OfferedTools, Tool, ToolProvider, ToolRequest } from '../tools/tool.ts';
import { makeBuiltInTools } from './built-in-tools.ts';
import type { Toolbox, ToolRun } from './call-tool.ts';
import { toolboxOf } from './call-tool.ts';
import { type Effects, makeEffects } from './effects.ts';
import { makeFlowTools, type Readiness, readinessOf } from './flow-tools.ts';
import type { TurnInput } from './input.ts';
import { factsFor } from './input.ts';
import type { OpenTurn } from './open-turn.ts';
import { runToolLoop, type ToolLoopLog } from './tool-loop.ts';

export interface GenerationParts {
  readonly model: Model;
  /** Tools from outside of the service. */
  readonly outsideTools?: ToolProvider | undefined;
  /** Told of every function that a model called. */
  readonly onToolRun?: (run: ToolRun) => void;
  readonly log: Logger;
}

/** What came of asking the model; nothing of it has happened yet. */
export interface GeneratedAnswer extends ToolLoopLog {
  /** Undefined when the model gave no usable answer. */
  readonly said: { readonly text: string; readonly model: string } | undefined;
  readonly effects: Effects;
  readonly readiness: readonly Readiness[];
  /** Keys of the data for which the prompt had no room. */
  readonly factsLeftOut: readonly string[];
}

/** What a turn comes to in which the assistant keeps quiet, because a person of the host attends. */
export function silence(): GeneratedAnswer {
  return {
    said: { text: '', model: '' },
    effects: makeEffects(),
    readiness: [],
    factsLeftOut: [],
    calls: [],
    toolRuns: [],
    outsideCalls: [],
    results: [],
  };
}

/** Asks the model, with all that it may call for. Outside of any transaction. */
export async function think(
  parts: GenerationParts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<GeneratedAnswer> {
  const { avatar, data, context, flowState } = open;
  const effects = makeEffects();
  const offered = await offeredFromOutside(parts, job, open);
  const readiness = flowState ? readinessOf(flowState, data) : [];
  const facts = flowState ? factsFor(data, flowState, context.filterKeys) : NO_FACTS;
  const log: ToolLoopLog = { calls: [], toolRuns: [], outsideCalls: [...offered.outsideCalls], results: [] };
  const said = await runToolLoop({
    model: parts.model,
    modelName: flowState?.flow.model || avatar.model || undefined,
    prompt: promptFor(job, input, open, facts),
    toolbox: toolboxFor(open, effects, readiness, offered.tools),
    signal: job.signal,
    remainingMs: () => job.remainingMs(),
    onBug: (err, tool) =>
      parts.log.error({ err, tool, jobId: job.jobId, requestId: job.requestId }, 'a tool met a bug'),
    log,
  });
  if (parts.onToolRun) log.toolRuns.forEach(parts.onToolRun);
  const factsLeftOut = facts.leftOut;
  return {
    ...log,
    effects,
    readiness,
    factsLeftOut,
    said: said && withMessages(said, flowState?.plan.messages ?? []),
  };
}

function toolboxFor(
  { flowState }: OpenTurn,
  effects: Effects,
  readiness: readonly Readiness[],
  outside: readonly Tool[],
): Toolbox {
  const ofFlow = flowState ? makeFlowTools(flowState, readiness, effects) : [];
  return toolboxOf([...makeBuiltInTools(effects), ...ofFlow, ...outside]);
}

const NO_FACTS: PromptFacts = { text: '', leftOut: [] };
const NOTHING: OfferedTools = { tools: [], outsideCalls: [] };
const SHARE_FOR_OFFERS = 0.25;
/** A server of tools reads it, or its model does: as long as the service takes one, on one line. */
const LONGEST_NAME = 200;

/** A turn is worth more than what others add to it. */
async function offeredFromOutside(parts: GenerationParts, job: HandlerJob<'reason'>, open: OpenTurn) {
  try {
    return (await parts.outsideTools?.(requestOf(job, open))) ?? NOTHING;
  } catch (err) {
    job.signal.throwIfAborted();
    const { jobId, requestId } = job;
    parts.log.error({ err, jobId, requestId }, 'the tools from outside were not to be had');
    return NOTHING;
  }
}

function requestOf(job: HandlerJob<'reason'>, { avatar, conversation, data }: OpenTurn): ToolRequest {
  return {
    hostId: job.hostId,
    avatarId: avatar.id,
    conversationId: conversation.id,
    userName: oneLineOf(data.userData.name ?? conversation.userName, LONGEST_NAME),
    signal: job.signal,
    remainingMs: job.remainingMs() * SHARE_FOR_OFFERS,
  };
}

function promptFor(
  { body }: HandlerJob<'reason'>,
  input: TurnInput,
  { avatar, data, context, flowState }: OpenTurn,
  facts: PromptFacts,
): PromptMessage[] {
  const { contextData, dialogueInsertString, reasoningConfig } = body;
  return promptOf({
    persona: avatar.promptEnvelop,
    instructions: flowState?.plan.instructions ?? [],
    saidBefore: flowState?.plan.messages ?? [],
    facts: facts.text,
    passages: context.chunks.map(chunk => chunk.body),
    dialogue: context.dialogue,
    question: input.question,
    userName: data.userData.name,
    contextData,
    insertBeforeQuestion: dialogueInsertString,
    rebounceInstructions: reasoningConfig?.rebounceInstructions,
  });
}

/** What the flow says word for word stands before what the model says. */
function withMessages<T extends { readonly text: string }>(said: T, messages: readonly string[]): T {
  return { ...said, text: [...messages, said.text].join('\n\n') };
}
