import type { Avatar } from '../../db/avatars.ts';
import { findFilterKeys } from '../../db/chunk-search.ts';
import type { Conversation } from '../../db/conversations.ts';
import { findHost } from '../../db/hosts.ts';
import { readHistory } from '../../db/messages.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { MAX_DIALOGUE_ITEMS } from '../../queues/contract/operations/turn-request.ts';
import { filterTermsOf } from '../domain/front-matter/passage-filter.ts';
import { type DialogueItem, recentOf } from '../domain/prompts/prompt.ts';
import { joinQuery, retrievalQueryOf } from '../domain/retrieval/retrieval-query.ts';
import type { FoundKnowledge, KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';
import type { TurnData, TurnInput } from './input.ts';

/** What is read from the database before the model is asked. */
export interface TurnContext extends FoundKnowledge {
  readonly dialogue: readonly DialogueItem[];
  /** Set when the caller requested the dialogue: the items before this turn. */
  readonly returnedDialogue: ReturnedDialogue | undefined;
  readonly retrievalQuery: string;
  /** The keys that filters of the avatar's knowledge use. */
  readonly filterKeys: readonly string[];
  /** Filter keys without a value in the turn's data: chunks with these filters were not read. */
  readonly missingFilterKeys: readonly string[];
  /** Those of the host; empty: those of the installation. */
  readonly modelFallbacks: readonly string[];
}

export interface ReturnedDialogue {
  readonly items: readonly DialogueItem[];
  /** Older items were left out. */
  readonly isTruncated: boolean;
  /** The question of this turn, where the caller's own dialogue ends with it. */
  readonly lastQuestion?: DialogueItem;
}

interface ContextInput {
  readonly avatar: Avatar;
  readonly conversation: Conversation;
  readonly data: TurnData;
}

const MAX_MESSAGES = 60;
const MAX_CHARACTERS = 40_000;
const MAX_DIALOGUE_CHARACTERS = 2_000_000;
const MAX_BYTES_PER_CHARACTER = 4;

/** Reads the dialogue so far and the chunks of the avatar's knowledge that match the question. */
export async function readContext(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  findKnowledge: KnowledgeFinder,
  { avatar, conversation, data }: ContextInput,
): Promise<TurnContext> {
  const isReturned = isDialogueWanted(job.body);
  const earlier = input.dialogue ?? (await readStoredDialogue(scope, job, isReturned));
  const dialogue = recentOf(input.dialogue ? earlier : earlier.slice(-MAX_MESSAGES), MAX_CHARACTERS);
  const questions = dialogue.filter(({ role }) => role === 'user').map(({ content }) => content);
  const query = retrievalQueryOf(input.question, questions);
  const filterTerms = filterTermsOf(data.globalData, data.userData);
  const { maxChunks = 0, modelFallbacks = [] } = (await findHost(scope)) ?? {};
  const search = { avatarId: avatar.id, ...query, filterTerms, limit: maxChunks };
  // While a staff member attends, the assistant stays silent: the question is not embedded.
  const found = await findKnowledge(scope, search, conversation.attended ? undefined : job.signal);
  const filterKeys = await findFilterKeys(scope, avatar.id);
  const missingFilterKeys = filterKeys.filter(key => !Object.hasOwn(filterTerms, key));
  const returnedDialogue = isReturned ? toReturnedDialogue(earlier, input) : undefined;
  return {
    dialogue,
    returnedDialogue,
    retrievalQuery: joinQuery(query),
    filterKeys,
    missingFilterKeys,
    modelFallbacks,
    ...found,
  };
}

function isDialogueWanted({ returnDialogue, reasoningConfig }: BodyOf<'reason'>): boolean {
  return returnDialogue === true || reasoningConfig?.returnDialogue === true;
}

/** The dialogue before this turn; the question and the answer of the turn are added to it later. */
function toReturnedDialogue(earlier: readonly DialogueItem[], { lastQuestion }: TurnInput): ReturnedDialogue {
  // A control character takes six characters of JSON.
  const lengthOf = (content: string) => JSON.stringify(content).length;
  const items = recentOf(earlier.slice(2 - MAX_DIALOGUE_ITEMS), MAX_DIALOGUE_CHARACTERS, lengthOf);
  return { items, isTruncated: items.length < earlier.length, ...(lastQuestion ? { lastQuestion } : {}) };
}

async function readStoredDialogue(
  scope: HostScope,
  { jobId, body }: HandlerJob<'reason'>,
  isReturned: boolean,
): Promise<DialogueItem[]> {
  const limits = isReturned
    ? { messages: MAX_DIALOGUE_ITEMS, bytes: MAX_DIALOGUE_CHARACTERS * MAX_BYTES_PER_CHARACTER }
    : { messages: MAX_MESSAGES, bytes: MAX_CHARACTERS * MAX_BYTES_PER_CHARACTER };
  const messages = await readHistory(scope, body.conversationId, limits);
  const earlier = messages.filter(message => message.turnId !== jobId);
  return earlier.map(({ author, content, createdAt, name, unanswered }) => ({
    role: author,
    content,
    createdAt: createdAt.toISOString(),
    ...(name ? { name } : {}),
    ...(unanswered ? { isUnanswered: true } : {}),
  }));
}
