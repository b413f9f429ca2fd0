import { randomUUID } from 'node:crypto';
import { deleteRehearsal, insertRehearsal } from '../db/assistants/evaluation-cases.ts';
import type { Db } from '../db/connection.ts';
import { withHost } from '../db/with-hosts.ts';
import { makeSeal, type SecretKeys } from '../platform/seal.ts';
import { NIL_UUID } from '../platform/uuid.ts';
import { isFailure, type Outcome } from '../queues/contract/failure.ts';
import type { EvaluationCase } from '../queues/contract/operations/evaluation-shape.ts';
import type { BodyOf, DataOf } from '../queues/contract/operations/index.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { type Dispatcher, makeDispatcher } from '../queues/transport/dispatcher.ts';
import { type Check, judgeAnswer, observedOf } from '../text/judge-answer.ts';
import { nameOf } from './evaluation-file.ts';

export interface RehearsalSettings extends SecretKeys {
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly requestTimeoutMs: number;
}

export interface EvaluatedAvatar {
  readonly hostId: string;
  readonly subSlug: string;
}

/** The id and the title that `sources` of an answer have. */
interface VerdictSource {
  readonly chunkId?: string | undefined;
  readonly title?: string | undefined;
}

export interface Verdict {
  readonly case: string;
  readonly passed: boolean;
  readonly failed: readonly Check[];
  /** Empty if there was none. */
  readonly answer: string;
  /** The passages that carry it. */
  readonly sources: readonly VerdictSource[];
  readonly durationMs: number;
}

const TRIES = 2;

/** Rehearses each case as a turn, through the queue; the verdicts are in the order of the cases. */
export async function rehearseCases(
  db: Db,
  settings: RehearsalSettings,
  avatar: EvaluatedAvatar,
  cases: readonly EvaluationCase[],
  atOnce: number,
): Promise<Verdict[]> {
  const { databaseUrl, redisUrl, requestTimeoutMs } = settings;
  const backend = await openBackend({ databaseUrl, redisUrl, onError: () => {} });
  const dispatcher = await makeDispatcher(backend, makeSeal(settings), ['turns']);
  const ask = (body: BodyOf<'reason'>) =>
    askOnce(dispatcher, {
      hostId: avatar.hostId,
      body,
      arrivedAt: backend.now(),
      timeoutMs: requestTimeoutMs,
    });
  const verdicts: Verdict[] = [];
  const left = cases.entries();
  try {
    const work = async () => {
      for (const [at, asked] of left) verdicts[at] = await judgeCase(db, ask, avatar, asked);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await dispatcher.close();
    await backend.close();
  }
  return verdicts;
}

type Ask = (body: BodyOf<'reason'>) => Promise<Outcome<DataOf<'reason'>>>;

async function judgeCase(db: Db, ask: Ask, avatar: EvaluatedAvatar, asked: EvaluationCase): Promise<Verdict> {
  const startedAt = performance.now();
  let data: DataOf<'reason'> | undefined;
  // The service may be busy, or just started again, so each case gets several tries.
  for (let tried = 0; tried < TRIES && !data; tried += 1) data = await rehearseCase(db, ask, avatar, asked);
  const failed = judgeAnswer(asked.expect, data && observedOf(data));
  return {
    case: nameOf(asked),
    passed: failed.length === 0,
    failed,
    answer: data?.assistantResponse.string ?? '',
    sources: (data?.sources ?? []).map(({ chunkId, title }) => ({ chunkId, title })),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/** Runs in a new conversation, which is then deleted. Undefined if there is no answer. */
async function rehearseCase(
  db: Db,
  ask: Ask,
  { hostId, subSlug }: EvaluatedAvatar,
  { question, dialogue = [], now }: EvaluationCase,
): Promise<DataOf<'reason'> | undefined> {
  const conversationId = await withHost(db, hostId, insertRehearsal);
  const reasoningConfig = { rehearsal: true, ...(now === undefined ? {} : { now }) };
  const body = { hostId, conversationId, subSlug, question, originalDialogue: dialogue, reasoningConfig };
  const outcome = await ask(body);
  await withHost(db, hostId, scope => deleteRehearsal(scope, conversationId));
  return isFailure(outcome) ? undefined : outcome.data;
}

interface Question {
  readonly hostId: string;
  readonly body: BodyOf<'reason'>;
  readonly arrivedAt: number;
  readonly timeoutMs: number;
}

async function askOnce(
  dispatcher: Dispatcher,
  { hostId, ...request }: Question,
): Promise<Outcome<DataOf<'reason'>>> {
  const caller = { tokenId: NIL_UUID, tokenName: 'evaluate', scopes: ['reason'], hostIds: [hostId] } as const;
  const outcome = await dispatcher.ask({
    ...request,
    queue: 'turns',
    operation: 'reason',
    requestId: randomUUID(),
    caller,
    clientGone: new AbortController().signal,
  });
  return outcome as Outcome<DataOf<'reason'>>;
}
