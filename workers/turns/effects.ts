/** Reasons for a handover to a staff member. */
export const helpReasons = [
  'customer_request',
  'missing_knowledge',
  'unsupported_request',
  'policy_restriction',
  'tool_failure',
] as const;

export type HelpReason = (typeof helpReasons)[number];

export interface Handover {
  /** The model called the built-in tool, a condition of the flow was met, or a figure of the answer stands nowhere. */
  readonly by: 'model' | 'flow' | 'check';
  readonly reason: HelpReason | 'flow_step';
  readonly step?: number;
}

/** An agent that was called, as `agentsLog` shows it. */
export interface AgentRun {
  readonly agentName: string;
  /** The index of its step in the flow, from 0. */
  readonly step: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: 'done' | 'failed';
  /** Tokens of the model's answers that gave its arguments. */
  readonly tokens: number;
  readonly error?: string;
}

export interface AgentData {
  readonly agentName: string;
  readonly schemaName: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What the model requested in a turn. All of it is applied when the answer is committed and nothing before; a turn
 * without an answer applies nothing.
 */
export interface Effects {
  handover?: Handover;
  ticket?: { readonly subject: string; readonly description: string };
  closes: boolean;
  agentRuns: AgentRun[];
  agentData: AgentData[];
  /** Indexes of steps of the flow. */
  stepsDone: number[];
}

export function makeEffects(): Effects {
  return { closes: false, agentRuns: [], agentData: [], stepsDone: [] };
}

/** The names of the agents whose run succeeded. */
export function listRunAgents({ agentRuns }: Pick<Effects, 'agentRuns'>): string[] {
  return agentRuns.filter(({ status }) => status === 'done').map(({ agentName }) => agentName);
}
