import type { Logger } from 'pino';
import { startStopwatch } from '../../platform/stopwatch.ts';
import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import { oneLineOf } from '../../text/lines.ts';
import type { Masking } from '../domain/masking/masking.ts';
import { shownLabelOf } from '../domain/media/attachment-labels.ts';
import { clockLineOf } from '../domain/prompts/clock-line.ts';
import { type PromptMessage, promptOf } from '../domain/prompts/prompt.ts';
import { mentionsIn, type PromptFacts, promptFactsOf } from '../domain/prompts/prompt-facts.ts';
import { argumentNamesIn, userDataFor } from '../domain/schemas/known-arguments.ts';
import type { Model, ModelOutcome } from '../model/model.ts';
import type { ModelMessage, OfferedTool, ToolCall } from '../model/provider.ts';
import type { Spender } from '../model/spender.ts';
import { GIVEN_UP } from '../model/tries.ts';
import type { OfferedTools, ToolProvider, ToolRequest } from '../tools/tool.ts';
import { sourceTextsOf } from './check.ts';
import { findWaitingAgents, makeFlowTools } from './flow.ts';
import { flowBeside, frameAnswer, notesOf, startOf } from './frame-answer.ts';
import { type AnswerStream, makeAnswerStream, withholdFrom } from './stream.ts';
import { callTool, makeBuiltInTools, type Toolbox, type ToolCallResult, toolboxOf } from './tools.ts';
import {
  type AskedModel,
  type AttachedFile,
  addEffects,
  type FlowState,
  NO_EFFECTS,
  type ReadTurn,
  type ToolLoopResult,
  type ToolRun,
  type TurnData,
} from './turn.ts';

export interface AskParts {
  readonly model: Model;
  /** Tools of MCP servers, and of systems that are called over HTTP. */
  readonly outsideTools?: ToolProvider | undefined;
  /** Called for every tool run. */
  readonly onToolRun?: (run: ToolRun) => void;
  readonly log: Logger;
}

interface AskRun extends AskParts {
  /** How long the model may be asked: it ends with the turn, or before it with `GIVEN_UP`. */
  readonly asking: Pick<ReadTurn['job'], 'signal' | 'remainingMs'>;
  /** Awaited before each agent, and before each tool that may act outside of the turn. */
  beforeActing(): Promise<void>;
}

const NOTHING_DONE: ToolLoopResult = {
  answer: undefined,
  calls: [],
  toolRuns: [],
  externalCalls: [],
  results: [],
  effects: NO_EFFECTS,
};

/** The assistant stays silent, because a staff member attends. */
export const SILENCE: AskedModel = {
  ...NOTHING_DONE,
  answer: { text: '', model: '', isTruncated: false },
  waitingAgents: [],
  factsLeftOut: [],
  toolsLeftOut: [],
};

/** Asks the model, with the tools that it may call. Runs outside of any transaction. */
export async function askModel(parts: AskRun, turn: ReadTurn): Promise<AskedModel> {
  const { job, avatar, data, flowState } = turn;
  const waitingAgents = flowState ? await findWaitingAgents(flowState, data, job) : [];
  const flowTools = flowState ? makeFlowTools(turn, flowState, waitingAgents) : [];
  const own = [...makeBuiltInTools(turn.teams), ...flowTools];
  const offered = await listOutsideTools(parts, turn, Math.max(MAX_TOOLS - own.length, 0));
  const facts = flowState ? turnFactsOf(data, flowState, turn.filterKeys) : NO_FACTS;
  const stream = await openAnswerStream(turn);
  const { answer, calls, toolRuns, externalCalls, results, effects } = await runToolLoop({
    model: parts.model,
    spender: turn.spender,
    modelName: flowState?.flow.model || avatar.model || undefined,
    modelFallbacks: turn.modelFallbacks,
    onlyModels: turn.onlyModels,
    masking: turn.masking,
    stream,
    prompt: turnPromptOf(turn, facts, offered.note),
    toolbox: toolboxOf([...own, ...offered.tools].slice(0, MAX_TOOLS)),
    signal: parts.asking.signal,
    remainingMs: () => parts.asking.remainingMs(),
    beforeActing: () => parts.beforeActing(),
    onBug: (err, tool) =>
      parts.log.error(
        { event: 'turn.tool_failed', err, tool, jobId: job.jobId, requestId: job.requestId },
        'a tool threw an unexpected error',
      ),
  }).finally(() => stream?.close());
  if (parts.onToolRun) toolRuns.forEach(parts.onToolRun);
  const framed = { ...turn, flowState: flowBeside(effects, flowState) };
  return {
    answer: answer && { ...answer, text: frameAnswer(framed, answer.text) },
    calls,
    toolRuns,
    externalCalls: [...offered.externalCalls, ...externalCalls],
    results,
    effects,
    waitingAgents,
    factsLeftOut: facts.leftOut,
    toolsLeftOut: own.slice(MAX_TOOLS).map(({ name }) => name),
  };
}

/** Undefined where the client does not read the answer while it is generated. */
async function openAnswerStream(turn: ReadTurn): Promise<AnswerStream | undefined> {
  const { job, attempt, avatar } = turn;
  if (!job.sendPiece) return undefined;
  const stream = makeAnswerStream(job.sendPiece, attempt, startOf(turn));
  if (avatar.on_unsupported !== 'withhold') return stream;
  return withholdFrom(stream, sourceTextsOf(turn, []), {
    signal: job.signal,
    language: avatar.language,
  });
}

const NO_FACTS: PromptFacts = { text: '', leftOut: [] };
const NO_TOOLS: OfferedTools = { tools: [], externalCalls: [] };
/** Providers refuse a request with more, and a turn without any cannot even call a person. */
export const MAX_TOOLS = 128;
/** The list of outside tools may take this part of the time that is left. */
const LISTING_FRACTION = 0.25;

/** A failure here leaves the turn without these tools, and does not fail it. */
async function listOutsideTools(parts: AskParts, turn: ReadTurn, maxTools: number): Promise<OfferedTools> {
  const { jobId, requestId, signal } = turn.job;
  try {
    return (await parts.outsideTools?.(requestOf(turn, maxTools))) ?? NO_TOOLS;
  } catch (err) {
    signal.throwIfAborted();
    parts.log.error({ event: 'tools.list_failed', err, jobId, requestId }, 'failed to list outside tools');
    return NO_TOOLS;
  }
}

function requestOf(
  { job, conversation, data, hostSlug, mcpConfigs, restTools, masking }: ReadTurn,
  maxTools: number,
): ToolRequest {
  return {
    hostId: job.hostId,
    hostSlug,
    mcpConfigs,
    restTools,
    maxTools,
    conversationId: conversation.id,
    // An MCP server, or its model, reads the name.
    userName: oneLineOf(data.userData.name ?? conversation.userName, MAX_NAME_LENGTH),
    isRehearsal: job.body.reasoningConfig?.rehearsal === true,
    masking,
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
  const texts = flow.steps.flatMap(({ content, description, name = '' }) => [content, description, name]);
  const mentions = mentionsIn([...texts, ...schemas.flatMap(argumentNamesIn)]);
  const named = new Set([...filterKeys, ...Object.keys(userData)]);
  return promptFactsOf(facts, key => named.has(key) || mentions(key));
}

function turnPromptOf(turn: ReadTurn, facts: PromptFacts, knownCalls?: string): PromptMessage[] {
  const { avatar, data, flowState } = turn;
  const { contextData, reasoningConfig } = turn.job.body;
  return promptOf({
    persona: avatar.prompt_envelop,
    language: avatar.language,
    instructions: flowState?.plan.instructions ?? [],
    fixedMessages: flowState?.plan.messages ?? [],
    closingQuestion: flowState?.asks?.closing,
    facts: facts.text,
    passages: [...turn.chunks.map(chunk => chunk.body), ...turn.files.map(filePassageOf)],
    images: turn.images,
    dialogue: turn.dialogue,
    question: turn.input.question,
    userName: data.userData.name,
    clock: clockLineOf(turn.clock),
    contextData,
    knownCalls,
    insertBeforeQuestion: notesOf(turn),
    rebounceInstructions: reasoningConfig?.rebounceInstructions,
  });
}

/** The model is to know that it is no knowledge of the host. */
function filePassageOf({ name, text }: AttachedFile): string {
  return `${shownLabelOf('arquivo', name)} enviado pela pessoa\n\n${text}`;
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
  /** The fallbacks of the host. Where it has none, the installation's are asked. */
  readonly modelFallbacks: readonly string[];
  /** Others are passed over; undefined: any may be asked. */
  readonly onlyModels?: readonly string[] | undefined;
  readonly masking: Masking;
  readonly stream?: AnswerStream | undefined;
  readonly prompt: readonly PromptMessage[];
  readonly toolbox: Toolbox;
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** See `callTool`. */
  beforeActing(): Promise<void>;
  onBug(error: unknown, tool: string): void;
}

const MAX_ROUNDS = 8;
const MAX_CALLS_PER_ROUND = 16;
const MAX_RESERVE_MS = 10_000;
const RESERVED_FRACTION = 0.25;
/** A tool is not worth a call in less time: a call that used up its time may seem to leave a millisecond. */
const MIN_TOOL_MS = 10;

interface AnswerRules {
  readonly mayCall: boolean;
  readonly mayBeEmpty: boolean;
}

/** Asks until the model answers in words, or not at all. Rejects only when the signal is aborted but for `GIVEN_UP`. */
export async function runToolLoop(input: ToolLoopInput): Promise<ToolLoopResult> {
  let done = NOTHING_DONE;
  try {
    for await (const next of runRounds(input)) done = next;
  } catch (error) {
    if (input.signal.reason !== GIVEN_UP) throw error;
  }
  return done;
}

/** Yields the result so far after each call of the model, and after its tools. */
async function* runRounds(input: ToolLoopInput): AsyncGenerator<ToolLoopResult> {
  const reserveMs = Math.min(MAX_RESERVE_MS, input.remainingMs() * RESERVED_FRACTION);
  const messages: ModelMessage[] = [...input.prompt];
  let due = [...input.toolbox.values()].filter(({ isDue }) => isDue).map(({ name }) => name);
  let done: ToolLoopResult = NOTHING_DONE;
  let last = { text: '', isTruncated: false };
  for (let round = 1; ; round += 1) {
    const stopwatch = startStopwatch();
    const mayCall = round <= MAX_ROUNDS && input.remainingMs() - reserveMs > MIN_TOOL_MS;
    const rules = { mayCall, mayBeEmpty: last.text !== '' };
    const mustCall = mayCall ? due[0] : undefined;
    const { answer, calls, isForceRefused } = await askWithDueCall(input, messages, rules, mustCall);
    done = { ...done, calls: [...done.calls, ...calls] };
    // The calls stay known where the turn gives up one of its tools.
    yield done;
    if (!answer) return;
    // Some models give their text beside the calls and nothing after them.
    if (answer.text.trim() !== '') last = { text: answer.text, isTruncated: answer.isTruncated };
    if (answer.toolCalls.length === 0) return yield { ...done, answer: { ...last, model: answer.model } };
    const toolCalls = answer.toolCalls.slice(0, MAX_CALLS_PER_ROUND);
    const called = new Set([mustCall, ...toolCalls.map(({ name }) => name)]);
    due = isForceRefused ? [] : due.filter(name => !called.has(name));
    const shares = splitTokens(toolCalls, input.toolbox, answer.tokens);
    const executed = await Promise.all(
      toolCalls.map((call, at) => {
        const requestedBy = { stopwatch, tokens: shares[at] ?? 0 };
        const remainingMs = input.remainingMs() - reserveMs;
        return callTool(
          input.toolbox,
          call,
          { signal: input.signal, remainingMs, requestedBy, round },
          input,
        );
      }),
    );
    done = addExecuted(done, executed);
    yield done;
    input.stream?.addResults(resultsOf(executed));
    messages.push({ role: 'assistant', content: answer.text, toolCalls });
    for (const [at, { text }] of executed.entries())
      messages.push({ role: 'tool', content: text, toolCallId: toolCalls[at]?.id ?? '' });
  }
}

function addExecuted(done: ToolLoopResult, executed: readonly ToolCallResult[]): ToolLoopResult {
  return {
    ...done,
    toolRuns: [...done.toolRuns, ...executed.map(({ run }) => run)],
    externalCalls: [...done.externalCalls, ...executed.flatMap(({ externalCalls }) => externalCalls)],
    results: [...done.results, ...resultsOf(executed)],
    effects: executed.reduce((all, { effects }) => addEffects(all, effects), done.effects),
  };
}

function resultsOf(executed: readonly ToolCallResult[]): string[] {
  return executed.filter(({ run }) => run.status === 'done').map(({ text }) => text);
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
async function askWithDueCall(
  input: ToolLoopInput,
  messages: readonly ModelMessage[],
  rules: AnswerRules,
  mustCall: string | undefined,
): Promise<ModelOutcome & { readonly isForceRefused: boolean }> {
  if (mustCall === undefined)
    return { ...(await askWithFallback(input, messages, rules)), isForceRefused: false };
  const tools = [...input.toolbox.values()];
  const forced = await askOnce(input, messages, { ...rules, tools, mustCall });
  if (forced.answer || !isLastCallRefused(forced)) return { ...forced, isForceRefused: false };
  const { answer, calls } = await askWithFallback(input, messages, rules);
  return { answer, calls: [...forced.calls, ...calls], isForceRefused: true };
}

/**
 * Some providers refuse the whole request because of the schema of one tool; others let the model call tools although
 * `tool_choice` forbids it. In both cases the request is sent again without tools, to get an answer at all.
 */
async function askWithFallback(
  input: ToolLoopInput,
  messages: readonly ModelMessage[],
  rules: AnswerRules,
): Promise<ModelOutcome> {
  const first = await askOnce(input, messages, { ...rules, tools: [...input.toolbox.values()] });
  const isFirstRound = messages.every(({ role }) => role !== 'tool');
  const isRefused = isFirstRound && isLastCallRefused(first);
  if (first.answer || !(isRefused || !rules.mayCall)) return first;
  const { answer, calls } = await askOnce(input, messages, rules);
  return { answer, calls: [...first.calls, ...calls] };
}

/** Whether the provider refused the request itself, rather than failed temporarily. */
function isLastCallRefused({ calls }: ModelOutcome): boolean {
  const status = calls.at(-1)?.status;
  return status === 400 || status === 422;
}

function askOnce(
  { model, modelName, modelFallbacks, stream, ...input }: ToolLoopInput,
  messages: readonly ModelMessage[],
  form: AnswerRules & { readonly tools?: readonly OfferedTool[]; readonly mustCall?: string },
): Promise<ModelOutcome> {
  return model.complete(modelName, messages, {
    purpose: 'turn',
    spender: input.spender,
    masking: input.masking,
    textListener: stream,
    fallbacks: modelFallbacks,
    onlyModels: input.onlyModels,
    signal: input.signal,
    remainingMs: () => input.remainingMs(),
    ...form,
  });
}
