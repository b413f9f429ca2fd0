/** Why a person of the host is to take over. */
export const helpReasons = [
  'customer_request',
  'missing_knowledge',
  'unsupported_request',
  'policy_restriction',
  'tool_failure',
] as const;

export type HelpReason = (typeof helpReasons)[number];

export interface Handover {
  /** Of the model's own accord, or because a condition of the flow was met. */
  readonly by: 'model' | 'flow';
  readonly reason: HelpReason | 'flow_step';
  readonly step?: number;
}

/** An agent that was called, as `agentsLog` has it. */
export interface AgentRun {
  readonly agentName: string;
  /** The place of its step in the flow, from 0. */
  readonly step: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: 'done' | 'failed';
  /** Of the model's answers that gave its arguments. */
  readonly tokens: number;
  readonly error?: string;
}

export interface AgentData {
  readonly agentName: string;
  readonly schemaName: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What the model has called for in a turn. Nothing of it happens before the answer is committed, and then all of it;
 * a turn that ends without an answer leaves none.
 */
export interface Effects {
  handover?: Handover;
  ticket?: { readonly subject: string; readonly description: string };
  closes: boolean;
  agentRuns: AgentRun[];
  agentData: AgentData[];
  /** Places of steps of the flow. */
  stepsDone: number[];
}

export function makeEffects(): Effects {
  return { closes: false, agentRuns: [], agentData: [], stepsDone: [] };
}

/** Those that were given what they need. */
export function listRunAgents({ agentRuns }: Pick<Effects, 'agentRuns'>): string[] {
  return agentRuns.filter(({ status }) => status === 'done').map(({ agentName }) => agentName);
}
