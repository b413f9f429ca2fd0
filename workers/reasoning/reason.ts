import type { Logger } from 'pino';
import { type Avatar, findAvatar } from '../../db/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { abandonTurn, type ClaimedTurn } from '../../db/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { failure, isFailure, type Outcome } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import { promptOf } from '../domain/prompt.ts';
import { wppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { Handler, Job } from '../job.ts';
import { type Asked, askedOf } from './asked.ts';
import type { TurnClaims } from './claim-turn.ts';
import { type Known, knownFor } from './known.ts';
import type { Model, ModelCall } from './model.ts';
import { storeTurn } from './store-turn.ts';
import type { Turn } from './turn.ts';

type Claim = Extract<ClaimedTurn, { kind: 'claimed' }>;
type Reply = Outcome<DataOf<'reason'>>;

export interface ReasonParts {
  readonly db: Db;
  readonly model: Model;
  readonly claims: TurnClaims;
  readonly log: Logger;
}

/** What a turn is about, once its conversation is its own. */
interface OpenTurn {
  readonly job: Job<'reason'>;
  readonly asked: Asked;
  readonly avatar: Avatar;
  readonly claim: Claim;
}

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
    const first = await claimAndAnswer(parts, job, asked, avatar);
    // Answered, and its reply no longer kept: the client's key is free, and this is another turn under it.
    const later = { ...job, jobId: `${job.jobId}.${job.arrivedAt}` };
    const reply = first === 'done' ? await claimAndAnswer(parts, later, asked, avatar) : first;
    return reply === 'done' ? failure('interrupted', { turnId: job.jobId }) : reply;
  };
}

function claimAndAnswer(
  parts: ReasonParts,
  job: Job<'reason'>,
  asked: Asked,
  avatar: Avatar,
): Promise<Reply | 'done'> {
  return parts.claims.withClaim(job, asked.question, async (claim): Promise<Reply | 'done'> => {
    switch (claim.kind) {
      case 'claimed':
        return answerOpen(parts, { job, asked, avatar, claim });
      case 'no-conversation':
        return failure('conversation-not-found');
      case 'expired':
        return failure('deadline', { turnId: job.jobId });
      case 'busy':
        return failure('interrupted', { turnId: job.jobId });
      case 'done':
        return 'done';
    }
  });
}

/** A turn that does not end with an answer is given up, so that nobody waits for it. */
async function answerOpen(parts: ReasonParts, open: OpenTurn): Promise<Reply> {
  const { hostId, jobId } = open.job;
  const { attempt } = open.claim;
  const giveUp = () => withHost(parts.db, hostId, scope => abandonTurn(scope, { jobId, attempt }));
  try {
    const reply = await answered(parts, open);
    if (isFailure(reply)) await giveUp();
    return reply;
  } catch (error) {
    await giveUp().catch(() => undefined);
    throw error;
  }
}

async function answered({ db, model, log }: ReasonParts, open: OpenTurn): Promise<Reply> {
  const { job, asked, avatar, claim } = open;
  const { jobId, hostId, body, requestId } = job;
  const { attempt, conversation } = claim;
  const startedAt = new Date();
  const calls: ModelCall[] = [];
  const known = await knownFor(db, job, asked, avatar);
  const found = conversation.attended ? SILENCE : await askModel(model, open, known, calls);
  if (!found) {
    log.warn({ requestId, jobId, calls }, 'the model gave no usable answer');
    return failure('model-unavailable', { turnId: jobId });
  }
  const turn: Turn = {
    jobId,
    hostId,
    attempt,
    body,
    question: asked.question,
    conversation,
    avatar,
    ...known,
    calls,
    answer: found.text,
    model: found.model,
    ...wppParsed(found.text),
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
  };
  return job.commit(scope => storeTurn(scope, turn));
}

/** While a person of the host attends, the assistant keeps quiet. */
const SILENCE = { text: '', model: '' };

function askModel(model: Model, { job, asked, avatar }: OpenTurn, known: Known, calls: ModelCall[]) {
  const { contextData, dialogueInsertString, reasoningConfig, userData } = job.body;
  const prompt = promptOf({
    persona: avatar.promptEnvelop,
    passages: known.chunks.map(chunk => chunk.content),
    dialogue: known.dialogue,
    question: asked.question,
    userName: userData?.name,
    contextData,
    insertBeforeQuestion: dialogueInsertString,
    rebounceInstructions: reasoningConfig?.rebounceInstructions,
  });
  return model.complete(avatar.model ?? undefined, prompt, { signal: job.signal, calls });
}
