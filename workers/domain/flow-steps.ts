import { contentOf, type FlowStep, isOnce, runsAgents } from './flow-step.ts';
import { agentsIn, type OfferedAgent, type ReadStep } from './offered-agents.ts';
import { formatCalls, formatTrigger } from './prompts/flow-texts.ts';

/*
 * What the steps of a flow contribute to one turn. Every turn reads all steps, in order:
 *
 *   notification-conversation   an instruction in the prompt
 *   notification-trigger        a condition: its agents are offered under it. Without agents it is an instruction
 *   message                     sent word for word before the answer of the model
 *   agent                       its agents run as soon as their required arguments are known, once a conversation;
 *                               then they are offered like others, or no longer with `canRepeat: false`
 *   handoff, end                a condition: when met, a staff member takes over, or the conversation is closed
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
}

export interface SkippedStep {
  readonly step: number;
  readonly type: string;
  readonly reason: 'unknown type' | 'done before' | 'nothing in it';
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
]);

/** What was done earlier in the conversation, by the indexes of the steps. */
export interface StepHistory {
  isDone(step: number): boolean;
  /** Whether a step of type `agent` has run this agent. */
  hasRun(step: number, agentName: string): boolean;
}

export function flowPlanOf(flowSteps: readonly FlowStep[], { isDone, hasRun }: StepHistory): FlowPlan {
  const steps: ReadStep[] = flowSteps.map((step, at) => ({
    ...step,
    at,
    ran: agentsRunAt(step, name => hasRun(at, name)),
  }));
  const skipped = steps.flatMap((step): SkippedStep[] => {
    const reason = skipReasonOf(step, isOnce(step) && (isDone(step.at) || isAllRun(step)));
    return reason ? [{ step: step.at, type: step.type, reason }] : [];
  });
  const isSkipped = new Set(skipped.map(({ step }) => step));
  const read = steps.filter(({ at }) => !isSkipped.has(at));
  const instructing = read.filter(isInstruction);
  const messages = read.filter(({ type }) => type === 'message');
  return {
    messages: messages.map(contentOf),
    instructions: instructing.map(instructionOf),
    agents: agentsIn(read),
    endings: read
      .filter(isEnding)
      .map(step => ({ kind: step.type, step: step.at, condition: contentOf(step) })),
    doneByAnswer: [...messages, ...instructing.filter(step => !runsAgents(step))].map(({ at }) => at),
    skipped,
  };
}

function agentsRunAt(step: FlowStep, hasRun: (agentName: string) => boolean): Set<string> {
  const names = runsAgents(step) ? (step.agents ?? []).map(({ agentName }) => agentName) : [];
  return new Set(names.filter(hasRun));
}

function isAllRun({ agents = [], ran }: ReadStep): boolean {
  return ran.size > 0 && agents.every(({ agentName }) => ran.has(agentName));
}

function skipReasonOf(step: FlowStep, isDone: boolean): SkippedStep['reason'] | undefined {
  if (!KNOWN.has(step.type)) return 'unknown type';
  if (isDone) return 'done before';
  const isEmpty = contentOf(step) === '' && !(step.agents?.length && step.type !== 'message');
  return isEmpty ? 'nothing in it' : undefined;
}

function isInstruction(step: ReadStep): boolean {
  const isAgentless = !step.agents?.length;
  if (step.type === 'notification-trigger') return isAgentless;
  return ['notification-conversation', 'agent'].includes(step.type);
}

function isEnding(step: ReadStep): step is ReadStep & { type: OfferedEnding['kind'] } {
  return (step.type === 'handoff' || step.type === 'end') && contentOf(step) !== '';
}

function instructionOf(step: ReadStep): string {
  const content = contentOf(step);
  if (step.type === 'notification-trigger') return formatTrigger(content, step.description.trim());
  return runsAgents(step) ? [...callsFor(step), content].join(' ').trim() : content;
}

function callsFor({ agents = [], ran, ...step }: ReadStep): string[] {
  const names = agents.map(({ agentName }) => agentName);
  const waiting = names.filter(name => !ran.has(name));
  const called = isOnce(step) ? [] : names.filter(name => ran.has(name));
  return formatCalls(waiting, called);
}
