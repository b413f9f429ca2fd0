import type { Logger } from 'pino';
import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import { oneLineOf } from '../../text/lines.ts';
import type { Masking } from '../domain/masking/masking.ts';
import { type PromptMessage, promptOf } from '../domain/prompts/prompt.ts';
import { mentionsIn, type PromptFacts, promptFactsOf } from '../domain/prompts/prompt-facts.ts';
import { argumentNamesIn, userDataFor } from '../domain/schemas/known-arguments.ts';
import type { Model } from '../model/model.ts';
import type { ModelAnswer, ModelCall, TextListener } from '../model/model-call.ts';
import type { ModelMessage, OfferedTool, ToolCall } from '../model/provider.ts';
import type { Spender } from '../model/spender.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { ExternalCall, OfferedTools, Tool, ToolProvider, ToolRequest } from '../tools/tool.ts';
import { answerGroundsOf } from './check.ts';
import { makeFlowTools, type Readiness, readinessOf } from './flow.ts';
import { type AnswerStream, makeAnswerStream, withholdFrom } from './stream.ts';
import {
  callTool,
  makeBuiltInTools,
  type Toolbox,
  type ToolCallResult,
  type ToolRun,
  toolboxOf,
} from './tools.ts';
import {
  type Effects,
  type FlowState,
  makeEffects,
  type OpenTurn,
  type TurnData,
  type TurnInput,
} from './turn.ts';

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
  return withholdFrom(stream, answerGroundsOf(job, input, open, []), results, job.signal);
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

/*
 * The model is asked with tools that it may call. The calls of one answer run concurrently and their results go back
 * to the model, until it answers in words. It has to do so after MAX_ROUNDS rounds of calls, or when no more than the
 * reserve is left of the turn's time. Tools that are due are forced, each once, one after the other, before the
 * model may answer.
 */

export interface ToolLoopInput {
  readonly model: Model;
  readonly spender: Spender;
  readonly modelName: string | undefined;
  /** Of the host; empty: those of the installation. */
  readonly modelFallbacks: readonly string[];
  readonly masking: Masking;
  readonly textListener?: TextListener | undefined;
  readonly prompt: readonly PromptMessage[];
  readonly toolbox: Toolbox;
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** See `callTool`. */
  beforeActing(): Promise<void>;
  onBug(error: unknown, tool: string): void;
  readonly log: ToolLoopLog;
}

/** Everything that was done in the loop; filled in even when it fails. */
export interface ToolLoopLog {
  readonly calls: ModelCall[];
  readonly toolRuns: ToolRun[];
  readonly externalCalls: ExternalCall[];
  /** Results of successful calls only: an error may repeat what the end user wrote. */
  readonly results: string[];
}

const MAX_ROUNDS = 8;
const MAX_CALLS_PER_ROUND = 16;
const MAX_RESERVE_MS = 10_000;
const RESERVED_FRACTION = 0.25;
/** With less than this a tool is not worth a call: a call that used up its time may seem to leave a millisecond. */
const MIN_TOOL_MS = 10;

interface AnswerRules {
  readonly mayCall: boolean;
  readonly mayBeEmpty: boolean;
}

/** Returns the answer in words; undefined when the model gives none. Rejects only when the signal is aborted. */
export async function runToolLoop(
  input: ToolLoopInput,
): Promise<Pick<ModelAnswer, 'text' | 'model'> | undefined> {
  const reserveMs = Math.min(MAX_RESERVE_MS, input.remainingMs() * RESERVED_FRACTION);
  const messages: ModelMessage[] = [...input.prompt];
  const due = new Set([...input.toolbox.values()].filter(({ isDue }) => isDue).map(({ name }) => name));
  let lastText = '';
  for (let round = 1; ; round += 1) {
    const stopwatch = startStopwatch();
    const mayCall = round <= MAX_ROUNDS && input.remainingMs() - reserveMs > MIN_TOOL_MS;
    const answer = await completeWithDueCall(input, messages, { mayCall, mayBeEmpty: lastText !== '' }, due);
    if (!answer) return undefined;
    const { text, toolCalls, tokens } = answer;
    // Some models give their text beside the calls and nothing after them.
    lastText = text.trim() === '' ? lastText : text;
    if (toolCalls.length === 0) return { ...answer, text: lastText };
    const calls = toolCalls.slice(0, MAX_CALLS_PER_ROUND);
    for (const { name } of calls) due.delete(name);
    const shares = splitTokens(calls, input.toolbox, tokens);
    const executed = await Promise.all(
      calls.map((call, at) => {
        const remainingMs = input.remainingMs() - reserveMs;
        const context = {
          signal: input.signal,
          remainingMs,
          requestedBy: { stopwatch, tokens: shares[at] ?? 0 },
        };
        return callTool(input.toolbox, call, context, input);
      }),
    );
    recordCalls(input.log, executed, round);
    const results = executed.map(({ text }, at) => ({ content: text, toolCallId: calls[at]?.id ?? '' }));
    messages.push({ role: 'assistant', content: text, toolCalls: calls });
    messages.push(...results.map(result => ({ role: 'tool' as const, ...result })));
  }
}

/** Splits the tokens of one answer among the agents that it calls; the shares add up to the total. */
function splitTokens(calls: readonly ToolCall[], toolbox: Toolbox, tokens: number): number[] {
  const isAgent = calls.map(({ name }) => toolbox.get(name)?.kind === 'agent');
  const count = isAgent.filter(Boolean).length;
  let counted = 0;
  return isAgent.map(is => {
    if (!is) return 0;
    counted += 1;
    return Math.floor((tokens * counted) / count) - Math.floor((tokens * (counted - 1)) / count);
  });
}

/** A provider that refuses a forced call is asked without it, and no call is forced again in this turn. */
async function completeWithDueCall(
  input: ToolLoopInput,
  messages: readonly ModelMessage[],
  rules: AnswerRules,
  due: Set<string>,
): Promise<ModelAnswer | undefined> {
  const [mustCall] = rules.mayCall ? due : [];
  if (mustCall === undefined) return completeWithFallback(input, messages, rules);
  due.delete(mustCall);
  const options = { ...optionsOf(input, rules), mustCall };
  const answer = await input.model.complete(input.modelName, messages, options);
  if (answer || !isLastCallRefused(input.log)) return answer;
  due.clear();
  return completeWithFallback(input, messages, rules);
}

/**
 * Some providers refuse the whole request because of the schema of one tool; others let the model call tools although
 * `tool_choice` forbids it. In both cases the request is sent again without tools, to get an answer at all.
 */
async function completeWithFallback(
  input: ToolLoopInput,
  messages: readonly ModelMessage[],
  rules: AnswerRules,
): Promise<ModelAnswer | undefined> {
  const { model, modelName, log } = input;
  const { tools, ...options } = optionsOf(input, rules);
  const answer = await model.complete(modelName, messages, { ...options, tools });
  const isFirst = messages.every(({ role }) => role !== 'tool');
  const isRefused = isFirst && isLastCallRefused(log);
  if (answer || !(isRefused || !rules.mayCall)) return answer;
  return model.complete(modelName, messages, options);
}

/** Whether the provider refused the request itself, rather than failed temporarily. */
function isLastCallRefused({ calls }: ToolLoopLog): boolean {
  const status = calls.at(-1)?.status;
  return status === 400 || status === 422;
}

function optionsOf(input: ToolLoopInput, rules: AnswerRules) {
  const {
    spender,
    toolbox,
    modelFallbacks: fallbacks,
    masking,
    textListener,
    signal,
    log,
    remainingMs,
  } = input;
  const tools: OfferedTool[] = [...toolbox.values()];
  const sent = { spender, masking, textListener, fallbacks, signal, remainingMs, calls: log.calls, tools };
  return { purpose: 'turn', ...sent, ...rules } as const;
}

function recordCalls(
  { toolRuns, externalCalls, results }: ToolLoopLog,
  executed: readonly ToolCallResult[],
  round: number,
): void {
  results.push(...executed.filter(({ run }) => run.status === 'done').map(({ text }) => text));
  toolRuns.push(...executed.map(({ run }) => ({ ...run, round })));
  externalCalls.push(...executed.flatMap(each => each.externalCalls));
}
