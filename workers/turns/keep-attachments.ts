import { announceObjects } from '../../db/conversations/file-objects.ts';
import { hasRoom, keepFile } from '../../db/conversations/files.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { FileSeal, SealedFile } from '../../platform/file-seal.ts';
import { type ObjectStore, ObjectStoreError, objectNameOf } from '../../platform/object-store.ts';
import type { TurnJob } from './turn.ts';

export interface SentAttachment {
  readonly at: number;
  readonly id: string;
  readonly name: string | undefined;
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly transcript: string | undefined;
}

/** What was put into objects, by the id of the attachment. */
type PutFiles = ReadonlyMap<string, SealedFile & { readonly objectId: string }>;

/**
 * Puts the bytes of what is to be kept into objects; undefined if files lie in the database. Nothing is put where there is no room,
 * or the store is away: the turn is answered without it.
 */
export async function putAttachments(
  inHost: <T>(work: (scope: HostScope) => Promise<T>) => Promise<T>,
  sent: readonly SentAttachment[],
  { files, objects }: { readonly files: FileSeal; readonly objects: ObjectStore | undefined },
): Promise<PutFiles | undefined> {
  if (!objects || sent.length === 0) return undefined;
  const put = new Map<string, SealedFile & { readonly objectId: string }>();
  const announced = await inHost(async scope => {
    const isRoom = await hasRoom(scope, sent.map(toSize));
    return { hostId: scope.hostId, ids: isRoom ? await announceObjects(scope, sent.length) : [] };
  });
  try {
    for (const [at, objectId] of announced.ids.entries()) {
      const { id = '', bytes = Buffer.of() } = sent[at] ?? {};
      const { content, ...sealed } = await files.seal(bytes, id);
      await objects.put(objectNameOf({ ...announced, objectId }), content);
      put.set(id, { ...sealed, objectId, content: Buffer.of() });
    }
    return put;
  } catch (error) {
    if (error instanceof ObjectStoreError) return new Map();
    throw error;
  }
}

function toSize({ id, bytes }: SentAttachment): { readonly id: string; readonly size: number } {
  return { id, size: bytes.length };
}

/**
 * Keeps what was attached to a turn for staff, or its names alone where the host has no room for it. Must be called in the transaction that notes the question: what is refused is not
 * kept.
 */
export async function keepAttachments(
  scope: HostScope,
  { turnId, body }: TurnJob,
  sent: readonly SentAttachment[],
  { files, put }: { readonly files: FileSeal; readonly put: PutFiles | undefined },
): Promise<void> {
  if (sent.length === 0) return;
  const kept = put ? put.size === sent.length : await hasRoom(scope, sent.map(toSize));
  // One after the other, so that only one is in memory twice.
  for (const { at: place, bytes, ...file } of sent) {
    const named = { size: bytes.length, sealedKey: '', content: Buffer.of() };
    const sealed = kept ? (put?.get(file.id) ?? (await files.seal(bytes, file.id))) : named;
    await keepFile(
      scope,
      { conversationId: body.conversationId, turnId, place },
      { ...file, ...sealed, kept },
    );
  }
}
