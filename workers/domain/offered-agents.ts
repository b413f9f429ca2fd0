import { contentOf, type FlowStep, isOnce, runsAgents } from './flow-step.ts';

export interface OfferedAgent {
  readonly agentName: string;
  /** The index of the first step that names it. */
  readonly step: number;
  /** The indexes of all steps that name it; calling it does those that are done at most once. */
  readonly steps: readonly number[];
  /** The indexes of `agent` steps that have not run it in this conversation. */
  readonly dueAt: readonly number[];
  readonly conditions: readonly string[];
  /** Every step that names it is done at most once a conversation, so it is offered once. */
  readonly isOnce: boolean;
}

/** A step with those of its agents that it has run in this conversation. */
export type ReadStep = FlowStep & { readonly at: number; readonly ran: ReadonlySet<string> };

interface AgentOffer {
  step: number;
  steps: number[];
  dueAt: number[];
  conditions: string[];
  isOnce: boolean;
}

function makeEmptyOffer(): Omit<AgentOffer, 'step'> {
  return { steps: [], dueAt: [], conditions: [], isOnce: true };
}

export function agentsIn(read: readonly ReadStep[]): OfferedAgent[] {
  const offered = new Map<string, AgentOffer>();
  for (const step of read) {
    for (const agentName of new Set(step.agents?.map(agent => agent.agentName))) {
      if (isOnce(step) && step.ran.has(agentName)) continue;
      const entry = offered.get(agentName) ?? { ...makeEmptyOffer(), step: step.at };
      offered.set(agentName, entry);
      entry.steps.push(step.at);
      entry.isOnce &&= isOnce(step);
      if (runsAgents(step) && !step.ran.has(agentName)) entry.dueAt.push(step.at);
      if (isConditional(step)) entry.conditions.push(contentOf(step));
    }
  }
  return [...offered].map(([agentName, entry]) => ({ agentName, ...entry }));
}

function isConditional(step: ReadStep): boolean {
  return ['notification-trigger', 'handoff', 'end'].includes(step.type) && contentOf(step) !== '';
}
