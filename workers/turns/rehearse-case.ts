import { randomUUID } from 'node:crypto';
import type { Avatar } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import type { Conversation } from '../../db/conversations/conversations.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { Failure } from '../../queues/contract/failure.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import type { ObservedAnswer } from '../domain/evaluation/judge-answer.ts';
import { noAnswerFailureOf } from '../model/model-call.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { RehearsingJob } from '../runtime/change-trial.ts';
import { type GenerationParts, generateAnswer } from './ask.ts';
import { reviewAnswer } from './check.ts';
import { readFlowState } from './flow.ts';
import { addSemanticMatches, readContext } from './read.ts';
import { listRunAgents, type OpenTurn, type TurnInput, type TurnJob } from './turn.ts';

export interface RehearsalParts extends GenerationParts {
  readonly db: Db;
  readonly findKnowledge: KnowledgeFinder;
}

/** A turn with everything that it reads before the model is asked. Nothing of it is stored. */
export interface OpenRehearsal {
  readonly job: TurnJob;
  readonly input: TurnInput;
  readonly open: OpenTurn;
}

/** Reads what a turn about this case would read in this transaction. */
export async function openRehearsal(
  scope: HostScope,
  findKnowledge: KnowledgeFinder,
  outer: RehearsingJob,
  avatar: Avatar,
  { question, dialogue, now }: EvaluationCase,
): Promise<OpenRehearsal> {
  const conversation = newConversation();
  const { id: conversationId } = conversation;
  const body = { hostId: scope.hostId, conversationId, question, reasoningConfig: { rehearsal: true } };
  const turnId = `${outer.jobId}.${conversationId}`;
  const job: TurnJob = { ...outer, operation: 'reason', body, turnId, sendPiece: undefined };
  const input = {
    question,
    dialogue: dialogue ?? [],
    ...(now === undefined ? {} : { now: Date.parse(now) }),
  };
  const data = { globalData: {}, userData: {} };
  const attempt = 1;
  const context = await readContext(scope, job, input, findKnowledge, {
    avatar,
    conversation,
    data,
    openQuestions: 0,
    attempt,
  });
  const flowState = await readFlowState(scope, { avatarId: avatar.id, conversationId });
  const open = {
    kind: 'claimed',
    attempt,
    openQuestions: 0,
    conversation,
    avatar,
    data,
    context,
    flowState,
  } as const;
  return { job, input, open };
}

/** A failure where no model gave a usable answer: nothing can be said of the case then. */
export async function rehearse(
  parts: RehearsalParts,
  { job, input, open: opened }: OpenRehearsal,
): Promise<ObservedAnswer | Failure> {
  const { open } = await addSemanticMatches(opened);
  // A trial must change nothing, and only its owner knows what a tool of an MCP server changes.
  const withoutTools = { ...parts, mcpTools: undefined, beforeActing: async () => {} };
  const generated = await generateAnswer(withoutTools, job, input, open);
  const { answer, effects, calls } = generated;
  if (!answer) return noAnswerFailureOf(open.context.spender, calls);
  const { checked, parsed } = await reviewAnswer(parts.db, job, input, open, answer.text, generated);
  return {
    text: checked.text,
    sources: checked.sources.map(({ chunkId }) => chunkId),
    unsupported: checked.unsupported.length,
    askHumanHelp: effects.handover !== undefined,
    agents: listRunAgents(effects),
    items: parsed.items.map(({ type }) => type),
  };
}

/** One that is not stored. */
function newConversation(): Conversation {
  const text = {
    platform: 'api',
    userName: '',
    wppId: '',
    externalId: '',
    dialogueSummary: '',
    mainTopic: '',
    tip: '',
  };
  const score = { heatScore: 0, heatScoreDescription: '', sentimentScore: 0, sentimentScoreExplanation: '' };
  const state = { archived: false, closed: false, askHumanHelp: false, attended: false, assignedTo: null };
  return {
    id: randomUUID(),
    contactId: null,
    leadId: null,
    globalData: {},
    userData: {},
    ...text,
    ...score,
    ...state,
    lastMessageAt: null,
    reopenedAt: null,
    createdAt: new Date(),
    categories: [],
    maskedValues: [],
  };
}
