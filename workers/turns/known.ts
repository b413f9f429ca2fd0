import type { Avatar } from '../../db/avatars.ts';
import { findFilterKeys } from '../../db/chunks.ts';
import type { Conversation } from '../../db/conversations.ts';
import { findHost } from '../../db/hosts.ts';
import { historyOf } from '../../db/messages.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { filterTermsOf } from '../domain/passage-filter.ts';
import { type DialogueItem, recentOf } from '../domain/prompts/prompt.ts';
import { joinQuery, retrievalQueryOf } from '../domain/retrieval/retrieval-query.ts';
import type { FoundKnowledge, KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';
import type { Turn } from './turn.ts';
import type { TurnData } from './turn-data.ts';
import type { TurnInput } from './turn-input.ts';

export type Known = Pick<Turn, 'dialogue' | 'returned' | 'retrievalQuery' | 'ungivenKeys'> &
  FoundKnowledge & {
    /** What filters of the avatar's knowledge declare. */
    readonly filterKeys: readonly string[];
  };

interface Asked {
  readonly avatar: Avatar;
  readonly conversation: Conversation;
  readonly data: TurnData;
}

const MOST_MESSAGES = 60;
const MOST_CHARACTERS = 40_000;
/** What a caller gets back of a dialogue: whole, as far as dialogues of people go. */
const MOST_RETURNED = 1_000;
const MOST_CHARACTERS_RETURNED = 4_000_000;

/** The dialogue so far, and the passages of the avatar's knowledge that may answer. */
export async function knownFor(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  findKnowledge: KnowledgeFinder,
  { avatar, conversation, data }: Asked,
): Promise<Known> {
  const isReturned = isDialogueWanted(job.body);
  const limit = isReturned ? MOST_RETURNED : MOST_MESSAGES;
  const earlier = input.dialogue ?? (await storedDialogue(scope, job, limit));
  const dialogue = recentOf(input.dialogue ? earlier : earlier.slice(-MOST_MESSAGES), MOST_CHARACTERS);
  const asked = dialogue.filter(({ role }) => role === 'user').map(({ content }) => content);
  const query = retrievalQueryOf(input.question, asked);
  const given = filterTermsOf(data.globalData, data.userData);
  const mostChunks = (await findHost(scope))?.maxChunks ?? 0;
  const search = { avatarId: avatar.id, ...query, given, limit: mostChunks };
  // Where a person attends nothing is said, so nobody is asked what the question means.
  const found = await findKnowledge(scope, search, conversation.attended ? undefined : job.signal);
  const filterKeys = await findFilterKeys(scope, avatar.id);
  const ungivenKeys = filterKeys.filter(key => !Object.hasOwn(given, key));
  const returned = isReturned ? returnedOf(earlier, input) : undefined;
  return { dialogue, returned, retrievalQuery: joinQuery(query), filterKeys, ungivenKeys, ...found };
}

function isDialogueWanted({ returnDialogue, reasoningConfig }: BodyOf<'reason'>): boolean {
  return returnDialogue === true || reasoningConfig?.returnDialogue === true;
}

/** What goes back of the dialogue before this turn, which comes on top. */
function returnedOf(earlier: readonly DialogueItem[], { askedLast }: TurnInput): Turn['returned'] {
  const items = recentOf(earlier.slice(2 - MOST_RETURNED), MOST_CHARACTERS_RETURNED);
  return { items, isTruncated: items.length < earlier.length, ...(askedLast ? { askedLast } : {}) };
}

async function storedDialogue(
  scope: HostScope,
  { jobId, body }: HandlerJob<'reason'>,
  limit: number,
): Promise<DialogueItem[]> {
  const messages = await historyOf(scope, body.conversationId, limit);
  const earlier = messages.filter(message => message.turnId !== jobId);
  return earlier.map(({ author, content, createdAt, name, unanswered }) => ({
    role: author,
    content,
    createdAt: createdAt.toISOString(),
    ...(name ? { name } : {}),
    ...(unanswered ? { isUnanswered: true } : {}),
  }));
}
