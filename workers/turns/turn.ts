import type { AgentWithSchema } from '../../db/assistants/agents.ts';
import type { Avatar } from '../../db/assistants/avatars.ts';
import type { Flow } from '../../db/assistants/flows.ts';
import type { McpConfig } from '../../db/assistants/mcp-configs.ts';
import type { GlobalData } from '../../db/conversations/conversations.ts';
import type { TurnClaimResult } from '../../db/conversations/turns.ts';
import type { FlowPlan } from '../domain/flow-steps.ts';
import type { Masking } from '../domain/masking/masking.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';
import type { UserData } from '../domain/user-data.ts';
import type { Spender } from '../model/spender.ts';
import type { FoundKnowledge } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';

/** A job, and the turn of it that runs. */
export interface TurnJob extends HandlerJob<'reason'> {
  readonly turnId: string;
}

/** The first turn of a job has its id. */
export function toFirstTurn(job: HandlerJob<'reason'>): TurnJob {
  return { ...job, turnId: job.jobId };
}

/** A job has another turn where the reply of its first has expired: its idempotency key is free again. */
export function toLaterTurn(job: TurnJob): TurnJob {
  return { ...job, turnId: `${job.jobId}.${job.arrivedAt}` };
}

/** The job of a turn. Job ids contain no dot. */
export function jobIdOf(turnId: string): string {
  return turnId.split('.', 1)[0] ?? turnId;
}

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

/** The question of a request, and the dialogue that it sends in place of the stored one. */
export interface TurnInput {
  /** Undefined for a rebounce: the assistant resumes a conversation that fell silent. */
  readonly question: string | undefined;
  readonly dialogue: readonly DialogueItem[] | undefined;
  /** The question as the last item of that dialogue, with its time and the name of the end user. */
  readonly lastQuestion?: DialogueItem;
  /** Of a rehearsal at another time than the present, in milliseconds. */
  readonly now?: number;
}

/** The stored data of the conversation, merged with the data of this turn. */
export interface TurnData {
  readonly globalData: GlobalData;
  readonly userData: UserData;
}

/** A turn that has claimed its conversation, with everything that is read before the model is asked. */
export type OpenTurn = Extract<TurnClaimResult, { kind: 'claimed' }> & {
  readonly avatar: Avatar;
  readonly data: TurnData;
  readonly context: TurnContext;
  readonly flowState: FlowState | undefined;
};

/** What is read from the database before the model is asked. */
export interface TurnContext extends FoundKnowledge {
  readonly dialogue: readonly DialogueItem[];
  /** Set when the caller requested the dialogue: the items before this turn. */
  readonly returnedDialogue: ReturnedDialogue | undefined;
  readonly retrievalQuery: string;
  /** The keys that filters of the avatar's knowledge use. */
  readonly filterKeys: readonly string[];
  /** Filter keys without a value in the turn's data: chunks with these filters were not read. */
  readonly missingFilterKeys: readonly string[];
  /** Those of the host; empty: those of the installation. */
  readonly modelFallbacks: readonly string[];
  readonly isHostDisabled: boolean;
  /** The host's clock on one line. */
  readonly clock: string;
  /** With the tokens of earlier turns, unless the caller's own dialogue replaces these. */
  readonly masking: Masking;
  readonly hostSlug: string;
  /** Those of the avatar; the disabled ones, too. */
  readonly mcpConfigs: readonly McpConfig[];
  readonly spender: Spender;
}

export interface ReturnedDialogue {
  readonly items: readonly DialogueItem[];
  /** Older items were left out. */
  readonly isTruncated: boolean;
  /** The question of this turn, where the caller's own dialogue ends with it. */
  readonly lastQuestion?: DialogueItem;
}

/** What a turn reads of a flow. */
export type TurnFlow = Pick<Flow, 'id' | 'name' | 'version' | 'steps' | 'model'>;

/** The active flow of a turn, the plan of its steps and the agents that it offers. */
export interface FlowState {
  readonly flow: TurnFlow;
  readonly plan: FlowPlan;
  readonly agents: readonly AgentWithSchema[];
}
