import { createHash } from 'node:crypto';
import { type AgentWithSchema, findAgents } from '../../db/assistants/agents.ts';
import { type Flow, type FlowStep, findActiveFlow } from '../../db/assistants/flows.ts';
import { findStepsDone, markStepsDone } from '../../db/conversations/flow-steps-done.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { NIL_UUID } from '../../platform/uuid.ts';
import { isOnce, runsAgents, stepIdentitiesOf } from '../domain/flow-step.ts';
import { type FlowPlan, flowPlanOf, type StepHistory } from '../domain/flow-steps.ts';
import type { Effects } from './effects.ts';

/** What a turn reads of a flow. */
type TurnFlow = Pick<Flow, 'id' | 'name' | 'version' | 'steps' | 'model'>;

/** The active flow of a turn, the plan of its steps and the agents that it offers. */
export interface FlowState {
  readonly flow: TurnFlow;
  readonly plan: FlowPlan;
  readonly agents: readonly AgentWithSchema[];
}

interface FlowOfTurn {
  readonly avatarId: string;
  readonly conversationId: string;
  /** Of a rehearsal, in place of those that are saved. */
  readonly unsavedSteps?: readonly FlowStep[] | undefined;
}

/** Undefined where the avatar has no active flow, and the turn brings no steps. */
export async function readFlowState(
  scope: HostScope,
  { avatarId, conversationId, unsavedSteps }: FlowOfTurn,
): Promise<FlowState | undefined> {
  const saved = await findActiveFlow(scope, avatarId);
  const flow = unsavedSteps ? { ...(saved ?? UNSAVED), version: 0, steps: unsavedSteps } : saved;
  if (!flow) return undefined;
  const plan = flowPlanOf(flow.steps, await readDoneBefore(scope, flow, conversationId));
  const agents = await findAgents(
    scope,
    plan.agents.map(({ agentName }) => agentName),
  );
  return { flow, plan, agents };
}

/** What a flow has that was never saved. */
const UNSAVED = { id: NIL_UUID, name: '', model: '' };

/** The indexes of the flow's steps that a turn has done. */
export function listDoneSteps({ flowState, effects, isSilenced }: DoneStepsInput): number[] {
  if (!flowState || isSilenced) return [];
  return [...new Set([...flowState.plan.doneByAnswer, ...effects.stepsDone])];
}

interface DoneStepsInput {
  readonly flowState: FlowState | undefined;
  readonly effects: Pick<Effects, 'stepsDone'>;
  readonly isSilenced: boolean;
}

/** What a turn has done: indexes of steps, and names of agents that ran. */
export interface TurnProgress {
  readonly conversationId: string;
  readonly turnId: string;
  readonly steps: readonly number[];
  readonly agents: readonly string[];
}

/** Stores the once-only steps that were done, and the agents that were run by steps of type `agent`. */
export async function storeStepsDone(
  scope: HostScope,
  { flow }: Pick<FlowState, 'flow'>,
  { conversationId, turnId, steps, agents }: TurnProgress,
): Promise<void> {
  const ran = new Set(agents);
  const done = stepKeysOf(flow.steps).flatMap(({ step, own, ofRuns }, at) => {
    if (!steps.includes(at)) return [];
    if (runsAgents(step)) return [...ofRuns].filter(([name]) => ran.has(name)).map(([, key]) => key);
    return isOnce(step) ? [own] : [];
  });
  if (done.length > 0) await markStepsDone(scope, { conversationId, flowId: flow.id, turnId }, done);
}

async function readDoneBefore(
  scope: HostScope,
  flow: TurnFlow,
  conversationId: string,
): Promise<StepHistory> {
  const keys = stepKeysOf(flow.steps);
  const candidates = keys.flatMap(({ step, own, ofRuns }) => [
    ...(isOnce(step) ? [own] : []),
    ...ofRuns.values(),
  ]);
  const key = { conversationId, flowId: flow.id };
  const done = candidates.length > 0 ? await findStepsDone(scope, key, candidates) : new Set<string>();
  return {
    isDone: at => done.has(keys[at]?.own ?? ''),
    hasRun: (at, agentName) => done.has(keys[at]?.ofRuns.get(agentName) ?? ''),
  };
}

/** The keys under which a step is stored as done. */
interface StepKeys {
  readonly step: FlowStep;
  readonly own: string;
  /** That the step has run an agent, by its name. */
  readonly ofRuns: ReadonlyMap<string, string>;
}

/** Hashes the text of each step once, because it may be long; the keys of its agents derive from that hash. */
function stepKeysOf(steps: readonly FlowStep[]): StepKeys[] {
  const identities = stepIdentitiesOf(steps);
  return steps.map((step, at) => {
    const hash = createHash('sha256').update(identities[at] ?? '');
    const names = runsAgents(step) ? (step.agents ?? []).map(({ agentName }) => agentName) : [];
    const keyOfRun = (name: string) => hash.copy().update(` ran ${name}`).digest('base64url');
    const ofRuns = new Map([...new Set(names)].map(name => [name, keyOfRun(name)]));
    return { step, own: hash.copy().digest('base64url'), ofRuns };
  });
}
