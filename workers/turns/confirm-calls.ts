import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import {
  type AskedCall,
  beginCall,
  type CallAnswer,
  type KnownCall,
  storeCallAnswer,
} from '../../db/conversations/tool-confirmations.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts';
import {
  ARGUMENTS_TOO_LONG,
  ARRIVAL_UNKNOWN,
  formatAsk,
  formatKnownCalls,
  REHEARSED,
} from '../domain/prompts/confirmation-texts.ts';
import type { ExternalCall, NeededYes, Tool, ToolContext, ToolProvider } from '../tools/tool.ts';
import type { TurnTool, TurnToolResult } from './tools.ts';
import type { ReadTurn } from './turn.ts';

/*
 * A tool that needs a yes is called in two turns: the first one asks (its answer stores what), the person's next one calls. The
 * states are in db/conversations/tool-confirmations.ts. Within a turn, equal calls are one.
 */

/** The status of a call that was not made, because it waits for a yes. */
const WAITS_FOR_YES = 202;
/** The prompt of the next turn has them, too. */
const MAX_ARGUMENTS = 8_000;
/** The model gets no more. */
const MAX_ANSWER = 20_000;
/** A call ends this long before its time, which is left for storing the answer. */
const STORE_MS = 250;

/** Offers the same tools; those that need a yes ask for it first. */
export function confirmCalls(
  db: Db,
  turn: ReadTurn,
  provider: ToolProvider | undefined,
): ToolProvider | undefined {
  return (
    provider &&
    (async request => {
      const { tools, externalCalls } = await provider(request);
      const runs = new Map<string, Promise<TurnToolResult>>();
      return {
        tools: tools.map(tool => (tool.needsYes ? confirmed(db, turn, runs, tool, tool.needsYes) : tool)),
        externalCalls,
        note: noteOf(tools, turn.knownCalls),
      };
    })
  );
}

function noteOf(tools: readonly Tool[], known: readonly KnownCall[]): string {
  const told = known.flatMap(call => {
    const tool = tools.find(({ needsYes }) => needsYes && keyOf(needsYes, call.arguments) === call.key);
    return tool ? [{ ...call, tool: tool.name }] : [];
  });
  const of = (wanted: KnownCall['state']) => told.filter(({ state }) => state === wanted);
  return formatKnownCalls({ waiting: of('waiting'), called: of('called'), answered: of('answered') });
}

function confirmed(
  db: Db,
  turn: ReadTurn,
  runs: Map<string, Promise<TurnToolResult>>,
  tool: Tool,
  needsYes: NeededYes,
): TurnTool {
  return {
    ...tool,
    run(args, context) {
      const written = canonicalJsonOf(args);
      const key = keyOf(needsYes, written);
      const begun = runs.get(key);
      if (begun) return begun.then(({ text, isError = false }) => ({ text, isError }));
      const call = { key, name: needsYes.name, arguments: written };
      const running = runCall({ db, turn, tool, needsYes, call }, args, context);
      runs.set(key, running);
      return running;
    },
  };
}

interface Run {
  readonly db: Db;
  readonly turn: ReadTurn;
  readonly tool: Tool;
  readonly needsYes: NeededYes;
  readonly call: AskedCall;
}

async function runCall(run: Run, args: JsonObject, context: ToolContext): Promise<TurnToolResult> {
  const { turn, needsYes, call } = run;
  const lineOf = lineMakerOf(run);
  const wrong = call.arguments.length > MAX_ARGUMENTS ? ARGUMENTS_TOO_LONG : needsYes.errorOf(args);
  if (wrong !== undefined)
    return {
      text: wrong,
      isError: true,
      externalCalls: [lineOf({ status: 0, error: 'the arguments cannot be sent' })],
    };
  const notMade = (text: string, error: string) => ({
    text,
    externalCalls: [lineOf({ status: WAITS_FOR_YES, error })],
  });
  if (turn.job.body.reasoningConfig?.rehearsal) return notMade(REHEARSED, 'not made in a rehearsal');
  const known = turn.knownCalls.filter(({ key }) => key === call.key);
  if (known.some(({ state }) => state === 'called')) return unknownOf(lineOf, 'called before');
  const answer = known.find(({ state }) => state === 'answered')?.answer;
  if (answer) return resultOf(answer, [lineOf(answer)]);
  const waiting = known.find(({ state }) => state === 'waiting');
  if (waiting) return makeCall(run, waiting.id, args, context);
  return { ...notMade(formatAsk(call.arguments), 'waits for a yes'), effects: { asks: [call] } };
}

/** Another run of the turn has made the call, or has the turn. */
export class NotFirstError extends Error {}

/** From the moment that `called` may be committed, only the system's own word tells that the call did not arrive. */
async function makeCall(
  run: Run,
  id: string,
  args: JsonObject,
  context: ToolContext,
): Promise<TurnToolResult> {
  const { db, turn, tool, call } = run;
  const { hostId, turnId } = turn.job;
  const lineOf = lineMakerOf(run);
  let [mayHaveLeft, isFirst] = [false, true];
  const beforeSending = async () => {
    mayHaveLeft = true;
    isFirst = await withHost(db, hostId, scope => beginCall(scope, id, { turnId, attempt: turn.attempt }));
    if (!isFirst) throw new NotFirstError();
    return { 'Idempotency-Key': digestOf([hostId, turnId, call.key]) };
  };
  const startedAt = performance.now();
  const remainingMs = context.remainingMs - STORE_MS;
  const result = await tool.run(args, { ...context, remainingMs, beforeSending });
  if (!mayHaveLeft) return result;
  const [made] = result.externalCalls ?? [];
  if (!isFirst || !made || (made.status === 0 && !result.isUnsent))
    return unknownOf(lineOf, made?.error ?? '', Math.round(performance.now() - startedAt));
  const { status, error } = made;
  const answer = {
    text: result.text.slice(0, MAX_ANSWER),
    status,
    ...(error === undefined ? {} : { error }),
  };
  // Where it cannot be stored, this turn knows the answer, and no other run repeats the call.
  await withHost(db, hostId, scope => storeCallAnswer(scope, id, answer)).catch(() => undefined);
  return result;
}

function resultOf({ text, error }: CallAnswer, externalCalls: readonly ExternalCall[]): TurnToolResult {
  return { text, isError: error !== undefined, externalCalls };
}

type LineMaker = (call: Omit<CallAnswer, 'text'>, durationMs?: number) => ExternalCall;

function lineMakerOf({ needsYes: { name } }: Run): LineMaker {
  return ({ status, error }, durationMs = 0) => ({
    name,
    status,
    durationMs,
    ...(error === undefined ? {} : { error }),
  });
}

function unknownOf(lineOf: LineMaker, reason: string, durationMs = 0): TurnToolResult {
  const error = ['not known whether it arrived', reason].filter(Boolean).join(': ');
  return { text: ARRIVAL_UNKNOWN, isError: true, externalCalls: [lineOf({ status: 0, error }, durationMs)] };
}

function keyOf({ id }: NeededYes, written: string): string {
  return digestOf([id, written]);
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Equal for equal values, whatever the order of their fields; on one line. */
function canonicalJsonOf(value: JsonObject): string {
  const json = JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(byName)) : inner,
  );
  return json.replaceAll(
    /[\u0085\u2028\u2029]/g,
    sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
