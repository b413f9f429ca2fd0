import type { AgentWithSchema } from '../../db/assistants/agents.ts';
import type { GivenAnswer } from '../../db/assistants/approved-answers.ts';
import type { Avatar, UnsupportedAction } from '../../db/assistants/avatars.ts';
import type { McpConfig } from '../../db/assistants/mcp-configs.ts';
import type { RestTool } from '../../db/assistants/rest-tools.ts';
import type { Team, TurnFlow } from '../../db/assistants/turn-settings.ts';
import type { Conversation, GlobalData } from '../../db/conversations/conversations.ts';
import type { AskedCall, KnownCall } from '../../db/conversations/tool-confirmations.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Failure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { FlowAsks } from '../domain/asks/flow-asks.ts';
import type { Choice } from '../domain/asks/said-value.ts';
import type { FlowPlan } from '../domain/flow-steps.ts';
import type { Masking } from '../domain/masking/masking.ts';
import type { HostClock } from '../domain/prompts/clock-line.ts';
import type { DialogueItem, PromptImage } from '../domain/prompts/prompt.ts';
import type { UserData } from '../domain/user-data.ts';
import type { WppItem } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { Spender } from '../model/spender.ts';
import type { ModelCall } from '../model/tries.ts';
import type {
  ChunkSearch,
  FoundChunk,
  FoundKnowledge,
  KnowledgeByMeaning,
} from '../retrieval/find-knowledge.ts';
import type { JobOf } from '../runtime/job.ts';
import { TurnTime } from '../runtime/turn-time.ts';
import type { ExternalCall, Tool } from '../tools/tool.ts';

/*
 * The records of a turn. A turn is claimed, read and answered; each step returns a record that adds its findings to the one
 * before: `ClaimedTurn`, `ReadTurn`, `AnsweredTurn`.
 */

/** A job and the turn that it runs now. */
export interface TurnJob extends JobOf<'reason'> {
  readonly turnId: string;
  readonly time: TurnTime;
}

/** The first turn of a job has its id. */
export function firstTurnOf(job: JobOf<'reason'>): TurnJob {
  const { deadline, arrivedAt } = job;
  return { ...job, turnId: job.jobId, time: new TurnTime(deadline - job.remainingMs() - arrivedAt) };
}

/** A job gets another turn when the reply of its first has expired: its idempotency key is free again. */
export function laterTurnOf(job: TurnJob): TurnJob {
  return { ...job, turnId: `${job.jobId}.${job.arrivedAt}` };
}

/** Job ids contain no dot, so the part before it is the job's. */
export function jobIdOfTurn(turnId: string): string {
  return turnId.split('.', 1)[0] ?? turnId;
}

/** The question of a request, and the dialogue that it sends in place of the stored one. */
export interface TurnInput {
  /** Undefined for a rebounce: the assistant resumes a conversation that fell silent. */
  readonly question: string | undefined;
  readonly dialogue: readonly DialogueItem[] | undefined;
  /** The question as the last item of that dialogue, with its time and the name of the end user. */
  readonly lastQuestion?: DialogueItem;
  /** Milliseconds; set where a rehearsal takes place at another time than the present. */
  readonly now?: number;
  /** Set once the attachments are read: the question has their words then. */
  readonly attached?: ReadAttachments;
  /** Frees the memory of attached pictures, which is held until the turn ends. */
  readonly releasePictures?: () => void;
}

/** The attachments of a turn as the model is asked with them. */
export interface ReadAttachments {
  /** Whether the question, or a part of it, was spoken. */
  readonly isSpoken: boolean;
  /** Only this turn shows them. */
  readonly images: readonly PromptImage[];
  readonly files: readonly AttachedFile[];
  /** The models that may be asked; undefined: any. */
  readonly onlyModels: readonly string[] | undefined;
  readonly transcriptionCalls: readonly ModelCall[];
  /** Why a recording was not heard: no model is asked then, and the avatar's text for that is the answer. */
  readonly unheard: Failure | undefined;
}

export const NOTHING_ATTACHED: ReadAttachments = {
  isSpoken: false,
  images: [],
  files: [],
  onlyModels: undefined,
  transcriptionCalls: [],
  unheard: undefined,
};

/** A turn that has its conversation: no other turn of it runs meanwhile. */
export interface ClaimedTurn {
  readonly job: TurnJob;
  readonly input: TurnInput;
  /** An older attempt can neither finish nor renew the turn. */
  readonly attempt: number;
  /** The number of unanswered questions of earlier turns that this one answers too. */
  readonly openQuestions: number;
  readonly conversation: Conversation;
  readonly data: TurnData;
}

/** A turn with everything that is read from the database before the model is asked. */
export interface ReadTurn extends ClaimedTurn, ReadAttachments {
  readonly avatar: Avatar;
  readonly dialogue: readonly DialogueItem[];
  /** Set when the caller requested the dialogue: the items before this turn. */
  readonly returnedDialogue: ReturnedDialogue | undefined;
  readonly retrievalQuery: string;
  /** The passages of the avatar's knowledge that match the question. */
  readonly chunks: readonly FoundChunk[];
  readonly fullMatch: FoundKnowledge['fullMatch'];
  /** Undefined once it is done, or where it is not wanted. */
  readonly searchByMeaning: (() => Promise<KnowledgeByMeaning>) | undefined;
  /** Set where the words of the question find little, and the avatar wants it rewritten: how it was searched. */
  readonly foundLittle: (ChunkSearch & Pick<FoundKnowledge, 'coverage'>) | undefined;
  /** The question in other words, which were searched, too. */
  readonly rewritten: string | undefined;
  readonly searchCalls: readonly ModelCall[];
  /** Set by hosts that mask: whether a model may see pictures all the same. */
  readonly mayShowPictures: boolean;
  /** Set if staff may see later what is attached: not in a rehearsal, which is of staff. */
  readonly keepsAttachments: boolean;
  /** The keys that filters of the avatar's knowledge use. */
  readonly filterKeys: readonly string[];
  /** Filter keys without a value in the turn's data: chunks with these filters were not read. */
  readonly missingFilterKeys: readonly string[];
  /** The fallbacks of the host. Where it has none, the installation's are asked. */
  readonly modelFallbacks: readonly string[];
  readonly isHostDisabled: boolean;
  readonly hostSlug: string;
  readonly clock: HostClock;
  /** Has the tokens of earlier turns, unless the caller's own dialogue replaces these. */
  readonly masking: Masking;
  /** All configurations of the avatar, including disabled ones. */
  readonly mcpConfigs: readonly McpConfig[];
  readonly restTools: readonly RestTool[];
  readonly knownCalls: readonly KnownCall[];
  /** Those to which the turn may hand over. */
  readonly teams: readonly Team[];
  /** Undefined where the avatar has no active flow. */
  readonly flowState: FlowState | undefined;
  /** Set where its text is the answer; nothing is searched and no model is asked then. */
  readonly approved: GivenAnswer | undefined;
  readonly spender: Spender;
}

/** The text of a file that the person sent with the question. */
export interface AttachedFile {
  readonly name: string;
  readonly text: string;
}

export interface GeneratedAnswer {
  readonly text: string;
  readonly model: string;
  /** The server of the model cut it: the text ends with its last whole sentence. */
  readonly isTruncated: boolean;
}

export interface ToolLoopResult {
  /** Undefined when the model gave no usable answer. */
  readonly answer: GeneratedAnswer | undefined;
  readonly calls: readonly ModelCall[];
  readonly toolRuns: readonly ToolRun[];
  readonly externalCalls: readonly ExternalCall[];
  /** Results of successful calls of tools only: an error may repeat what the end user wrote. */
  readonly results: readonly string[];
  readonly effects: Effects;
}

/** The model's answer and requests. Nothing of it is checked or applied yet. */
export interface AskedModel extends ToolLoopResult {
  readonly waitingAgents: readonly WaitingAgent[];
  /** Keys of data that did not fit into the prompt. */
  readonly factsLeftOut: readonly string[];
  /** Functions of the flow beyond the number that a model takes. */
  readonly toolsLeftOut: readonly string[];
}

/** A turn with its checked answer. Receipt, response and stored rows derive from it. */
export interface AnsweredTurn extends ReadTurn {
  /** Empty where the assistant stays silent. */
  readonly answer: string;
  readonly model: string;
  /** See `GeneratedAnswer`. */
  readonly isTruncated: boolean;
  /** Why no model answered: the answer is then the avatar's text for that. */
  readonly failure: Failure | undefined;
  /** A staff member attends: the answer is empty and no effect is applied. */
  readonly isSilenced: boolean;
  /** Calls of all models that the turn used. */
  readonly calls: readonly ModelCall[];
  readonly toolRuns: readonly ToolRun[];
  readonly externalCalls: readonly ExternalCall[];
  readonly effects: Effects;
  readonly waitingAgents: readonly WaitingAgent[];
  /** Keys of data that did not fit into the prompt. */
  readonly factsLeftOut: readonly string[];
  /** Functions of the flow beyond the number that a model takes. */
  readonly toolsLeftOut: readonly string[];
  readonly sources: Response['sources'];
  readonly unsupported: Response['unsupported'];
  readonly check: CheckReceipt;
  /** The answer as messages of WhatsApp. */
  readonly items: readonly WppItem[];
  /** Oddities that parsing found in the answer. */
  readonly warnings: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

type Response = DataOf<'reason'>;

/** The stored data of the conversation, merged with the data of this turn. */
export interface TurnData {
  readonly globalData: GlobalData;
  readonly userData: UserData;
}

export interface ReturnedDialogue {
  readonly items: readonly DialogueItem[];
  /** Older items were left out. */
  readonly isTruncated: boolean;
  /** The question of this turn, where the caller's own dialogue ends with it. */
  readonly lastQuestion?: DialogueItem;
}

/** The active flow of a turn, the plan of its steps and the agents that it offers. */
export interface FlowState {
  readonly flow: TurnFlow;
  readonly plan: FlowPlan;
  readonly agents: readonly AgentWithSchema[];
  /** Undefined where it asks nothing and has no branch. */
  readonly asks: FlowAsks | undefined;
  /** The choice of an earlier message that the person took. */
  readonly chosen: Choice | undefined;
}

/** The state of an agent that a step of type `agent` waits to run. */
export interface WaitingAgent {
  readonly agentName: string;
  /** Indexes of the steps that wait. */
  readonly steps: readonly number[];
  /** Required arguments that the data of the conversation lack. The model may still find them in the dialogue. */
  readonly missing: readonly string[];
  /** Set when the data give all required arguments: the agent runs in this turn. */
  readonly knownArguments?: JsonObject;
}

/** The execution of one `ToolCall` of the model; the receipt lists them as `toolCalls`. */
export interface ToolRun {
  readonly name: string;
  readonly kind: Tool['kind'] | 'unknown';
  readonly round: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: 'done' | 'refused' | 'failed' | 'timed out';
}

/** The receipt tells which figures of the model's answer had no source, and what was done about it. */
export interface CheckReceipt {
  readonly action: 'none' | UnsupportedAction;
  readonly unsupported: readonly { readonly kind: string; readonly text: string }[];
}

export const NO_CHECK: CheckReceipt = { action: 'none', unsupported: [] };

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
  /** The model called the tool, a condition of the flow was met, a figure stands nowhere, no model answered, or none is asked and the person wants it. */
  readonly by: 'model' | 'flow' | 'check' | 'failure' | 'person';
  readonly reason: HelpReason | 'flow_step';
  readonly step?: number;
  /** The team of the host that is to answer. Absent: none was named. */
  readonly teamId?: string;
}

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
 * Changes that a turn makes beside its answer. All are applied when the answer is committed, and none before. A turn
 * without an answer applies none.
 */
export interface Effects {
  readonly handover?: Handover;
  readonly ticket?: { readonly subject: string; readonly description: string };
  readonly closes: boolean;
  readonly agentRuns: readonly AgentRun[];
  readonly agentData: readonly AgentData[];
  /** Indexes of steps of the flow. */
  readonly stepsDone: readonly number[];
  /** Calls that wait for the person's yes. */
  readonly asks: readonly AskedCall[];
}

export const NO_EFFECTS: Effects = { closes: false, agentRuns: [], agentData: [], stepsDone: [], asks: [] };

/** The first handover and the first ticket count. An agent's run replaces its previous failed one. */
export function addEffects(effects: Effects, added: Partial<Effects>): Effects {
  const handover = effects.handover ?? added.handover;
  const ticket = effects.ticket ?? added.ticket;
  const { agentRuns = [], agentData = [], stepsDone = [], asks = [], closes = false } = added;
  const isCorrected = ({ agentName, status }: AgentRun) =>
    status === 'failed' && agentRuns.some(run => run.agentName === agentName);
  return {
    ...(handover ? { handover } : {}),
    ...(ticket ? { ticket } : {}),
    closes: effects.closes || closes,
    agentRuns: [...effects.agentRuns.filter(run => !isCorrected(run)), ...agentRuns],
    agentData: [...effects.agentData, ...agentData],
    stepsDone: [...effects.stepsDone, ...stepsDone],
    asks: [...effects.asks, ...asks],
  };
}

export function listRunAgents({ agentRuns }: Effects): string[] {
  return agentRuns.filter(({ status }) => status === 'done').map(({ agentName }) => agentName);
}
