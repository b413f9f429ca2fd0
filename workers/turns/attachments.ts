import type { Db } from '../../db/connection.ts';
import {
  deleteAttachments,
  readAttachment,
  type StoredAttachment,
  storeTranscript,
} from '../../db/conversations/attachments.ts';
import { noteQuestion } from '../../db/conversations/turn-question.ts';
import { withHost } from '../../db/with-hosts.ts';
import { ByteBudget } from '../../platform/byte-budget.ts';
import { MAX_DOCUMENT_BYTES, MAX_DOCUMENT_SIZE } from '../../queues/contract/body-limit.ts';
import { type Failure, failure, isFailure } from '../../queues/contract/failure.ts';
import { MAX_QUESTION_LENGTH } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { isLongerThan } from '../../text/lines.ts';
import { spokenLabelOf } from '../domain/media/attachment-labels.ts';
import { type AudioKind, findAudioKind } from '../domain/media/audio-kind.ts';
import { fetchBytes } from '../knowledge/fetch-source.ts';
import { UnreadableError } from '../knowledge/unreadable.ts';
import type { ModelCall } from '../model/model-call.ts';
import { findSpendFailure } from '../model/spender.ts';
import type { Transcriber } from '../model/transcriber.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { Egress } from '../tools/egress.ts';
import { readTurn } from './read.ts';
import type { ReadTurn, TurnJob } from './turn.ts';

/*
 * What a person attached to a turn. It is read when the turn has its conversation, outside of any transaction: a recording that
 * comes first is answered first, however long it takes. The message of the person is stored when all of it is read: a turn
 * whose attachment is refused keeps nothing, and a recording is paid for only when everything else is right.
 */

export interface AttachmentParts {
  readonly db: Db;
  readonly egress: Pick<Egress, 'fetch'>;
  /** Undefined: recordings are refused. */
  readonly transcriber: Transcriber | undefined;
  readonly findKnowledge: KnowledgeFinder;
}

type Attachment = NonNullable<BodyOf<'reason'>['attachments']>[number];

const MAX_AUDIO_SECONDS = 600;
/** What a worker holds of attachments, and of those of one host. */
const held = new ByteBudget({
  max: 8 * MAX_DOCUMENT_BYTES,
  maxPerKey: 4 * MAX_DOCUMENT_BYTES,
  sure: MAX_DOCUMENT_BYTES,
});

export function hasAttachments({ body }: Pick<TurnJob, 'body'>): boolean {
  return (body.attachments?.length ?? 0) > 0;
}

/** The turn with what its attachments say, whose message is stored; or why one of them is refused. */
export async function readAttachments(parts: AttachmentParts, turn: ReadTurn): Promise<ReadTurn | Failure> {
  const { job } = turn;
  if (!hasAttachments(job)) return turn;
  // The api may be about to cancel this job after an outage of the queue store.
  await job.waitForCancellations();
  const room = await held.wait(job.hostId, MAX_DOCUMENT_BYTES, job.signal);
  job.signal.throwIfAborted();
  try {
    const read = await readAll(parts, turn);
    return isFailure(read) ? read : await storeMessage(parts, turn, read);
  } finally {
    room?.release();
  }
}

/** Deletes the attachments of a turn that has ended. `isFinal`: nobody tries it again. */
export async function forgetAttachments(db: Db, job: TurnJob, { isFinal }: { readonly isFinal: boolean }) {
  const ids = (job.attachments ?? []).map(({ id }) => id);
  if (ids.length === 0) return;
  await withHost(db, job.hostId, scope => deleteAttachments(scope, ids, { keepsTranscripts: !isFinal }));
}

/** What is said in a turn: as the model reads it, and as it is stored. */
interface SpokenTurn {
  readonly question: string;
  readonly message: string;
  readonly isSpoken: boolean;
  readonly calls: readonly ModelCall[];
}

/** One attachment, whose bytes are right. */
interface CheckedAttachment {
  readonly at: number;
  readonly id: string;
  readonly stored: StoredAttachment;
  readonly bytes: Buffer;
  readonly audio: AudioKind;
}

async function readAll(parts: AttachmentParts, turn: ReadTurn): Promise<SpokenTurn | Failure> {
  const { attachments = [], question } = turn.job.body;
  const checked: CheckedAttachment[] = [];
  let size = 0;
  for (const [at, attachment] of attachments.entries()) {
    const found = await checkAttachment(parts, turn, attachment, at);
    if (isFailure(found)) return found;
    size += found.bytes.length;
    if (size > MAX_DOCUMENT_BYTES)
      return refuse(at, `is, with those before it, larger than ${MAX_DOCUMENT_SIZE}`);
    checked.push(found);
  }
  const typed = question?.trim() ? [question] : [];
  const [texts, messages, calls]: [string[], string[], ModelCall[]] = [[...typed], [...typed], []];
  for (const each of checked) {
    const text = await hear(parts, turn, each, calls);
    if (typeof text !== 'string') return text;
    texts.push(text);
    messages.push(`${spokenLabelOf(each.audio.seconds)} ${text}`);
    if (isLongerThan(MAX_QUESTION_LENGTH, texts.join('\n')))
      return refuse(each.at, `has, with the question, over ${MAX_QUESTION_LENGTH} characters`);
  }
  return { question: texts.join('\n'), message: messages.join('\n'), isSpoken: true, calls };
}

function refuse(at: number, message: string): Failure {
  return failure('body-invalid', { fields: [{ path: `attachments[${at}]`, message }] });
}

/** The bytes of an attachment, where they are what it says. */
async function checkAttachment(
  { db, egress, transcriber }: AttachmentParts,
  { job }: ReadTurn,
  { type, url }: Attachment,
  at: number,
): Promise<CheckedAttachment | Failure> {
  if (type !== 'audio') return refuse(at, 'is of a type that is not read');
  if (!transcriber) return refuse(at, 'is a recording, and no model that transcribes is configured');
  const { id = '' } = job.attachments?.[at] ?? {};
  const stored = await withHost(db, job.hostId, scope => readAttachment(scope, id));
  // Another run of the job has ended meanwhile.
  if (!stored) return failure('interrupted', { turnId: job.turnId });
  const bytes =
    stored.content ?? (url === undefined ? undefined : await fetchOrRefuse(egress, url, job.signal));
  if (!bytes) return failure('interrupted', { turnId: job.turnId });
  if (typeof bytes === 'string') return refuse(at, `cannot be fetched: ${bytes}`);
  const audio = findAudioKind(bytes);
  if (!audio) return refuse(at, 'is no recording in Ogg, MP3, M4A, WAV or WebM');
  if (audio.seconds > MAX_AUDIO_SECONDS)
    return refuse(at, `is longer than ${MAX_AUDIO_SECONDS / 60} minutes`);
  return { at, id, stored, bytes, audio };
}

/** The bytes at an address, or why it is not read. */
async function fetchOrRefuse(
  egress: Pick<Egress, 'fetch'>,
  url: string,
  signal: AbortSignal,
): Promise<Buffer | string> {
  try {
    const { bytes } = await fetchBytes(egress, url, signal);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    if (error instanceof UnreadableError) return error.reason;
    throw error;
  }
}

/** The words of a recording, which are paid for once. */
async function hear(
  { db, transcriber }: AttachmentParts,
  { job, spender }: ReadTurn,
  { at, id, stored, bytes, audio }: CheckedAttachment,
  calls: ModelCall[],
): Promise<string | Failure> {
  const { turnId, hostId, signal } = job;
  if (stored.transcript !== null) return stored.transcript;
  const recording = { ...audio, bytes: new Uint8Array(bytes) };
  const heard = await transcriber?.transcribe(recording, {
    spender,
    signal,
    calls,
    remainingMs: () => job.remainingMs(),
  });
  if (heard?.kind === 'refused') return refuse(at, 'was refused by the model that transcribes');
  if (heard?.kind !== 'text')
    return findSpendFailure(spender, { turnId }) ?? failure('transcription-unavailable', { turnId });
  if (heard.text === '') return refuse(at, 'is a recording without words');
  await withHost(db, hostId, scope => storeTranscript(scope, id, heard.text));
  return heard.text;
}

/** Stores the message of the person, once, and reads the turn anew: now it has a question. */
async function storeMessage(
  { db, findKnowledge }: AttachmentParts,
  turn: ReadTurn,
  { question, message, isSpoken, calls }: SpokenTurn,
): Promise<ReadTurn | Failure> {
  const { job, attempt, input, conversation: before } = turn;
  const { hostId, turnId, signal } = job;
  const read = await withHost(db, hostId, async scope => {
    const conversation = await noteQuestion(scope, {
      conversationId: before.id,
      turnId,
      attempt,
      question,
      message,
      isRehearsal: job.body.reasoningConfig?.rehearsal ?? false,
    });
    if (!conversation) return undefined;
    return readTurn(scope, { ...turn, conversation, input: { ...input, question } }, findKnowledge);
  });
  signal.throwIfAborted();
  // A refusal of the budget is noted in the spender, which the calls have.
  if (!read) return failure('interrupted', { turnId });
  return { ...read, isSpoken, transcriptionCalls: calls };
}
