import { findConversation } from '../../db/conversations/conversations.ts';
import { attachFile, lockWaitingFiles, type WaitingFile } from '../../db/conversations/files.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FileSeal, openSlices, SEALED_SLICE } from '../../platform/file-seal.ts';
import type { EventData } from '../../queues/contract/events.ts';
import { type Failure, failure, fieldFailure } from '../../queues/contract/failure.ts';
import { FILES_PATH } from '../../queues/contract/operations/attachment-shape.ts';
import { shownLabelOf } from '../domain/media/attachment-labels.ts';
import { mediaTypeOf } from '../domain/media/media-type.ts';
import type { JobOf } from '../runtime/job.ts';

/** A message that is appended, with the files of a staff member: web has stored them sealed, and the message takes them. */
export interface SentMessage {
  /** What the channel sends beside the files. */
  readonly text: string;
  /** The text with a line for each file, as the assistant reads it. */
  readonly content: string;
  readonly fileSizes: readonly number[];
  /** Gives the files to the stored message, and returns them as the channel is told. */
  attachFiles(seq: string): Promise<EventData<'message.sent'>['attachments']>;
}

interface TypedFile extends Pick<WaitingFile, 'id' | 'name' | 'size'> {
  readonly mediaType: string;
}

type AppendJob = Pick<JobOf<'appendMessage'>, 'body' | 'attachments' | 'hostId' | 'address'>;

/** Returns why the message is refused, if it is. */
export async function readSentMessage(
  scope: HostScope,
  job: AppendJob,
  seal: FileSeal,
): Promise<SentMessage | Failure> {
  const { content: text = '', conversationId, author, attachments } = job.body;
  if (!attachments && text === '')
    return fieldFailure('', 'one-required', { values: ['content', 'attachments'] });
  if (!attachments) return { text, content: text, fileSizes: [], attachFiles: async () => [] };
  if (author !== 'human') return fieldFailure('attachments', 'only-with', 'need the author human');
  // A command runs the operation without web.
  if (!job.attachments) return fieldFailure('attachments', 'not-allowed', 'are taken over HTTP only');
  const ids = job.attachments.map(({ id }) => id);
  const waiting = await lockWaitingFiles(scope, conversationId, ids, SEALED_SLICE);
  if (!waiting) {
    const isKnown = await findConversation(scope, conversationId);
    // The files of a job that waited too long are deleted.
    return failure(isKnown ? 'interrupted' : 'conversation-not-found');
  }
  const files = await Promise.all(waiting.map(file => typeFile(file, seal)));
  const lines = files.map(({ mediaType, name }) =>
    shownLabelOf(mediaType.startsWith('image/') ? 'imagem' : 'arquivo', name ?? ''),
  );
  return {
    text,
    content: [...(text === '' ? [] : [text]), ...lines].join('\n'),
    fileSizes: files.map(({ size }) => size),
    async attachFiles(seq) {
      for (const { id, mediaType } of files) await attachFile(scope, { id, seq, mediaType });
      return addressFiles(job, files, seal);
    },
  };
}

async function typeFile(
  { id, name, size, sealedKey, start }: WaitingFile,
  seal: FileSeal,
): Promise<TypedFile> {
  const key = await seal.openKey(sealedKey, id);
  return { id, name, size, mediaType: mediaTypeOf(openSlices(start, { key, place: 0, size })) };
}

/** An address works for this long: whoever fetches it later has to ask staff. */
const SIGNED_FOR_S = 7 * 86_400;

function addressFiles({ hostId, address = '' }: AppendJob, files: readonly TypedFile[], seal: FileSeal) {
  const expires = Math.floor(Date.now() / 1_000) + SIGNED_FOR_S;
  return files.map(({ id, name, size, mediaType }) => {
    const signature = seal.sign({ hostId, id, expires });
    const url = `${address}${FILES_PATH}/${hostId}/${id}?expires=${expires}&signature=${signature}`;
    return { id, name, content_type: mediaType, size, url };
  });
}
