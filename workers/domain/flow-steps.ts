/*
 * What a flow asks of one turn. Every turn reads all steps, in order:
 *
 *   notification-conversation   an instruction, put into the prompt
 *   notification-trigger        a condition: its agents are offered under it. Without agents it is an instruction
 *   message                     said word for word before the model's answer
 *   agent                       an instruction to run its agents, which are offered
 *   handoff, end                a condition: met, a person takes over, or the conversation is closed
 *
 * Agents are offered whatever the type of the step that names them. A step of another type is left out. A step that is
 * done once (`canRepeat: false`; a message unless it says `canRepeat: true`) is left out, too, when it was done before.
 * A message and an instruction are done when the turn is answered, all else when the model has called for it.
 */

export interface FlowStep {
  readonly type: string;
  readonly content: string;
  readonly description: string;
  readonly canRepeat?: boolean;
  readonly agents?: readonly { readonly agentName: string; readonly schemaName: string }[];
}

export interface OfferedAgent {
  readonly agentName: string;
  /** The place of the first step that names it. */
  readonly step: number;
  /** All the places; to call it is to do what is to be done once there. */
  readonly steps: readonly number[];
  readonly conditions: readonly string[];
  /** Every step that names it is done at most once in a conversation, and so is it. */
  readonly isOnce: boolean;
}

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
  /** Done when the turn is answered. */
  readonly taken: readonly number[];
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

export function flowPlanOf(steps: readonly FlowStep[], isDoneBefore: (step: number) => boolean): FlowPlan {
  const skipped = steps.flatMap((step, at): SkippedStep[] => {
    const reason = whySkipped(step, isOnce(step) && isDoneBefore(at));
    return reason ? [{ step: at, type: step.type, reason }] : [];
  });
  const isSkipped = new Set(skipped.map(({ step }) => step));
  const read = steps.map((step, at) => ({ ...step, at })).filter(({ at }) => !isSkipped.has(at));
  const instructing = read.filter(isInstruction);
  const messages = read.filter(({ type }) => type === 'message');
  return {
    messages: messages.map(contentOf),
    instructions: instructing.map(instructionOf),
    agents: agentsIn(read),
    endings: read
      .filter(isEnding)
      .map(step => ({ kind: step.type, step: step.at, condition: contentOf(step) })),
    taken: [...messages, ...instructing.filter(step => step.type !== 'agent' || !step.agents?.length)].map(
      ({ at }) => at,
    ),
    skipped,
  };
}

/** Whether the step is done at most once in a conversation. */
export function isOnce({ type, canRepeat }: Pick<FlowStep, 'type' | 'canRepeat'>): boolean {
  return type === 'message' ? canRepeat !== true : canRepeat === false;
}

/**
 * What a step is known by: its words, so that a flow may be put in another order, and which of those that are
 * alike it is. A step that says something else is another one.
 */
export function stepIdentitiesOf(steps: readonly FlowStep[]): string[] {
  const seen = new Map<string, number>();
  return steps.map(({ type, content, agents = [] }) => {
    const words = JSON.stringify([type, content.trim(), agents.map(({ agentName }) => agentName)]);
    const count = (seen.get(words) ?? 0) + 1;
    seen.set(words, count);
    return `${count} ${words}`;
  });
}

type ReadStep = FlowStep & { readonly at: number };

function whySkipped(step: FlowStep, isDone: boolean): SkippedStep['reason'] | undefined {
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

function contentOf({ type, content, description }: FlowStep): string {
  return content.trim() || (type === 'message' ? '' : description.trim());
}

function instructionOf(step: ReadStep): string {
  const content = contentOf(step);
  if (step.type === 'notification-trigger')
    return `Quando isto acontecer: ${content}\n${step.description.trim()}`.trim();
  if (step.type !== 'agent' || !step.agents?.length) return content;
  const names = step.agents.map(({ agentName }) => `"${agentName}"`).join(', ');
  return `Assim que tiver os dados, chame: ${names}. ${content}`.trim();
}

function agentsIn(read: readonly ReadStep[]): OfferedAgent[] {
  const offered = new Map<string, { step: number; steps: number[]; conditions: string[]; isOnce: boolean }>();
  for (const step of read) {
    for (const { agentName } of step.agents ?? []) {
      const entry = offered.get(agentName) ?? { step: step.at, steps: [], conditions: [], isOnce: true };
      offered.set(agentName, entry);
      entry.steps.push(step.at);
      entry.isOnce &&= isOnce(step);
      if (isConditional(step)) entry.conditions.push(contentOf(step));
    }
  }
  return [...offered].map(([agentName, entry]) => ({ agentName, ...entry }));
}

function isConditional(step: ReadStep): boolean {
  return ['notification-trigger', 'handoff', 'end'].includes(step.type) && contentOf(step) !== '';
}
