import { type Db, isDiskFull } from '../../db/connection.ts';
import {
  deleteAttachments,
  readAttachment,
  type StoredAttachment,
  storeTranscript,
} from '../../db/conversations/attachments.ts';
import { noteQuestion } from '../../db/conversations/bursts.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { ByteBudget } from '../../platform/byte-budget.ts';
import { type broken } from '../../platform/field-error.ts';
import { type FileSeal, SLICE } from '../../platform/file-seal.ts';
import { Gate } from '../../platform/gate.ts';
import type { ObjectStore } from '../../platform/object-store.ts';
import { MAX_DOCUMENT_BYTES, MAX_DOCUMENT_SIZE } from '../../queues/contract/body-limit.ts';
import { type Failure, failure, fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import { MAX_QUESTION_LENGTH } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { isLongerThan } from '../../text/lines.ts';
import { shownLabelOf, spokenLabelOf } from '../domain/media/attachment-labels.ts';
import { AUDIO_KINDS, type AudioKind, audioKindOf } from '../domain/media/audio-kind.ts';
import { imageTypeOf } from '../domain/media/bytes.ts';
import { mediaTypeOf } from '../domain/media/media-type.ts';
import type { PromptImage } from '../domain/prompts/prompt.ts';
import { spendFailureOf } from '../model/model-call.ts';
import type { Transcriber, TranscriberOf } from '../model/transcriber.ts';
import type { ModelCall } from '../model/tries.ts';
import { ATTACHMENT_LIMITS } from '../runtime/pools.ts';
import { keepAttachments, putAttachments, type SentAttachment } from './keep-attachments.ts';
import { sendTranscript } from './stream.ts';
import {
  type AttachedFile,
  type ReadAttachments,
  type ReadTurn,
  type TurnInput,
  type TurnJob,
} from './turn.ts';
import { untilDeadline } from './until-deadline.ts';

/*
 * Reads what a person attached to a turn, once the turn has its conversation and outside of any transaction: a recording that
 * comes first is answered first, or with what follows it, however long it takes. When all is read, the turn claims its
 * conversation again and notes the question, as any turn does. So a turn whose attachment is refused keeps nothing and ends no
 * turn of its burst, and a recording is paid for only when everything else is right.
 */

export interface AttachmentParts {
  readonly db: Db;
  readonly files: FileSeal;
  readonly objects: ObjectStore | undefined;
  /** Returns the bytes at an address, or why it is not read. */
  fetchAttached(url: string, signal: AbortSignal): Promise<Buffer | Unreadable>;
  /** Returns the text of a file for a turn, or why it is not read. */
  readFile(file: SentFile, signal: AbortSignal): Promise<string | Unreadable>;
  readonly transcriberOf: TranscriberOf;
  readonly visionModels: readonly string[];
  /** The model of avatars that name none. */
  readonly defaultModel: string | undefined;
}

/** How long, and with what fallback, a turn waits for its recordings. */
export interface Hearing {
  /** The wait ends with the turn, or before it with `GIVEN_UP`. */
  readonly asking: Pick<TurnJob, 'signal' | 'remainingMs'>;
  /** Whether the turn ends with the text of its avatar in place of this failure. */
  isHandedOver(failure: Failure): boolean;
}

interface Unreadable {
  readonly reason: string;
}

interface SentFile {
  readonly hostId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

type Attachment = NonNullable<BodyOf<'reason'>['attachments']>[number];

const MAX_AUDIO_SECONDS = 600;
const REFUSED_STATUSES = [400, 413, 415, 422];
/** Attachments in memory, of all hosts and of one. Pictures stay until their turn ends: the model is asked with them. */
const held = new ByteBudget({
  max: 8 * MAX_DOCUMENT_BYTES,
  maxPerKey: 4 * MAX_DOCUMENT_BYTES,
  sure: MAX_DOCUMENT_BYTES,
});

const connections = new Gate(ATTACHMENT_LIMITS);

/** Runs in a transaction of the host, within the limit of connections for attachments. */
function inHost<T>(
  { db }: AttachmentParts,
  { job }: ReadTurn,
  work: (scope: HostScope) => Promise<T>,
): Promise<T> {
  return connections.run({ key: job.hostId }, () => withHost(db, job.hostId, work));
}

/** Heard words are already paid for, so storing them is tried until the deadline. */
function storePaid<T>(
  parts: AttachmentParts,
  turn: ReadTurn,
  work: (scope: HostScope) => Promise<T>,
): Promise<T> {
  return untilDeadline(parts.db, turn, () => {
    turn.job.signal.throwIfAborted();
    return inHost(parts, turn, work);
  });
}

/**
 * A recording is in memory three times: as stored, in a form, and in the body of a request. A picture is too: its text, a
 * request, and its body.
 */
const COPIES = 3;

function heldBytesOf({ attachments = [] }: TurnJob): number {
  const bytes = attachments.reduce((sum, { length = MAX_DOCUMENT_BYTES }) => sum + COPIES * length, 0);
  return Math.min(bytes, MAX_DOCUMENT_BYTES);
}

/** Returns the turn's input with what its attachments say, noted as its question, or why one of them is refused. */
export async function readAttachments(
  parts: AttachmentParts,
  turn: ReadTurn,
  hearing: Hearing,
): Promise<TurnInput | Failure> {
  const { job, attempt, input } = turn;
  // The api may be about to cancel this job after an outage of the queue store.
  await job.waitForCancellations();
  const room = await held.wait(job.hostId, heldBytesOf(job), job.signal);
  let hasPictures = false;
  try {
    job.signal.throwIfAborted();
    const read = await readAll(parts, turn, hearing);
    if (isFailure(read)) return read;
    const { question, message, attached, unstored, sent } = read;
    const isForThisTurn = job.chat !== undefined || isForOneTurn(attached);
    const known = { turnId: job.turnId, attempt, question, message, isForThisTurn };
    const kept = turn.keepsAttachments ? sent : [];
    let put = await putAttachments(work => storePaid(parts, turn, work), kept, parts);
    const isNoted = await storePaid(parts, turn, async scope => {
      if (unstored) await storeTranscript(scope, unstored.id, unstored.text);
      const isCurrent = await noteQuestion(scope, known);
      const keeping = isCurrent ? keepAttachments(scope, job, kept, { files: parts.files, put }) : undefined;
      await keeping?.catch((error: unknown) => {
        // The next try names them alone: what fills the disk must not cost the answer.
        if (isDiskFull(error)) put = new Map();
        throw error;
      });
      return isCurrent;
    });
    job.signal.throwIfAborted();
    // Another run of the job has the turn.
    if (!isNoted) return failure('interrupted', { turnId: job.turnId });
    if (attached.isSpoken && job.sendPiece) sendTranscript(job.sendPiece, attempt, question);
    hasPictures = attached.images.length > 0;
    if (!hasPictures) return { ...input, question, attached };
    room?.change(attached.images.reduce((sum, { base64 }) => sum + COPIES * base64.length, 0));
    return { ...input, question, attached, releasePictures: () => room?.release() };
  } finally {
    if (!hasPictures) room?.release();
  }
}

/**
 * Heard words are stored with the message. A picture, a file or an unheard recording is deleted with the turn, and no other
 * turn can read it.
 */
function isForOneTurn({ images, files, unheard }: ReadAttachments): boolean {
  return images.length > 0 || files.length > 0 || unheard !== undefined;
}

/** A model that reads pictures may still refuse one. */
export function findPictureFailure(
  { job, images }: ReadTurn,
  calls: readonly ModelCall[],
): Failure | undefined {
  const isRefused = REFUSED_STATUSES.includes(calls.at(-1)?.status ?? 0);
  if (images.length === 0 || !isRefused) return undefined;
  const at = (job.body.attachments ?? []).findIndex(({ type }) => type === 'image');
  return refuse(at, 'model-refused');
}

/** Deletes the attachments of a turn that has ended. `isFinal`: it is not tried again. */
export async function forgetAttachments(
  scope: HostScope,
  { jobId, attachments = [] }: TurnJob,
  { isFinal }: { readonly isFinal: boolean },
): Promise<void> {
  const ids = attachments.map(({ id }) => id);
  if (ids.length > 0) await deleteAttachments(scope, ids, { jobId, keepsTranscripts: !isFinal });
}

/** The message of a turn: `question` as the model reads it, `message` as it is stored. */
interface SentMessage {
  readonly question: string;
  readonly message: string;
  readonly attached: ReadAttachments;
  /** The words heard last, which are stored with the question. */
  readonly unstored: Transcript | undefined;
  readonly sent: readonly SentAttachment[];
}

interface Transcript {
  readonly id: string;
  readonly text: string;
}

/** An attachment whose bytes match its type. */
type CheckedAttachment = SizedAttachment &
  (
    | {
        readonly kind: 'audio';
        readonly stored: StoredAttachment;
        readonly audio: AudioKind;
        readonly transcriber: Transcriber;
      }
    | { readonly kind: 'image'; readonly image: PromptImage }
    | { readonly kind: 'file'; readonly file: AttachedFile }
  );

interface SizedAttachment {
  readonly at: number;
  readonly id: string;
  readonly name: string | undefined;
  readonly bytes: Buffer;
}

async function checkAll(parts: AttachmentParts, turn: ReadTurn): Promise<CheckedAttachment[] | Failure> {
  const checked: CheckedAttachment[] = [];
  let size = 0;
  for (const [at, attachment] of (turn.job.body.attachments ?? []).entries()) {
    const found = await checkAttachment(parts, turn, attachment, at);
    if (isFailure(found)) return found;
    size += found.bytes.length;
    if (size > MAX_DOCUMENT_BYTES)
      return refuse(at, 'too-large', `is, with those before it, larger than ${MAX_DOCUMENT_SIZE}`);
    checked.push(found);
  }
  return checked;
}

async function readAll(
  parts: AttachmentParts,
  turn: ReadTurn,
  hearing: Hearing,
): Promise<SentMessage | Failure> {
  const { question } = turn.job.body;
  const checked = await checkAll(parts, turn);
  if (isFailure(checked)) return checked;
  const typed = question?.trim() ? [question] : [];
  const [texts, messages] = [[...typed], [...typed]];
  let calls: readonly ModelCall[] = [];
  let unstored: Transcript | undefined;
  let unheard: Failure | undefined;
  const transcripts = new Map<string, string>();
  const storeWords = ({ id, text }: Transcript) =>
    storePaid(parts, turn, scope => storeTranscript(scope, id, text));
  for (const each of checked) {
    if (each.kind !== 'audio') {
      messages.push(shownLabelOf(each.kind === 'image' ? 'imagem' : 'arquivo', each.name));
      continue;
    }
    if (unstored) await storeWords(unstored);
    const heard = unheard ? { text: '', calls: [], unheard } : await hear(turn, each, hearing);
    if (isFailure(heard)) return heard;
    const { text } = heard;
    unheard = heard.unheard;
    unstored = heard.calls.length > 0 && !unheard ? { id: each.id, text } : undefined;
    calls = [...calls, ...heard.calls];
    if (text !== '') texts.push(text);
    transcripts.set(each.id, text);
    messages.push(`${spokenLabelOf(each.audio.seconds)} ${text}`.trimEnd());
    if (isLongerThan(MAX_QUESTION_LENGTH, texts.join('\n')))
      return refuse(each.at, 'max-length', {
        limit: MAX_QUESTION_LENGTH,
        message: `has, with the question, over ${MAX_QUESTION_LENGTH} characters`,
      });
  }
  const images = checked.flatMap(each => (each.kind === 'image' ? each.image : []));
  return {
    unstored,
    sent: checked.map(each => ({
      ...each,
      mediaType: typeOf(each),
      transcript: transcripts.get(each.id) || undefined,
    })),
    // A picture alone is also a question, and so is a recording that could not be heard.
    question: (texts.length > 0 ? texts : messages).join('\n'),
    message: messages.join('\n'),
    attached: {
      isSpoken: checked.some(({ kind }) => kind === 'audio'),
      images,
      files: checked.flatMap(each => (each.kind === 'file' ? each.file : [])),
      onlyModels: images.length > 0 ? parts.visionModels : undefined,
      transcriptionCalls: calls,
      unheard,
    },
  };
}

function typeOf(sent: CheckedAttachment): string {
  if (sent.kind === 'audio') return sent.audio.mediaType;
  return sent.kind === 'image' ? sent.image.mediaType : mediaTypeOf(sent.bytes.subarray(0, SLICE));
}

function refuse(at: number, ...of: Parameters<typeof broken>): Failure {
  return fieldFailure(`attachments[${at}]`, ...of);
}

/** Returns the attachment if its bytes match its type. */
async function checkAttachment(
  parts: AttachmentParts,
  turn: ReadTurn,
  attachment: Attachment,
  at: number,
): Promise<CheckedAttachment | Failure> {
  const { type, url, name, content_type: mediaType } = attachment;
  const { job } = turn;
  const refusal = type === 'image' ? findPictureRefusal(parts, turn) : undefined;
  if (refusal !== undefined) return refuse(at, 'unsupported', refusal);
  const transcriber = type === 'audio' ? await parts.transcriberOf(job.hostId) : undefined;
  if (type === 'audio' && !transcriber)
    return refuse(at, 'unsupported', 'is a recording, and no model that transcribes is configured');
  const { id = '' } = job.attachments?.[at] ?? {};
  const stored = await inHost(parts, turn, scope => readAttachment(scope, id));
  const bytes =
    stored?.content ?? (url === undefined ? undefined : await parts.fetchAttached(url, job.signal));
  // Another run of the job has ended meanwhile.
  if (!stored || !bytes) return failure('interrupted', { turnId: job.turnId });
  if ('reason' in bytes) return refuse(at, 'unreachable', `cannot be fetched: ${bytes.reason}`);
  const sized = { at, id, name, bytes };
  if (transcriber) {
    const audio = audioKindOf(bytes);
    if (!audio) return refuse(at, 'wrong-kind', `is no recording in ${AUDIO_KINDS}`);
    const limit = MAX_AUDIO_SECONDS / 60;
    if (audio.seconds > MAX_AUDIO_SECONDS)
      return refuse(at, 'too-large', { limit, message: `is longer than ${limit} minutes` });
    return { ...sized, kind: 'audio', stored, audio, transcriber };
  }
  if (type === 'image') {
    const imageType = imageTypeOf(bytes);
    if (imageType === undefined) return refuse(at, 'wrong-kind', 'is no picture in JPEG, PNG, WebP or GIF');
    return { ...sized, kind: 'image', image: { mediaType: imageType, base64: bytes.toString('base64') } };
  }
  const file = { hostId: job.hostId, name: name ?? '', mediaType, bytes };
  const text = await parts.readFile(file, job.signal);
  if (typeof text !== 'string') return refuse(at, 'unreadable', `cannot be read: ${text.reason}`);
  return { ...sized, kind: 'file', file: { name: file.name, text } };
}

/** Why pictures are not read in this turn. */
function findPictureRefusal(
  { visionModels, defaultModel }: AttachmentParts,
  { avatar, flowState, masking, mayShowPictures }: ReadTurn,
): string | undefined {
  const model = flowState?.flow.model || avatar.model || defaultModel;
  if (model === undefined || !visionModels.includes(model))
    return 'is a picture, and the model of the assistant reads none';
  const isRefused = masking.isOn && !mayShowPictures;
  return isRefused ? 'is a picture, and the host masks what it sends' : undefined;
}

interface HeardRecording {
  /** Empty if it was not heard. */
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly unheard?: Failure | undefined;
}

/** Returns the words of a recording, which are paid for once. */
async function hear(
  { job: { turnId }, spender }: ReadTurn,
  { at, stored, bytes, audio, transcriber }: Extract<CheckedAttachment, { kind: 'audio' }>,
  { asking, isHandedOver }: Hearing,
): Promise<HeardRecording | Failure> {
  const { signal } = asking;
  if (stored.transcript !== null) return { text: stored.transcript, calls: [] };
  const heard = await transcriber.transcribe(
    { ...audio, bytes },
    { spender, signal, remainingMs: () => asking.remainingMs() },
  );
  if (heard.kind === 'refused')
    return refuse(at, 'model-refused', 'was refused by the model that transcribes');
  if (heard.kind !== 'text') {
    const failed =
      spendFailureOf(heard.calls, { turnId }) ?? failure('transcription-unavailable', { turnId });
    return isHandedOver(failed) ? { text: '', calls: heard.calls, unheard: failed } : failed;
  }
  if (heard.text === '') return refuse(at, 'without-words');
  return { text: heard.text, calls: heard.calls };
}
