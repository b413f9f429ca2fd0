import type { Logger } from 'pino';
import { oneLineOf } from '../domain/one-line.ts';
import { type PromptMessage, promptOf } from '../domain/prompts/prompt.ts';
import type { PromptFacts } from '../domain/prompts/prompt-facts.ts';
import type { Model } from '../model/model.ts';
import type { HandlerJob } from '../runtime/job.ts';
import type { OfferedTools, Tool, ToolProvider, ToolRequest } from '../tools/tool.ts';
import { builtInTools } from './built-in-tools.ts';
import type { Toolbox, ToolRun } from './call-tool.ts';
import { type Effects, noEffects } from './effects.ts';
import { flowTools } from './flow-tools.ts';
import type { OpenTurn } from './open-turn.ts';
import { type Readiness, readinessOf } from './readiness.ts';
import { type ConverseLog, converse } from './tool-loop.ts';
import { toolboxOf } from './toolbox.ts';
import { factsFor } from './turn-data.ts';
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
  readonly readiness: readonly Readiness[];
  /** Keys of the data for which the prompt had no room. */
  readonly factsLeftOut: readonly string[];
}

/** What a turn comes to in which the assistant keeps quiet, because a person of the host attends. */
export function silence(): Thought {
  return {
    said: { text: '', model: '' },
    effects: noEffects(),
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
  parts: ThinkParts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<Thought> {
  const { avatar, data, known, steering } = open;
  const effects = noEffects();
  const offered = await offeredFromOutside(parts, job, open);
  const readiness = steering ? readinessOf(steering, data) : [];
  const facts = steering ? factsFor(data, steering, known.filterKeys) : NO_FACTS;
  const log: ConverseLog = { calls: [], toolRuns: [], outsideCalls: [...offered.outsideCalls], results: [] };
  const said = await converse({
    model: parts.model,
    modelName: steering?.flow.model || avatar.model || undefined,
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
    said: said && withMessages(said, steering?.plan.messages ?? []),
  };
}

function toolboxFor(
  { steering }: OpenTurn,
  effects: Effects,
  readiness: readonly Readiness[],
  outside: readonly Tool[],
): Toolbox {
  const ofFlow = steering ? flowTools(steering, readiness, effects) : [];
  return toolboxOf([...builtInTools(effects), ...ofFlow, ...outside]);
}

const NO_FACTS: PromptFacts = { text: '', leftOut: [] };
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
  { avatar, data, known, steering }: OpenTurn,
  facts: PromptFacts,
): PromptMessage[] {
  const { contextData, dialogueInsertString, reasoningConfig } = body;
  return promptOf({
    persona: avatar.promptEnvelop,
    instructions: steering?.plan.instructions ?? [],
    saidBefore: steering?.plan.messages ?? [],
    facts: facts.text,
    passages: known.chunks.map(chunk => chunk.body),
    dialogue: known.dialogue,
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
