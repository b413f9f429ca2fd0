import type { OfferedEnding } from '../domain/flow-steps.ts';
import { functionNameOf } from '../domain/function-name.ts';
import type { Tool } from '../tools/tool.ts';
import { agentTool } from './agent-tool.ts';
import type { Effects } from './effects.ts';
import type { Readiness } from './readiness.ts';
import type { Steering } from './steering.ts';

/** The functions that the steps of the flow offer: their agents, and their conditions to hand over or to end. */
export function flowTools(
  { plan, agents }: Pick<Steering, 'plan' | 'agents'>,
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
    return [agentTool(named(agent.name), agent, { ...offer, ...(known ? { known } : {}) }, effects)];
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
