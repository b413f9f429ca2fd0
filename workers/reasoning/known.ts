import type { Avatar } from '../../db/avatars.ts';
import { searchChunks } from '../../db/chunks.ts';
import { findHost } from '../../db/hosts.ts';
import { historyOf } from '../../db/messages.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type DialogueItem, recentOf, retrievalQueryOf } from '../domain/prompt.ts';
import type { HandlerJob } from '../job.ts';
import type { TurnInput } from './turn-input.ts';
import type { Turn } from './turn.ts';

export type Known = Pick<Turn, 'dialogue' | 'retrievalQuery' | 'chunks'>;

const MOST_MESSAGES = 60;
const MOST_CHARACTERS = 40_000;

/** The dialogue so far, and the passages of the avatar's knowledge that may answer. */
export async function knownFor(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  avatar: Avatar,
): Promise<Known> {
  const dialogue = recentOf(input.dialogue ?? (await storedDialogue(scope, job)), MOST_CHARACTERS);
  const retrievalQuery = retrievalQueryOf(input.question, dialogue);
  const limit = (await findHost(scope))?.maxChunks ?? 0;
  const found = await searchChunks(scope, { avatarId: avatar.id, query: retrievalQuery, limit });
  // Without a filter to go by, filtered knowledge is nobody's.
  const chunks = found.filter(chunk => chunk.datasetType === 'common_rag');
  return { dialogue, retrievalQuery, chunks };
}

async function storedDialogue(
  scope: HostScope,
  { jobId, body }: HandlerJob<'reason'>,
): Promise<DialogueItem[]> {
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
