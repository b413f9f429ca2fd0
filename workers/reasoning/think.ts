import type { Logger } from 'pino';
import { oneLineOf } from '../domain/one-line.ts';
import { type PromptMessage, promptOf } from '../domain/prompt.ts';
import type { HandlerJob } from '../job.ts';
import type { Model } from '../model/model.ts';
import type { OfferedTools, Tool, ToolProvider, ToolRequest } from '../tool.ts';
import { builtInTools } from './built-in-tools.ts';
import type { Toolbox, ToolRun } from './call-tool.ts';
import { type Effects, noEffects } from './effects.ts';
import { flowTools } from './flow-tools.ts';
import type { OpenTurn } from './open-turn.ts';
import { type ConverseLog, converse } from './tool-loop.ts';
import { toolboxOf } from './toolbox.ts';
import type { TurnInput } from './turn-input.ts';

export interface ThinkParts {
  readonly model: Model;
  /** Tools from outside of the service. */
  readonly outsideTools?: ToolProvider | undefined;
  /** Told of every function that a model called. */
  readonly onToolRun?: (run: ToolRun) => void;
  readonly log: Logger;
}

/** What came of asking the model; nothing of it has happened yet. */
export interface Thought extends ConverseLog {
  /** Undefined when the model gave no usable answer. */
  readonly said: { readonly text: string; readonly model: string } | undefined;
  readonly effects: Effects;
}

/** What a turn comes to in which the assistant keeps quiet, because a person of the host attends. */
export function silence(): Thought {
  return {
    said: { text: '', model: '' },
    effects: noEffects(),
    calls: [],
    toolRuns: [],
    outsideCalls: [],
    results: [],
  };
}

/** Asks the model, with all that it may call for. Outside of any transaction. */
export async function think(
  parts: ThinkParts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<Thought> {
  const { avatar, steering } = open;
  const effects = noEffects();
  const offered = await offeredFromOutside(parts, job, open);
  const log: ConverseLog = { calls: [], toolRuns: [], outsideCalls: [...offered.outsideCalls], results: [] };
  const said = await converse({
    model: parts.model,
    modelName: steering?.flow.model || avatar.model || undefined,
    prompt: promptFor(job, input, open),
    toolbox: toolboxFor(open, effects, offered.tools),
    signal: job.signal,
    remainingMs: () => job.remainingMs(),
    onBug: (err, tool) =>
      parts.log.error({ err, tool, jobId: job.jobId, requestId: job.requestId }, 'a tool met a bug'),
    log,
  });
  if (parts.onToolRun) log.toolRuns.forEach(parts.onToolRun);
  return { ...log, effects, said: said && withMessages(said, steering?.plan.messages ?? []) };
}

function toolboxFor({ steering }: OpenTurn, effects: Effects, outside: readonly Tool[]): Toolbox {
  const ofFlow = steering ? flowTools(steering.plan, steering.agents, effects) : [];
  return toolboxOf([...builtInTools(effects), ...ofFlow, ...outside]);
}

const NOTHING: OfferedTools = { tools: [], outsideCalls: [] };
const SHARE_FOR_OFFERS = 0.25;
/** A server of tools reads it, or its model does: as long as the service takes one, on one line. */
const LONGEST_NAME = 200;

/** A turn is worth more than what others add to it. */
async function offeredFromOutside(parts: ThinkParts, job: HandlerJob<'reason'>, open: OpenTurn) {
  try {
    return (await parts.outsideTools?.(requestOf(job, open))) ?? NOTHING;
  } catch (err) {
    job.signal.throwIfAborted();
    const { jobId, requestId } = job;
    parts.log.error({ err, jobId, requestId }, 'the tools from outside were not to be had');
    return NOTHING;
  }
}

function requestOf(job: HandlerJob<'reason'>, { avatar, conversation }: OpenTurn): ToolRequest {
  return {
    hostId: job.hostId,
    avatarId: avatar.id,
    conversationId: conversation.id,
    userName: oneLineOf(job.body.userData?.name ?? conversation.userName, LONGEST_NAME),
    signal: job.signal,
    remainingMs: job.remainingMs() * SHARE_FOR_OFFERS,
  };
}

function promptFor(
  { body }: HandlerJob<'reason'>,
  input: TurnInput,
  { avatar, conversation, known, steering }: OpenTurn,
): PromptMessage[] {
  const { contextData, dialogueInsertString, reasoningConfig, userData, globalData } = body;
  return promptOf({
    persona: avatar.promptEnvelop,
    instructions: steering?.plan.instructions ?? [],
    saidBefore: steering?.plan.messages ?? [],
    facts: steering ? { ...conversation.globalData, ...globalData } : {},
    passages: known.chunks.map(chunk => chunk.body),
    dialogue: known.dialogue,
    question: input.question,
    userName: userData?.name,
    contextData,
    insertBeforeQuestion: dialogueInsertString,
    rebounceInstructions: reasoningConfig?.rebounceInstructions,
  });
}

/** What the flow says word for word stands before what the model says. */
function withMessages<T extends { readonly text: string }>(said: T, messages: readonly string[]): T {
  return { ...said, text: [...messages, said.text].join('\n\n') };
}
