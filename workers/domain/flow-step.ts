export interface FlowStep {
  readonly type: string;
  readonly content: string;
  readonly description: string;
  readonly canRepeat?: boolean;
  readonly agents?: readonly { readonly agentName: string; readonly schemaName: string }[];
}

/** Whether the step is done at most once in a conversation. */
export function isOnce({ type, canRepeat }: Pick<FlowStep, 'type' | 'canRepeat'>): boolean {
  return type === 'message' ? canRepeat !== true : canRepeat === false;
}

/**
 * The identity of a step: its words, and a counter among equal ones. So steps may be reordered; a step with other
 * words is another step.
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

/** Whether the step runs its agents as soon as their arguments are known. */
export function runsAgents({ type, agents }: Pick<FlowStep, 'type' | 'agents'>): boolean {
  return type === 'agent' && agents !== undefined && agents.length > 0;
}

export function contentOf({ type, content, description }: FlowStep): string {
  return content.trim() || (type === 'message' ? '' : description.trim());
}
