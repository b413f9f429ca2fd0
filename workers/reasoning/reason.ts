import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { abandonTurn } from '../../db/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { failure, isFailure, type Outcome } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import { promptOf } from '../domain/prompt.ts';
import { wppParsed } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { Handler, HandlerJob } from '../job.ts';
import { type TurnInput, turnInputOf } from './turn-input.ts';
import type { TurnClaims } from './claim-turn.ts';
import type { Model, ModelCall } from '../model/model.ts';
import type { OpenTurn } from './open-turn.ts';
import { storeTurn } from './store-turn.ts';
import type { Turn } from './turn.ts';

type Reply = Outcome<DataOf<'reason'>>;

export interface ReasonParts {
  readonly db: Db;
  readonly model: Model;
  readonly claims: TurnClaims;
  readonly log: Logger;
}

/**
 * One turn: claim the conversation and read what there is to know, ask the model outside any transaction, and commit
 * the answer with its receipt and reply. Dying on any line leaves at most a stored question: the queue runs the job
 * again, and the attempt number keeps whatever is left of this run from writing.
 */
export function makeReason(parts: ReasonParts): Handler<'reason'> {
  return async job => {
    const input = turnInputOf(job.body);
    if ('code' in input) return input;
    const first = await claimAndAnswer(parts, job, input);
    // Answered, and its reply no longer kept: the client's key is free, and this is another turn under it.
    const later = { ...job, jobId: `${job.jobId}.${job.arrivedAt}` };
    const reply = first === 'done' ? await claimAndAnswer(parts, later, input) : first;
    return reply === 'done' ? failure('interrupted', { turnId: job.jobId }) : reply;
  };
}

function claimAndAnswer(
  parts: ReasonParts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
): Promise<Reply | 'done'> {
  return parts.claims.withClaim(job, input, async (opening): Promise<Reply | 'done'> => {
    switch (opening.kind) {
      case 'claimed':
        return answerOrGiveUp(parts, job, input, opening);
      case 'no-avatar':
        return failure('avatar-not-found');
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
async function answerOrGiveUp(
  parts: ReasonParts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<Reply> {
  const { hostId, jobId } = job;
  const { attempt } = open;
  const giveUp = () => withHost(parts.db, hostId, scope => abandonTurn(scope, { jobId, attempt }));
  try {
    const reply = await answered(parts, job, input, open);
    if (isFailure(reply)) await giveUp();
    return reply;
  } catch (error) {
    await giveUp().catch(() => undefined);
    throw error;
  }
}

async function answered(
  { model, log }: ReasonParts,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  open: OpenTurn,
): Promise<Reply> {
  const { jobId, hostId, body, requestId } = job;
  const { attempt, conversation, avatar, known } = open;
  const startedAt = new Date();
  const calls: ModelCall[] = [];
  const found = conversation.attended ? SILENCE : await askModel(model, job, input, open, calls);
  if (!found) {
    log.warn({ requestId, jobId, calls }, 'the model gave no usable answer');
    return failure('model-unavailable', { turnId: jobId });
  }
  const turn: Turn = {
    jobId,
    hostId,
    attempt,
    body,
    question: input.question,
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

function askModel(
  model: Model,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  { avatar, known }: OpenTurn,
  calls: ModelCall[],
) {
  const { contextData, dialogueInsertString, reasoningConfig, userData } = job.body;
  const prompt = promptOf({
    persona: avatar.promptEnvelop,
    passages: known.chunks.map(chunk => chunk.content),
    dialogue: known.dialogue,
    question: input.question,
    userName: userData?.name,
    contextData,
    insertBeforeQuestion: dialogueInsertString,
    rebounceInstructions: reasoningConfig?.rebounceInstructions,
  });
  return model.complete(avatar.model ?? undefined, prompt, { purpose: 'turn', signal: job.signal, calls });
}
