import type { Avatar } from '../../db/avatars.ts';
import { findUngivenKeys } from '../../db/chunks.ts';
import type { Conversation } from '../../db/conversations.ts';
import { findHost } from '../../db/hosts.ts';
import { historyOf } from '../../db/messages.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { filterTermsOf } from '../domain/passage-filter.ts';
import { type DialogueItem, recentOf } from '../domain/prompt.ts';
import { retrievalQueryOf, rewrittenOf } from '../domain/retrieval/retrieval-query.ts';
import type { FoundKnowledge, KnowledgeFinder } from '../find-knowledge.ts';
import type { HandlerJob } from '../job.ts';
import type { Turn } from './turn.ts';
import type { TurnInput } from './turn-input.ts';

export type Known = Pick<Turn, 'dialogue' | 'retrievalQuery' | 'ungivenKeys'> & FoundKnowledge;

const MOST_MESSAGES = 60;
const MOST_CHARACTERS = 40_000;

/** The dialogue so far, and the passages of the avatar's knowledge that may answer. */
export async function knownFor(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  findKnowledge: KnowledgeFinder,
  { avatar, conversation }: { readonly avatar: Avatar; readonly conversation: Conversation },
): Promise<Known> {
  const dialogue = recentOf(input.dialogue ?? (await storedDialogue(scope, job)), MOST_CHARACTERS);
  const asked = dialogue.filter(({ role }) => role === 'user').map(({ content }) => content);
  const query = retrievalQueryOf(input.question, asked);
  const { globalData, userData } = job.body;
  const given = filterTermsOf({ ...conversation.globalData, ...globalData }, userData ?? {});
  const limit = (await findHost(scope))?.maxChunks ?? 0;
  const search = { avatarId: avatar.id, ...query, given, limit };
  // Where a person attends nothing is said, so nobody is asked what the question means.
  const found = await findKnowledge(scope, search, conversation.attended ? undefined : job.signal);
  const ungivenKeys = await findUngivenKeys(scope, avatar.id, Object.keys(given));
  return { dialogue, retrievalQuery: rewrittenOf(query), ungivenKeys, ...found };
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
