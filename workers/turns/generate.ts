import type { Logger } from 'pino';
import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import { oneLineOf } from '../../text/lines.ts';
import { type PromptMessage, promptOf } from '../domain/prompts/prompt.ts';
import { mentionsIn, type PromptFacts, promptFactsOf } from '../domain/prompts/prompt-facts.ts';
import { argumentNamesIn, userDataFor } from '../domain/schemas/known-arguments.ts';
import type { Model } from '../model/model.ts';
import type { HandlerJob } from '../runtime/job.ts';
import type { OfferedTools, Tool, ToolProvider, ToolRequest } from '../tools/tool.ts';
import { type AnswerStream, makeAnswerStream } from './answer-stream.ts';
import { makeBuiltInTools } from './built-in-tools.ts';
import { type Toolbox, type ToolRun, toolboxOf } from './call-tool.ts';
import { answerGroundsOf } from './check-turn-answer.ts';
import { type Effects, makeEffects } from './effects.ts';
import type { FlowState } from './flow-state.ts';
import { makeFlowTools, type Readiness, readinessOf } from './flow-tools.ts';
import type { TurnData, TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';
import { runToolLoop, type ToolLoopLog } from './tool-loop.ts';
import { withholdFrom } from './withhold.ts';

export interface GenerationParts {
  readonly model: Model;
  /** Tools of MCP servers. */
  readonly mcpTools?: ToolProvider | undefined;
  /** Called for every tool run. */
  readonly onToolRun?: (run: ToolRun) => void;
  readonly log: Logger;
}

export interface GenerationRun extends GenerationParts {
  /** Awaited before each agent, and before each tool that may act outside of the turn. */
  beforeActing(): Promise<void>;
}

/** The answer of the model and the effects that it requested, not applied yet. */
export interface GeneratedAnswer extends ToolLoopLog {
  /** Undefined when the model gave no usable answer. */
  readonly answer: { readonly text: string; readonly model: string } | undefined;
  readonly effects: Effects;
  readonly readiness: readonly Readiness[];
  /** Keys of the data for which the prompt had no room. */
  readonly factsLeftOut: readonly string[];
}

/** The result of a turn in which the assistant stays silent, because a staff member attends. */
export function makeSilentAnswer(): GeneratedAnswer {
  return {
    answer: { text: '', model: '' },
    effects: makeEffects(),
    readiness: [],
    factsLeftOut: [],
    calls: [],
    toolRuns: [],
    externalCalls: [],
    results: [],
  };
}

/** Asks the model, with the tools that it may call. Runs outside of any transaction. */
export async function generateAnswer(
  parts: GenerationRun,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<GeneratedAnswer> {
  const { avatar, data, context, flowState } = open;
  const effects = makeEffects();
  const offered = await listMcpTools(parts, job, open);
  const readiness = flowState ? readinessOf(flowState, data) : [];
  const facts = flowState ? turnFactsOf(data, flowState, context.filterKeys) : NO_FACTS;
  const log: ToolLoopLog = {
    calls: [],
    toolRuns: [],
    externalCalls: [...offered.externalCalls],
    results: [],
  };
  const stream = await openAnswerStream(job, input, open, log.results);
  const answer = await runToolLoop({
    model: parts.model,
    spender: context.spender,
    modelName: flowState?.flow.model || avatar.model || undefined,
    modelFallbacks: context.modelFallbacks,
    masking: context.masking,
    textListener: stream,
    prompt: turnPromptOf(job, input, open, facts),
    toolbox: makeToolbox(open, effects, readiness, offered.tools),
    signal: job.signal,
    remainingMs: () => job.remainingMs(),
    beforeActing: () => parts.beforeActing(),
    onBug: (err, tool) =>
      parts.log.error(
        { event: 'turn.tool_failed', err, tool, jobId: job.jobId, requestId: job.requestId },
        'a tool threw an unexpected error',
      ),
    log,
  }).finally(() => stream?.close());
  if (parts.onToolRun) log.toolRuns.forEach(parts.onToolRun);
  const factsLeftOut = facts.leftOut;
  return {
    ...log,
    effects,
    readiness,
    factsLeftOut,
    answer: answer && { ...answer, text: startOf(open) + answer.text },
  };
}

/** Undefined where the client does not read the answer while it is generated. */
async function openAnswerStream(
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
  results: readonly string[],
): Promise<AnswerStream | undefined> {
  if (!job.sendPiece) return undefined;
  const stream = makeAnswerStream(job.sendPiece, open.attempt, startOf(open));
  if (open.avatar.onUnsupported !== 'withhold') return stream;
  return withholdFrom(stream, answerGroundsOf(job, input, open, []), results, {
    signal: job.signal,
    language: open.avatar.language,
  });
}

/** The fixed messages of the flow stand before the text of the model. */
function startOf({ flowState }: OpenTurn): string {
  return (flowState?.plan.messages ?? []).map(message => `${message}\n\n`).join('');
}

function makeToolbox(
  { flowState }: OpenTurn,
  effects: Effects,
  readiness: readonly Readiness[],
  mcpTools: readonly Tool[],
): Toolbox {
  const offeredByFlow = flowState ? makeFlowTools(flowState, readiness, effects) : [];
  return toolboxOf([...makeBuiltInTools(effects), ...offeredByFlow, ...mcpTools]);
}

const NO_FACTS: PromptFacts = { text: '', leftOut: [] };
const NO_TOOLS: OfferedTools = { tools: [], externalCalls: [] };
/** Of the time that is left, for the list of MCP tools. */
const LISTING_FRACTION = 0.25;

/** A failure here leaves the turn without these tools, and does not fail it. */
async function listMcpTools(parts: GenerationParts, job: HandlerJob<'reason'>, open: OpenTurn) {
  try {
    return (await parts.mcpTools?.(requestOf(job, open))) ?? NO_TOOLS;
  } catch (err) {
    job.signal.throwIfAborted();
    const { jobId, requestId } = job;
    parts.log.error({ event: 'mcp.list_failed', err, jobId, requestId }, 'failed to list MCP tools');
    return NO_TOOLS;
  }
}

function requestOf(job: HandlerJob<'reason'>, { conversation, data, context }: OpenTurn): ToolRequest {
  return {
    hostId: job.hostId,
    hostSlug: context.hostSlug,
    mcpConfigs: context.mcpConfigs,
    conversationId: conversation.id,
    // An MCP server, or its model, reads the name.
    userName: oneLineOf(data.userData.name ?? conversation.userName, MAX_NAME_LENGTH),
    masking: context.masking,
    signal: job.signal,
    remainingMs: job.remainingMs() * LISTING_FRACTION,
  };
}

/** The facts that the model needs to judge the conditions of a flow and to fill in the arguments of its agents. */
function turnFactsOf(
  { globalData, userData }: TurnData,
  { flow, agents }: FlowState,
  filterKeys: readonly string[],
): PromptFacts {
  const schemas = agents.map(agent => agent.arguments);
  const facts = { ...userDataFor(schemas, userData), ...globalData };
  const texts = flow.steps.flatMap(({ content, description }) => [content, description]);
  const mentions = mentionsIn([...texts, ...schemas.flatMap(argumentNamesIn)]);
  const named = new Set([...filterKeys, ...Object.keys(userData)]);
  return promptFactsOf(facts, key => named.has(key) || mentions(key));
}

function turnPromptOf(
  { body }: HandlerJob<'reason'>,
  input: TurnInput,
  { avatar, data, context, flowState }: OpenTurn,
  facts: PromptFacts,
): PromptMessage[] {
  const { contextData, dialogueInsertString, reasoningConfig } = body;
  return promptOf({
    persona: avatar.promptEnvelop,
    language: avatar.language,
    instructions: flowState?.plan.instructions ?? [],
    fixedMessages: flowState?.plan.messages ?? [],
    facts: facts.text,
    passages: context.chunks.map(chunk => chunk.body),
    dialogue: context.dialogue,
    question: input.question,
    userName: data.userData.name,
    clock: context.clock,
    contextData,
    insertBeforeQuestion: dialogueInsertString,
    rebounceInstructions: reasoningConfig?.rebounceInstructions,
  });
}
