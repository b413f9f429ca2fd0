import { hasRoom, keepFile } from '../../db/conversations/files.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { FileSeal } from '../../platform/file-seal.ts';
import type { TurnJob } from './turn.ts';

/** An attachment that was read. */
export interface SentAttachment {
  readonly at: number;
  readonly id: string;
  readonly name: string | undefined;
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly transcript: string | undefined;
}

/**
 * Keeps what was attached to a turn for staff, or its names alone where the host has no room for it. Must be called in the transaction that notes the question: what is refused is not
 * kept.
 */
export async function keepAttachments(
  scope: HostScope,
  { turnId, body }: TurnJob,
  sent: readonly SentAttachment[],
  files: FileSeal,
): Promise<void> {
  if (sent.length === 0) return;
  const kept = await hasRoom(
    scope,
    sent.map(({ id, bytes }) => ({ id, size: bytes.length })),
  );
  // One after the other, so that only one is in memory twice.
  for (const { at: place, bytes, ...file } of sent) {
    const named = { size: bytes.length, sealedKey: '', content: Buffer.of() };
    const sealed = kept ? await files.seal(bytes, file.id) : named;
    await keepFile(
      scope,
      { conversationId: body.conversationId, turnId, place },
      { ...file, ...sealed, kept },
    );
  }
}
