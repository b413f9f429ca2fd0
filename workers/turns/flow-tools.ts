import type { OfferedEnding } from '../domain/flow-steps.ts';
import { functionNameOf } from '../domain/function-name.ts';
import { argumentNamesIn, type KnownData, knownArgumentsOf } from '../domain/known-arguments.ts';
import { argumentsProblems } from '../domain/schema-problems.ts';
import { runBoundedCheck } from '../runtime/bounded-check.ts';
import type { JsonObject, Tool } from '../tools/tool.ts';
import { makeAgentTool } from './agent-tool.ts';
import type { Effects } from './effects.ts';
import type { FlowState } from './flow-state.ts';

/** An agent that a step of type `agent` waits to run. */
export interface Readiness {
  readonly agentName: string;
  /** The places of those steps. */
  readonly steps: readonly number[];
  /** Required arguments that the data of the conversation do not give. Its dialogue may: that the model judges. */
  readonly missing: readonly string[];
  /** The required arguments where the data give all of them: then it is run in this turn. */
  readonly known?: JsonObject;
}

const LONGEST_CHECK_MS = 100;

/** How far the agents are that are to run as soon as their arguments are known. */
export function readinessOf({ plan, agents }: FlowState, data: KnownData): Readiness[] {
  const waiting = new Map(plan.agents.map(({ agentName, dueAt }) => [agentName, dueAt]));
  return agents.flatMap(({ name, arguments: schema }): Readiness[] => {
    const steps = waiting.get(name) ?? [];
    if (steps.length === 0) return [];
    const { values, missing } = knownArgumentsOf(schema, data);
    const agent = { agentName: name, steps };
    // Where everything is optional, whoever made the schema has not said when it is time: the model judges.
    const isToldWhen = Object.keys(values).length > 0 || argumentNamesIn(schema).length === 0;
    if (missing.length > 0 || !isToldWhen) return [{ ...agent, missing }];
    const problems = runBoundedCheck(() => argumentsProblems(schema, values), LONGEST_CHECK_MS);
    if (problems?.length === 0) return [{ ...agent, missing, known: values }];
    const wrong = new Set(problems?.map(({ path }) => argumentIn(path)));
    return [{ ...agent, missing: Object.keys(values).filter(name => wrong.has(name)) }];
  });
}

/** The argument of the first step of a JSON pointer. */
function argumentIn(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The functions that the steps of the flow offer: their agents, and their conditions to hand over or to end. */
export function makeFlowTools(
  { plan, agents }: Pick<FlowState, 'plan' | 'agents'>,
  readiness: readonly Readiness[],
  effects: Effects,
): Tool[] {
  const names = new Set<string>();
  const named = (name: string) => {
    const own = functionNameOf(name, taken => names.has(taken));
    names.add(own);
    return own;
  };
  const endings = plan.endings.map(ending => endingTool(named(ending.kind), ending, effects));
  const existing = new Map(agents.map(agent => [agent.name, agent]));
  const knownFor = new Map(readiness.map(({ agentName, known }) => [agentName, known]));
  const offered = plan.agents.flatMap(offer => {
    const agent = existing.get(offer.agentName);
    if (!agent) return [];
    const known = knownFor.get(agent.name);
    return [makeAgentTool(named(agent.name), agent, { ...offer, ...(known ? { known } : {}) }, effects)];
  });
  return [...endings, ...offered];
}

function endingTool(name: string, { kind, step, condition }: OfferedEnding, effects: Effects): Tool {
  const what =
    kind === 'handoff'
      ? 'Passa o atendimento a uma pessoa da equipe.'
      : 'Encerra o atendimento depois desta resposta.';
  return {
    name,
    description: `${what} Chame quando isto acontecer: ${condition}`,
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    kind: 'step',
    async run() {
      effects.stepsDone.push(step);
      if (kind === 'end') {
        effects.closes = true;
        return { text: 'O atendimento será encerrado depois desta resposta.' };
      }
      effects.handover ??= { by: 'flow', reason: 'flow_step', step };
      return { text: 'A equipe foi chamada: uma pessoa vai continuar este atendimento.' };
    },
  };
}
