import { type AgentWithSchema, findAgents } from '../../db/agents.ts';
import { findStepsDone, markStepsDone } from '../../db/flow-steps-done.ts';
import { type Flow, findActiveFlow } from '../../db/flows.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FlowPlan, flowPlanOf, isOnce, stepIdentitiesOf } from '../domain/flow-steps.ts';

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
  const identities = stepIdentitiesOf(flow.steps);
  const once = identities.filter((_, at) => isOnceAt(flow, at));
  const done = once.length > 0 && (await findStepsDone(scope, { conversationId, flowId: flow.id }, once));
  const plan = flowPlanOf(flow.steps, at => done !== false && done.has(identities[at] ?? ''));
  const agents = await findAgents(
    scope,
    plan.agents.map(({ agentName }) => agentName),
  );
  return { flow, plan, agents };
}

/** Remembers which of the steps that are done once were done in this turn. */
export async function rememberSteps(
  scope: HostScope,
  { flow }: Pick<Steering, 'flow'>,
  { conversationId, turnId }: { readonly conversationId: string; readonly turnId: string },
  stepsDone: readonly number[],
): Promise<void> {
  const identities = stepIdentitiesOf(flow.steps);
  const once = [...new Set(stepsDone)].filter(at => isOnceAt(flow, at)).map(at => identities[at] ?? '');
  if (once.length > 0) await markStepsDone(scope, { conversationId, flowId: flow.id, turnId }, once);
}

function isOnceAt({ steps }: Flow, at: number): boolean {
  const step = steps[at];
  return step !== undefined && isOnce(step);
}
