import type { Masking } from '../domain/masking/masking.ts';
import type { PromptMessage } from '../domain/prompts/prompt.ts';
import type { Model } from '../model/model.ts';
import type { ModelAnswer, ModelCall, TextListener } from '../model/model-call.ts';
import type { ModelMessage, OfferedTool, ToolCall } from '../model/provider.ts';
import type { Spender } from '../model/spender.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { ExternalCall } from '../tools/tool.ts';
import { callTool, type Toolbox, type ToolCallResult, type ToolRun } from './call-tool.ts';

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
