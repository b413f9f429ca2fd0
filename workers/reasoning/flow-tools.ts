import type { AgentWithSchema } from '../../db/agents.ts';
import type { FlowPlan, OfferedEnding } from '../domain/flow-steps.ts';
import { functionNameOf } from '../domain/function-name.ts';
import type { Tool } from '../tool.ts';
import { agentTool } from './agent-tool.ts';
import type { Effects } from './effects.ts';

/** The functions that the steps of the flow offer: their agents, and their conditions to hand over or to end. */
export function flowTools(plan: FlowPlan, agents: readonly AgentWithSchema[], effects: Effects): Tool[] {
  const names = new Set<string>();
  const named = (name: string) => {
    const own = functionNameOf(name, taken => names.has(taken));
    names.add(own);
    return own;
  };
  const endings = plan.endings.map(ending => endingTool(named(ending.kind), ending, effects));
  const known = new Map(agents.map(agent => [agent.name, agent]));
  const offered = plan.agents.flatMap(offer => {
    const agent = known.get(offer.agentName);
    return agent ? [agentTool(named(agent.name), agent, offer, effects)] : [];
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
