import type { AgentWithSchema } from '../../db/assistants/agents.ts';
import type { FieldError } from '../../platform/field-error.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { OfferedAgent } from '../domain/offered-agents.ts';
import {
  AGENT_DONE,
  ALREADY_DONE,
  describeAgent,
  formatRejectedArguments,
  NO_MORE_CALLS,
} from '../domain/prompts/agent-tool-texts.ts';
import { findArgumentErrors, prepareSchema } from '../domain/schemas/schema-errors.ts';
import { isBlank } from '../domain/user-data.ts';
import { type Stopwatch, startStopwatch } from '../runtime/stopwatch.ts';
import type { Tool, ToolResult } from '../tools/tool.ts';
import type { AgentRun, Effects } from './effects.ts';
import { runBoundedCheck } from './run-bounded-check.ts';

/** Applies once for each schema. */
const MAX_COMPILE_MS = 250;
/** Applies to each call. A check takes a few milliseconds, unless a pattern of the schema backtracks without end. */
export const MAX_CHECK_MS = 100;

/** `knownArguments`: set when the data of the conversation give all required arguments; the agent is due then. */
type AgentOffer = OfferedAgent & { readonly knownArguments?: JsonObject };

/**
 * An agent as a tool that the model may call. A call succeeds when its arguments match the schema. Otherwise the
 * model gets the errors as the result and may correct them once. Both calls count as one run, failed until corrected.
 */
export function makeAgentTool(
  name: string,
  agent: AgentWithSchema,
  offer: AgentOffer,
  effects: Effects,
): Tool {
  let failed: AgentRun | undefined;
  let stopwatch: Stopwatch | undefined;
  let isGivenUp = false;
  let isDone = false;

  function recordRun(run: AgentRun): AgentRun {
    if (failed) effects.agentRuns.splice(effects.agentRuns.indexOf(failed), 1);
    effects.agentRuns.push(run);
    return run;
  }

  function refuse(errors: readonly FieldError[], run: Omit<AgentRun, 'status'>): ToolResult {
    const error = errors.map(({ path, message }) => `${path || '/'} ${message}`).join('; ');
    isGivenUp = failed !== undefined;
    failed = recordRun({ ...run, status: 'failed', error });
    return { text: formatRejectedArguments(error, !isGivenUp), isError: true };
  }

  return {
    name,
    description: describeAgent(agent.description, offer.conditions),
    parameters: agent.arguments,
    kind: 'agent',
    isDue: offer.knownArguments !== undefined,
    async run(sentArgs, context) {
      const args = addKnownArguments(sentArgs, offer.knownArguments);
      if (isDone) return { text: ALREADY_DONE, isError: true };
      if (isGivenUp) return { text: NO_MORE_CALLS, isError: true };
      stopwatch ??= context.requestedBy?.stopwatch ?? startStopwatch();
      const tokens = (context.requestedBy?.tokens ?? 0) + (failed?.tokens ?? 0);
      const run = { ...runOf(agent, offer, stopwatch), tokens };
      const errors = findErrors(agent, args);
      if (errors.length > 0) return refuse(errors, run);
      recordRun({ ...run, status: 'done' });
      failed = undefined;
      isDone = offer.isOnce;
      recordEffects(effects, agent, offer, args);
      return { text: AGENT_DONE };
    },
  };
}

function findErrors({ arguments: schema }: AgentWithSchema, args: JsonObject): readonly FieldError[] {
  runBoundedCheck(() => prepareSchema(schema), MAX_COMPILE_MS);
  const errors = runBoundedCheck(() => findArgumentErrors(schema, args), MAX_CHECK_MS);
  return errors ?? [{ path: '', message: 'took too long to check' }];
}

/** Known arguments fill in what the model left out. */
function addKnownArguments(args: JsonObject, known: JsonObject = {}): JsonObject {
  const missing = Object.entries(known).filter(([name]) => !Object.hasOwn(args, name) || isBlank(args[name]));
  return { ...args, ...Object.fromEntries(missing) };
}

function runOf({ name }: AgentWithSchema, { step }: OfferedAgent, stopwatch: Stopwatch) {
  const startedAt = stopwatch.startedAt.toISOString();
  return { agentName: name, step, startedAt, durationMs: stopwatch.elapsedMs() };
}

function recordEffects(
  effects: Effects,
  agent: AgentWithSchema,
  offer: OfferedAgent,
  data: JsonObject,
): void {
  effects.agentData.push({ agentName: agent.name, schemaName: agent.schemaName, data });
  effects.stepsDone.push(...offer.steps);
}
