import { stepsForModel } from './asks/flow-asks.ts';
import type { Walk } from './asks/flow-walk.ts';
import { withChoices } from './asks/said-value.ts';
import type { FlowStep } from './flow-step.ts';
import { formatCalls, formatTrigger } from './prompts/tool-texts.ts';

/** Whether the step is done at most once in a conversation. */
export function isOnce({ type, canRepeat }: Pick<FlowStep, 'type' | 'canRepeat'>): boolean {
  if (type === 'ask') return true;
  return type === 'message' ? canRepeat !== true : canRepeat === false;
}

/**
 * Identifies a step by its words, and by a counter among equal ones. So steps may be reordered; a step with other words is
 * another step.
 */
export function stepIdentitiesOf(steps: readonly FlowStep[]): string[] {
  const seen = new Map<string, number>();
  return steps.map(({ type, content, agents = [], name }) => {
    const kept = type === 'ask' ? [name] : [];
    const words = JSON.stringify([type, content.trim(), agents.map(({ agentName }) => agentName), ...kept]);
    const count = (seen.get(words) ?? 0) + 1;
    seen.set(words, count);
    return `${count} ${words}`;
  });
}

/** Whether the step runs its agents as soon as their arguments are known. */
export function runsAgents({ type, agents }: Pick<FlowStep, 'type' | 'agents'>): boolean {
  return type === 'agent' && agents !== undefined && agents.length > 0;
}

function contentOf({ type, content, description }: FlowStep): string {
  return content.trim() || (type === 'message' ? '' : description.trim());
}

export interface OfferedAgent {
  readonly agentName: string;
  /** The index of the first step that names it. */
  readonly step: number;
  /** The indexes of all steps that name it; a call does those that are done at most once. */
  readonly steps: readonly number[];
  /** The indexes of `agent` steps that have not run it in this conversation. */
  readonly dueAt: readonly number[];
  readonly conditions: readonly string[];
  /** Set if every step that names it is done at most once a conversation: it is offered once. */
  readonly isOnce: boolean;
}

/** A step with its agents that have run in this conversation. */
type ActiveStep = FlowStep & { readonly at: number; readonly ran: ReadonlySet<string> };

interface OfferedAgentEntry {
  step: number;
  steps: number[];
  dueAt: number[];
  conditions: string[];
  isOnce: boolean;
}

function makeEmptyEntry(): Omit<OfferedAgentEntry, 'step'> {
  return { steps: [], dueAt: [], conditions: [], isOnce: true };
}

function offeredAgentsIn(read: readonly ActiveStep[]): OfferedAgent[] {
  const offered = new Map<string, OfferedAgentEntry>();
  for (const step of read) {
    for (const agentName of new Set(step.agents?.map(agent => agent.agentName))) {
      if (isOnce(step) && step.ran.has(agentName)) continue;
      const entry = offered.get(agentName) ?? { ...makeEmptyEntry(), step: step.at };
      offered.set(agentName, entry);
      entry.steps.push(step.at);
      entry.isOnce &&= isOnce(step);
      if (runsAgents(step) && !step.ran.has(agentName)) entry.dueAt.push(step.at);
      if (isConditional(step)) entry.conditions.push(contentOf(step));
    }
  }
  return [...offered].map(([agentName, entry]) => ({ agentName, ...entry }));
}

function isConditional(step: ActiveStep): boolean {
  return ['notification-trigger', 'handoff', 'end'].includes(step.type) && contentOf(step) !== '';
}

/*
 * The steps of a flow contribute to each turn, which reads all of them in order:
 *
 *   notification-conversation   an instruction in the prompt
 *   notification-trigger        a condition: its agents are offered under it. Without agents it is an instruction
 *   message                     sent word for word before the answer of the model
 *   agent                       its agents run as soon as their required arguments are known, once a conversation;
 *                               then they are offered like others, or no longer with `canRepeat: false`
 *   handoff, end                a condition: when met, a staff member takes over, or the conversation is closed
 *   ask                         a question, which holds the steps after it until it is answered: `asks/flow-asks.ts`
 *   when                        a branch on an answer, which may pass over the steps up to its target
 *
 * Agents are offered whatever the type of their step. A step of an unknown type is skipped. A step that is done at
 * most once (`canRepeat: false`; a message unless it says `canRepeat: true`) is skipped when it was done before. A
 * message and an instruction are done when the turn is answered, other steps when the model called their function; a
 * step of type `agent` when all of its agents have run.
 */

export interface OfferedEnding {
  readonly kind: 'handoff' | 'end';
  readonly step: number;
  readonly condition: string;
  readonly team?: string;
}

export function findTeam<T extends { readonly id: string; readonly name: string }>(
  teams: readonly T[],
  named: string,
): T | undefined {
  const wanted = named.trim().toLowerCase();
  return teams.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
}

export interface SkippedStep {
  readonly step: number;
  readonly type: string;
  readonly reason:
    | 'unknown type'
    | 'done before'
    | 'nothing in it'
    | 'passed over'
    | 'waits for an answer'
    | 'needs a model';
}

export interface FlowPlan {
  readonly messages: readonly string[];
  readonly instructions: readonly string[];
  readonly agents: readonly OfferedAgent[];
  readonly endings: readonly OfferedEnding[];
  /** The indexes of the steps that are done when the turn is answered. */
  readonly doneByAnswer: readonly number[];
  readonly skipped: readonly SkippedStep[];
}

const KNOWN = new Set([
  'notification-conversation',
  'notification-trigger',
  'message',
  'agent',
  'handoff',
  'end',
  'ask',
  'when',
]);

/** Tells what was done earlier in the conversation, by the indexes of the steps. */
export interface StepHistory {
  isDone(step: number): boolean;
  hasRun(step: number, agentName: string): boolean;
}

/** With a `walk`, only the steps that it reached count; without a model, only those that need none. */
export function flowPlanOf(
  flowSteps: readonly FlowStep[],
  { isDone, hasRun }: StepHistory,
  walk?: Walk,
  hasModel = true,
): FlowPlan {
  const steps: ActiveStep[] = flowSteps.map((step, at) => ({
    ...step,
    at,
    ran: agentsRunAt(step, name => hasRun(at, name)),
  }));
  const skipped = steps.flatMap((step): SkippedStep[] => {
    const reason =
      unreachedReasonOf(step.at, walk) ??
      skipReasonOf(step, isOnce(step) && (isDone(step.at) || isAllRun(step))) ??
      (hasModel || !stepsForModel.has(step.type) ? undefined : 'needs a model');
    return reason ? [{ step: step.at, type: step.type, reason }] : [];
  });
  const isSkipped = new Set(skipped.map(({ step }) => step));
  const read = steps.filter(({ at }) => !isSkipped.has(at));
  const instructing = read.filter(isInstruction);
  const messages = read.filter(({ type }) => type === 'message');
  return {
    messages: messages.map(step => withChoices(contentOf(step), step.choices)),
    instructions: instructing.map(instructionOf),
    agents: offeredAgentsIn(read),
    endings: read.filter(isEnding).map(({ team, ...step }) => ({
      kind: step.type,
      step: step.at,
      condition: contentOf(step),
      ...(team === undefined ? {} : { team }),
    })),
    doneByAnswer: [...messages, ...instructing.filter(step => !runsAgents(step))].map(({ at }) => at),
    skipped,
  };
}

function agentsRunAt(step: FlowStep, hasRun: (agentName: string) => boolean): Set<string> {
  const names = runsAgents(step) ? (step.agents ?? []).map(({ agentName }) => agentName) : [];
  return new Set(names.filter(hasRun));
}

function isAllRun({ agents = [], ran }: ActiveStep): boolean {
  return ran.size > 0 && agents.every(({ agentName }) => ran.has(agentName));
}

function unreachedReasonOf(at: number, walk: Walk | undefined): SkippedStep['reason'] | undefined {
  if (!walk || walk.reached.includes(at)) return undefined;
  return walk.open && at > walk.open.at ? 'waits for an answer' : 'passed over';
}

function skipReasonOf(step: FlowStep, isDone: boolean): SkippedStep['reason'] | undefined {
  if (!KNOWN.has(step.type)) return 'unknown type';
  if (isDone) return 'done before';
  const isEmpty =
    step.type !== 'when' && contentOf(step) === '' && !(step.agents?.length && step.type !== 'message');
  return isEmpty ? 'nothing in it' : undefined;
}

function isInstruction(step: ActiveStep): boolean {
  const isAgentless = !step.agents?.length;
  if (step.type === 'notification-trigger') return isAgentless;
  return ['notification-conversation', 'agent'].includes(step.type);
}

function isEnding(step: ActiveStep): step is ActiveStep & { type: OfferedEnding['kind'] } {
  return (step.type === 'handoff' || step.type === 'end') && contentOf(step) !== '';
}

function instructionOf(step: ActiveStep): string {
  const content = contentOf(step);
  if (step.type === 'notification-trigger') return formatTrigger(content, step.description.trim());
  return runsAgents(step) ? [...callsFor(step), content].join(' ').trim() : content;
}

function callsFor({ agents = [], ran, ...step }: ActiveStep): string[] {
  const names = agents.map(({ agentName }) => agentName);
  const waiting = names.filter(name => !ran.has(name));
  const called = isOnce(step) ? [] : names.filter(name => ran.has(name));
  return formatCalls(waiting, called);
}
