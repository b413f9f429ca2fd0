import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../platform/json-object.ts';
import type { OfferedEnding } from '../domain/flow-steps.ts';
import { CONVERSATION_CLOSES, TEAM_CALLED } from '../domain/prompts/built-in-tool-texts.ts';
import { describeEnding } from '../domain/prompts/flow-texts.ts';
import { argumentNamesIn, findKnownArguments, type KnownData } from '../domain/schemas/known-arguments.ts';
import { findArgumentErrors } from '../domain/schemas/schema-errors.ts';
import { toolNameOf } from '../domain/tool-name.ts';
import type { Tool } from '../tools/tool.ts';
import { MAX_CHECK_MS, makeAgentTool } from './agent-tool.ts';
import type { Effects } from './effects.ts';
import type { FlowState } from './flow-state.ts';
import { runBoundedCheck } from './run-bounded-check.ts';

/** The state of an agent that a step of type `agent` waits to run. */
export interface Readiness {
  readonly agentName: string;
  /** The indexes of those steps. */
  readonly steps: readonly number[];
  /** Required arguments that the data of the conversation lack. The model may still find them in the dialogue. */
  readonly missing: readonly string[];
  /** Set when the data give all required arguments: the agent runs in this turn. */
  readonly knownArguments?: JsonObject;
}

/** The state of each agent that runs as soon as its arguments are known. */
export function readinessOf({ plan, agents }: FlowState, data: KnownData): Readiness[] {
  const waiting = new Map(plan.agents.map(({ agentName, dueAt }) => [agentName, dueAt]));
  const check = makeSchemaCheck();
  return agents.flatMap(({ name, arguments: schema }): Readiness[] => {
    const steps = waiting.get(name) ?? [];
    if (steps.length === 0) return [];
    const { values, missing } = findKnownArguments(schema, data);
    const agent = { agentName: name, steps };
    // A schema with optional arguments only does not say when the agent is due: the model decides.
    const isTriggeredByData = Object.keys(values).length > 0 || argumentNamesIn(schema).length === 0;
    if (missing.length > 0 || !isTriggeredByData) return [{ ...agent, missing }];
    const errors = check(schema, values);
    if (errors?.length === 0) return [{ ...agent, missing, knownArguments: values }];
    const invalid = new Set(errors?.map(({ path }) => argumentIn(path)));
    return [{ ...agent, missing: Object.keys(values).filter(name => invalid.has(name)) }];
  });
}

/** Digests of schemas whose check took too long in this process: those of a host must not block the turns of others again and again. */
const slowSchemas = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

/** Checks of one turn, which together block it no longer than `MAX_CHECK_MS`. Undefined: not checked to the end. */
function makeSchemaCheck() {
  let leftMs = MAX_CHECK_MS;
  return (schema: JsonObject, values: JsonObject) => {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64url');
    if (leftMs < 1 || slowSchemas.has(key)) return undefined;
    const startedAt = performance.now();
    const errors = runBoundedCheck(() => findArgumentErrors(schema, values), Math.floor(leftMs));
    // What had only the rest of the time is not slow for that.
    if (!errors && leftMs > MAX_CHECK_MS / 2) slowSchemas.set(key, true);
    leftMs -= performance.now() - startedAt;
    return errors;
  };
}

/** The argument that the first segment of a JSON pointer names. */
function argumentIn(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The tools that the steps of the flow offer: agents, and conditions that hand over or end the conversation. */
export function makeFlowTools(
  { plan, agents }: Pick<FlowState, 'plan' | 'agents'>,
  readiness: readonly Readiness[],
  effects: Effects,
): Tool[] {
  const names = new Set<string>();
  const reserveName = (name: string) => {
    const unique = toolNameOf(name, taken => names.has(taken));
    names.add(unique);
    return unique;
  };
  const endings = plan.endings.map(ending => makeEndingTool(reserveName(ending.kind), ending, effects));
  const existing = new Map(agents.map(agent => [agent.name, agent]));
  const argumentsOf = new Map(readiness.map(each => [each.agentName, each.knownArguments]));
  const offered = plan.agents.flatMap(offer => {
    const agent = existing.get(offer.agentName);
    if (!agent) return [];
    const knownArguments = argumentsOf.get(agent.name);
    return [
      makeAgentTool(
        reserveName(agent.name),
        agent,
        { ...offer, ...(knownArguments ? { knownArguments } : {}) },
        effects,
      ),
    ];
  });
  return [...endings, ...offered];
}

function makeEndingTool(name: string, { kind, step, condition }: OfferedEnding, effects: Effects): Tool {
  return {
    name,
    description: describeEnding(kind, condition),
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    kind: 'step',
    async run() {
      effects.stepsDone.push(step);
      if (kind === 'end') {
        effects.closes = true;
        return { text: CONVERSATION_CLOSES };
      }
      effects.handover ??= { by: 'flow', reason: 'flow_step', step };
      return { text: TEAM_CALLED };
    },
  };
}
