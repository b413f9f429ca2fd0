import { randomUUID } from 'node:crypto';
import type { Avatar } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import type { Conversation } from '../../db/conversations/conversations.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { Failure } from '../../queues/contract/failure.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { ObservedAnswer } from '../../text/judge-answer.ts';
import { noAnswerFailureOf } from '../model/model-call.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { JobOf } from '../runtime/job.ts';
import { TurnTime } from '../runtime/turn-time.ts';
import { type AskParts, askModel } from './ask.ts';
import { checkTurnAnswer } from './check.ts';
import { readTurn, searchByMeaning } from './read.ts';
import { rewriteQuestion } from './rewrite.ts';
import { listRunAgents, type ReadTurn, type TurnJob } from './turn.ts';
import { unaskedAnswerOf } from './unasked.ts';

export interface RehearsalParts extends AskParts {
  readonly db: Db;
  readonly findKnowledge: KnowledgeFinder;
}

/** Reads what a turn about this case would read in this transaction. Nothing of it is stored. */
export async function openRehearsal(
  scope: HostScope,
  findKnowledge: KnowledgeFinder,
  outer: JobOf<OperationName>,
  { sub_slug: subSlug }: Avatar,
  { question, dialogue, now }: EvaluationCase,
): Promise<ReadTurn> {
  const conversation = newConversation();
  const { id: conversationId } = conversation;
  const { hostId } = scope;
  const body = { hostId, subSlug, conversationId, question, reasoningConfig: { rehearsal: true } };
  const turnId = `${outer.jobId}.${conversationId}`;
  const job: TurnJob = {
    ...outer,
    operation: 'reason',
    body,
    turnId,
    time: new TurnTime(),
    sendPiece: undefined,
  };
  const input = {
    question,
    dialogue: dialogue ?? [],
    ...(now === undefined ? {} : { now: Date.parse(now) }),
  };
  const data = { globalData: {}, userData: {} };
  return readTurn(scope, { job, input, attempt: 1, openQuestions: 0, conversation, data }, findKnowledge);
}

/** Returns a failure where no model gave a usable answer: the case has no verdict then. */
export async function rehearse(parts: RehearsalParts, opened: ReadTurn): Promise<ObservedAnswer | Failure> {
  const turn = await rewriteQuestion(parts, await searchByMeaning(opened));
  // A trial must change nothing, and only its owner knows what an outside tool changes.
  const withoutTools = { ...parts, outsideTools: undefined, beforeActing: async () => {}, asking: turn.job };
  const asked = unaskedAnswerOf(turn) ?? (await askModel(withoutTools, turn));
  if (!asked.answer) return noAnswerFailureOf(asked.calls);
  const checked = await checkTurnAnswer(parts.db, turn, asked, asked.answer);
  return {
    text: checked.text,
    sources: checked.sources.flatMap(({ chunkId }) => chunkId ?? []),
    // A figure of another statement does not count: a turn only reports it, too.
    unsupported: checked.unsupported.filter(({ elsewhere }) => !elsewhere).length,
    askHumanHelp: checked.effects.handover !== undefined,
    agents: listRunAgents(checked.effects),
    items: checked.items.map(({ type }) => type),
  };
}

function newConversation(): Conversation {
  const state = { archived: false, closed: false, askHumanHelp: false, attended: false, assignedTo: null };
  return {
    id: randomUUID(),
    contactId: null,
    leadId: null,
    globalData: {},
    userData: {},
    platform: 'api',
    userName: '',
    wppId: '',
    externalId: '',
    ...state,
    teamId: null,
    staffSeq: null,
    reopenedAt: null,
    createdAt: new Date(),
    categories: [],
    maskedValues: [],
  };
}
