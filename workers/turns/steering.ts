import { type AgentWithSchema, findAgents } from '../../db/agents.ts';
import { findStepsDone, markStepsDone } from '../../db/flow-steps-done.ts';
import { type Flow, type FlowStep, findActiveFlow } from '../../db/flows.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import {
  type FlowPlan,
  flowPlanOf,
  isOnce,
  runsAgents,
  type StepHistory,
  stepIdentitiesOf,
} from '../domain/flow-steps.ts';

/** The flow that steers a turn, and what it asks of it. */
export interface Steering {
  readonly flow: Flow;
  readonly plan: FlowPlan;
  readonly agents: readonly AgentWithSchema[];
}

interface Place {
  readonly avatarId: string;
  readonly conversationId: string;
}

/** Undefined where the avatar has no active flow. */
export async function steeringFor(
  scope: HostScope,
  { avatarId, conversationId }: Place,
): Promise<Steering | undefined> {
  const flow = await findActiveFlow(scope, avatarId);
  if (!flow) return undefined;
  const plan = flowPlanOf(flow.steps, await doneBefore(scope, flow, conversationId));
  const agents = await findAgents(
    scope,
    plan.agents.map(({ agentName }) => agentName),
  );
  return { flow, plan, agents };
}

/** What was done in a turn of what is remembered: places of steps, and names of agents that were run. */
export interface DoneInTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly steps: readonly number[];
  readonly agents: readonly string[];
}

/** Remembers which of the steps that are done once were done, and what steps that run agents have run. */
export async function rememberSteps(
  scope: HostScope,
  { flow }: Pick<Steering, 'flow'>,
  { conversationId, turnId, steps, agents }: DoneInTurn,
): Promise<void> {
  const ran = new Set(agents);
  const identities = stepIdentitiesOf(flow.steps);
  const done = flow.steps.flatMap((step, at) => {
    const identity = identities[at] ?? '';
    if (!steps.includes(at)) return [];
    if (runsAgents(step))
      return agentsOf(step)
        .filter(name => ran.has(name))
        .map(runOf(identity));
    return isOnce(step) ? [identity] : [];
  });
  if (done.length > 0) await markStepsDone(scope, { conversationId, flowId: flow.id, turnId }, done);
}

async function doneBefore(scope: HostScope, flow: Flow, conversationId: string): Promise<StepHistory> {
  const identities = stepIdentitiesOf(flow.steps);
  const asked = flow.steps.flatMap((step, at) => {
    const identity = identities[at] ?? '';
    const runs = runsAgents(step) ? agentsOf(step).map(runOf(identity)) : [];
    return isOnce(step) ? [identity, ...runs] : runs;
  });
  const place = { conversationId, flowId: flow.id };
  const done = asked.length > 0 ? await findStepsDone(scope, place, asked) : new Set<string>();
  return {
    isDone: at => done.has(identities[at] ?? ''),
    hasRun: (at, agentName) => done.has(runOf(identities[at] ?? '')(agentName)),
  };
}

function agentsOf({ agents = [] }: FlowStep): string[] {
  return agents.map(({ agentName }) => agentName);
}

/** What it is known by that a step has run an agent. */
function runOf(identity: string): (agentName: string) => string {
  return agentName => `${identity} ran ${agentName}`;
}
