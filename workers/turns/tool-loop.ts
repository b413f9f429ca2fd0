import type { PromptMessage } from '../domain/prompts/prompt.ts';
import type { Model, ModelAnswer, ModelCall, OfferedFunction } from '../model/model.ts';
import type { ModelMessage, ToolCall } from '../model/model-message.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import type { OutsideCall } from '../tools/tool.ts';
import { type CalledTool, callTool, type Toolbox, type ToolRun } from './call-tool.ts';

/*
 * The model is asked with functions that it may call. Those that one answer calls for run side by side, and what came of
 * them goes back to the model, until it answers in words. It is told to do so after MOST_ROUNDS rounds of calls, or when
 * no more than the reserve is left of the turn's time. Functions that are due it is made to call, each once, one after the
 * other, before it may answer.
 */

export interface Conversing {
  readonly model: Model;
  readonly modelName: string | undefined;
  readonly prompt: readonly PromptMessage[];
  readonly toolbox: Toolbox;
  readonly signal: AbortSignal;
  remainingMs(): number;
  onBug(error: unknown, tool: string): void;
  readonly log: ConverseLog;
}

/** What was done meanwhile; filled whatever the end. */
export interface ConverseLog {
  readonly calls: ModelCall[];
  readonly toolRuns: ToolRun[];
  readonly outsideCalls: OutsideCall[];
  /** What the functions returned that did not fail: an error may repeat what the person wrote. */
  readonly results: string[];
}

const MOST_ROUNDS = 8;
const MOST_CALLS_A_ROUND = 16;
const LONGEST_RESERVE_MS = 10_000;
const RESERVED_SHARE = 0.25;

interface Expected {
  readonly mayCall: boolean;
  readonly mayBeEmpty: boolean;
}

/** The answer in words; undefined when the model gives none. Rejects only when the signal is aborted. */
export async function converse(given: Conversing): Promise<Pick<ModelAnswer, 'text' | 'model'> | undefined> {
  const reserveMs = Math.min(LONGEST_RESERVE_MS, given.remainingMs() * RESERVED_SHARE);
  const messages: ModelMessage[] = [...given.prompt];
  const due = new Set([...given.toolbox.values()].filter(({ isDue }) => isDue).map(({ name }) => name));
  let spoken = '';
  for (let round = 1; ; round += 1) {
    const watch = startStopwatch();
    const mayCall = round <= MOST_ROUNDS && given.remainingMs() > reserveMs;
    const answer = await askedWithDue(given, messages, { mayCall, mayBeEmpty: spoken !== '' }, due);
    if (!answer) return undefined;
    const { text, toolCalls, tokens } = answer;
    // Some models say all there is to say beside their calls, and nothing after them.
    spoken = text.trim() === '' ? spoken : text;
    if (toolCalls.length === 0) return { ...answer, text: spoken };
    const calls = toolCalls.slice(0, MOST_CALLS_A_ROUND);
    for (const { name } of calls) due.delete(name);
    const shares = tokenShares(calls, given.toolbox, tokens);
    const called = await Promise.all(
      calls.map((call, at) => {
        const remainingMs = given.remainingMs() - reserveMs;
        const context = {
          signal: given.signal,
          remainingMs,
          asked: { watch, tokens: shares[at] ?? 0 },
        };
        return callTool(given.toolbox, call, context, given.onBug);
      }),
    );
    note(given.log, called, round);
    const results = called.map(({ told }, at) => ({ content: told, toolCallId: calls[at]?.id ?? '' }));
    messages.push({ role: 'assistant', content: text, toolCalls: calls });
    messages.push(...results.map(result => ({ role: 'tool' as const, ...result })));
  }
}

/** The tokens of one answer, shared among the agents that it calls: together they are as many as were used. */
function tokenShares(calls: readonly ToolCall[], toolbox: Toolbox, tokens: number): number[] {
  const isAgent = calls.map(({ name }) => toolbox.get(name)?.kind === 'agent');
  const count = isAgent.filter(Boolean).length;
  let given = 0;
  return isAgent.map(is => {
    if (!is) return 0;
    given += 1;
    return Math.floor((tokens * given) / count) - Math.floor((tokens * (given - 1)) / count);
  });
}

/** A provider that cannot be told what to call is asked without that, and not told again in this turn. */
async function askedWithDue(
  given: Conversing,
  messages: readonly ModelMessage[],
  expected: Expected,
  due: Set<string>,
): Promise<ModelAnswer | undefined> {
  const [mustCall] = expected.mayCall ? due : [];
  if (mustCall === undefined) return asked(given, messages, expected);
  due.delete(mustCall);
  const options = { ...optionsFor(given, expected), mustCall };
  const answer = await given.model.complete(given.modelName, messages, options);
  if (answer || !wasRefused(given.log)) return answer;
  due.clear();
  return asked(given, messages, expected);
}

/**
 * A provider refuses the whole request for one function that it does not like, of whosever making; another lets its
 * model call although that was ruled out. Then it is asked without any, for an answer is worth more than they are.
 */
async function asked(
  given: Conversing,
  messages: readonly ModelMessage[],
  expected: Expected,
): Promise<ModelAnswer | undefined> {
  const { model, modelName, log } = given;
  const { functions, ...options } = optionsFor(given, expected);
  const answer = await model.complete(modelName, messages, { ...options, functions });
  const isFirst = messages.every(({ role }) => role !== 'tool');
  const isRefused = isFirst && wasRefused(log);
  if (answer || !(isRefused || !expected.mayCall)) return answer;
  return model.complete(modelName, messages, options);
}

/** Not because it cannot answer now, but for what it was asked. */
function wasRefused({ calls }: ConverseLog): boolean {
  const status = calls.at(-1)?.status;
  return status === 400 || status === 422;
}

function optionsFor({ toolbox, signal, log, remainingMs }: Conversing, expected: Expected) {
  const functions: OfferedFunction[] = [...toolbox.values()];
  return { purpose: 'turn', signal, remainingMs, calls: log.calls, functions, ...expected } as const;
}

function note(
  { toolRuns, outsideCalls, results }: ConverseLog,
  called: readonly CalledTool[],
  round: number,
): void {
  results.push(...called.filter(({ run }) => run.status === 'done').map(({ told }) => told));
  toolRuns.push(...called.map(({ run }) => ({ ...run, round })));
  outsideCalls.push(...called.flatMap(each => each.outsideCalls));
}
