import { type Avatar, findAvatar } from '../../db/avatars.ts';
import { searchChunks } from '../../db/chunks.ts';
import type { Db } from '../../db/connection.ts';
import { upsertContact } from '../../db/contacts.ts';
import { findConversation, mergeGlobalData, setConversation } from '../../db/conversations.ts';
import { findHost } from '../../db/hosts.ts';
import { historyOf } from '../../db/messages.ts';
import { abandonTurn, type ClaimedTurn, finishTurn } from '../../db/turns.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { failure, isFailure, type Outcome } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import { type DialogueItem, promptOf, recentOf, retrievalQueryOf } from '../domain/prompt.ts';
import { wppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { Handler, Job } from '../job.ts';
import { type Asked, askedOf } from './asked.ts';
import type { TurnClaims } from './claim-turn.ts';
import type { Model, ModelCall } from './model.ts';
import { reasoningDataOf, receiptOf, tokensOf, type Turn } from './turn.ts';

type ReasonJob = Job<'reason'>;
type Claim = Extract<ClaimedTurn, { kind: 'claimed' }>;
type Reply = Outcome<DataOf<'reason'>>;

export interface ReasonParts {
  readonly db: Db;
  readonly model: Model;
  readonly claims: TurnClaims;
}

const MOST_MESSAGES = 60;
const MOST_CHARACTERS = 40_000;

/**
 * One turn: claim the conversation, read what there is to know, ask the model outside any transaction, and commit
 * the answer with its receipt and reply. Dying on any line leaves at most a stored question: the queue runs the job
 * again, and the attempt number keeps whatever is left of this run from writing.
 */
export function makeReason(parts: ReasonParts): Handler<'reason'> {
  return async job => {
    const asked = askedOf(job.body);
    if ('code' in asked) return asked;
    const avatar = await withHost(parts.db, job.hostId, scope => findAvatar(scope, job.body.subSlug));
    if (!avatar) return failure('avatar-not-found');
    return parts.claims.withClaim(job, asked.question, async (claim): Promise<Reply> => {
      switch (claim.kind) {
        case 'claimed':
          return answerClaimed(parts, job, asked, avatar, claim);
        case 'no-conversation':
          return failure('conversation-not-found');
        case 'expired':
          return failure('deadline', { turnId: job.jobId });
        case 'busy':
        case 'done':
          return failure('interrupted', { turnId: job.jobId });
      }
    });
  };
}

async function answerClaimed(
  parts: ReasonParts,
  job: ReasonJob,
  asked: Asked,
  avatar: Avatar,
  claim: Claim,
): Promise<Reply> {
  const calls: ModelCall[] = [];
  const startedAt = new Date();
  const abandon = () =>
    withHost(parts.db, job.hostId, scope => abandonTurn(scope, { jobId: job.jobId, ...claim }));
  try {
    const known = await knowledgeFor(parts.db, job, asked, avatar);
    const found = claim.conversation.attended
      ? silence
      : await askModel(parts.model, job, asked, avatar, known, calls);
    if (!found) {
      await abandon();
      return failure('model-unavailable', { turnId: job.jobId });
    }
    const { jobId, hostId, body } = job;
    const { items, warnings } = wppParsed(found.text);
    const { attempt, conversation } = claim;
    const durationMs = Date.now() - startedAt.getTime();
    const reached = { answer: found.text, model: found.model, items, warnings, calls, startedAt, durationMs };
    const turn = {
      jobId,
      hostId,
      body,
      question: asked.question,
      attempt,
      conversation,
      avatar,
      ...known,
      ...reached,
    };
    const reply = await job.commit(scope => storeTurn(scope, turn));
    if (isFailure(reply)) await abandon();
    return reply;
  } catch (error) {
    await abandon().catch(() => undefined);
    throw error;
  }
}

/** While a person of the host attends, the assistant keeps quiet. */
const silence = { text: '', model: '' };

type Known = Pick<Turn, 'dialogue' | 'retrievalQuery' | 'chunks'>;

function knowledgeFor(db: Db, job: ReasonJob, asked: Asked, avatar: Avatar): Promise<Known> {
  return withHost(db, job.hostId, async scope => {
    const stored = asked.dialogue ?? (await storedDialogue(scope, job));
    const dialogue = recentOf(stored, MOST_CHARACTERS);
    const retrievalQuery = retrievalQueryOf(asked.question, dialogue);
    const host = await findHost(scope);
    const limit = host?.maxChunks ?? 0;
    const found = await searchChunks(scope, { avatarId: avatar.id, query: retrievalQuery, limit });
    // Without a filter to go by, filtered knowledge is nobody's.
    const chunks = found.filter(chunk => chunk.datasetType === 'common_rag');
    return { dialogue, retrievalQuery, chunks };
  });
}

async function storedDialogue(scope: HostScope, { jobId, body }: ReasonJob): Promise<DialogueItem[]> {
  const messages = await historyOf(scope, body.conversationId, MOST_MESSAGES);
  const earlier = messages.filter(message => message.turnId !== jobId);
  return earlier.map(({ author, content, createdAt, name, unanswered }) => ({
    role: author,
    content,
    createdAt: createdAt.toISOString(),
    ...(name ? { name } : {}),
    ...(unanswered ? { isUnanswered: true } : {}),
  }));
}

function askModel(
  model: Model,
  job: ReasonJob,
  asked: Asked,
  avatar: Avatar,
  known: Known,
  calls: ModelCall[],
) {
  const { contextData, dialogueInsertString, reasoningConfig, userData } = job.body;
  const prompt = promptOf({
    persona: avatar.promptEnvelop,
    passages: known.chunks.map(chunk => chunk.content),
    dialogue: known.dialogue,
    question: asked.question,
    ...(userData?.name ? { userName: userData.name } : {}),
    ...(contextData ? { contextData } : {}),
    ...(dialogueInsertString ? { insertBeforeQuestion: dialogueInsertString } : {}),
    ...(reasoningConfig?.rebounceInstructions
      ? { rebounceInstructions: reasoningConfig.rebounceInstructions }
      : {}),
  });
  return model.complete(avatar.model ?? undefined, prompt, { signal: job.signal, calls });
}

async function storeTurn(scope: HostScope, thought: Turn): Promise<Reply> {
  const turn = await asItStands(scope, thought);
  const { jobId, attempt, answer, body, conversation } = turn;
  const receipt = receiptOf(turn);
  const finished = await finishTurn(scope, { jobId, attempt, answer, tokens: tokensOf(turn.calls), receipt });
  if (!finished) return failure('interrupted', { turnId: jobId });
  if (body.globalData) await mergeGlobalData(scope, conversation.id, body.globalData);
  const contactId = await knownContact(scope, turn);
  return { code: 200, data: reasoningDataOf(turn, contactId ?? '') };
}

/** A person of the host may have come while the model thought: then what it said is not said. */
async function asItStands(scope: HostScope, thought: Turn): Promise<Turn> {
  const conversation = await findConversation(scope, thought.conversation.id, { forUpdate: true });
  if (!conversation) return thought;
  return { ...thought, conversation, ...(conversation.attended ? { answer: '', items: [] } : {}) };
}

async function knownContact(scope: HostScope, { body, conversation }: Turn): Promise<string | undefined> {
  const { userData } = body;
  if (!userData) return conversation.contactId ?? undefined;
  const contactId = (await upsertContact(scope, userData)) ?? conversation.contactId ?? undefined;
  await setConversation(scope, conversation.id, {
    ...(contactId ? { contactId } : {}),
    ...(userData.name ? { userName: userData.name } : {}),
    ...(userData.phone ? { wppId: userData.phone } : {}),
    ...(userData.externalId ? { externalId: userData.externalId } : {}),
  });
  return contactId;
}
