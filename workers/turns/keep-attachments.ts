import { keepFile } from '../../db/conversations/files.ts';
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
 * Keeps what was attached to a turn for staff. Must be called in the transaction that notes the question: what is refused is not
 * kept.
 */
export async function keepAttachments(
  scope: HostScope,
  { turnId, body }: TurnJob,
  sent: readonly SentAttachment[],
  files: FileSeal,
): Promise<void> {
  // One after the other, so that only one is in memory twice.
  for (const { at: place, bytes, ...kept } of sent) {
    const sealed = await files.seal(bytes, kept.id);
    await keepFile(scope, { conversationId: body.conversationId, turnId, place }, { ...kept, ...sealed });
  }
}
