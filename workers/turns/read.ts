import type { Avatar } from '../../db/assistants/avatars.ts';
import { readTurnSettings, type TurnSettings } from '../../db/assistants/turn-settings.ts';
import { readOpenQuestions } from '../../db/conversations/bursts.ts';
import type { Conversation } from '../../db/conversations/conversations.ts';
import { readHistory } from '../../db/conversations/messages.ts';
import type { KnownCall } from '../../db/conversations/tool-confirmations.ts';
import { type Host, hasBudget } from '../../db/hosts/hosts.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure, fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import { MAX_QUESTION_LENGTH } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { MAX_DIALOGUE_ITEMS } from '../../queues/contract/operations/turn-shape.ts';
import { saidPartsOf } from '../../text/answers/said-parts.ts';
import { isLongerThan } from '../../text/lines.ts';
import { findStepErrors } from '../bodies/find-step-errors.ts';
import { READER } from '../domain/approved/match-approved.ts';
import { type Masking, makeMasking, NO_MASKING } from '../domain/masking/masking.ts';
import { filterTermsOf } from '../domain/passage-filter.ts';
import {
  addOpenQuestions,
  type DialogueItem,
  isOpenQuestion,
  openQuestionOf,
  recentOf,
} from '../domain/prompts/prompt.ts';
import { joinQuery, type RetrievalQuery, retrievalQueryOf } from '../domain/retrieval/retrieval-query.ts';
import { findsLittle } from '../domain/retrieval/rewritten-question.ts';
import { localTimeAt } from '../domain/time/instant.ts';
import { mergeUserData } from '../domain/user-data.ts';
import { findModelFailure, type ModelDirectory } from '../model/model-directory.ts';
import type { Spender } from '../model/spender.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { JobOf } from '../runtime/job.ts';
import { approvedKeyOf, findApproved } from './approved.ts';
import { type FlowTalk, flowStateOf } from './flow.ts';
import {
  type ClaimedTurn,
  NOTHING_ATTACHED,
  type ReadTurn,
  type ReturnedDialogue,
  type TurnData,
  type TurnInput,
  type TurnJob,
} from './turn.ts';

type Body = BodyOf<'reason'>;

export function readInput(body: Body): TurnInput | Failure {
  const input = readQuestion(body);
  const { now, rehearsal } = body.reasoningConfig ?? {};
  if (now === undefined || isFailure(input)) return input;
  if (rehearsal) return { ...input, now: Date.parse(now) };
  return fieldFailure('reasoningConfig.now', 'only-with', forRehearsals);
}

const forRehearsals = 'is for rehearsals only';

function readQuestion(body: Body): TurnInput | Failure {
  const dialogue = body.originalDialogue?.map(dialogueItemOf);
  const last = dialogue?.at(-1);
  const endsWithQuestion = last?.role === 'user' && last.content.trim() !== '';
  // A button may come without its title.
  const question = body.question?.trim() ? body.question : body.choice;
  if (question !== undefined) {
    // A client may send the question as the last item of the dialogue, too.
    const isRepeated = endsWithQuestion && last.content.trim() === question.trim();
    return isRepeated
      ? { question, dialogue: dialogue?.slice(0, -1), lastQuestion: last }
      : { question, dialogue };
  }
  // A turn with attachments has them as its question.
  if (endsWithQuestion && !body.attachments) {
    if (isLongerThan(MAX_QUESTION_LENGTH, last.content)) return refuseLastItem(body.originalDialogue ?? []);
    return { question: last.content, dialogue: dialogue?.slice(0, -1), lastQuestion: last };
  }
  if (body.reasoningConfig?.rebounce || body.attachments) return { question: undefined, dialogue };
  const message =
    'is required unless reasoningConfig.rebounce is true, something is attached, or originalDialogue ends with a user';
  return fieldFailure('question', 'required', message);
}

/** The last item of the dialogue becomes the question, so its length has the same limit. */
function refuseLastItem(items: NonNullable<Body['originalDialogue']>): Failure {
  const path = `originalDialogue[${items.length - 1}]${typeof items.at(-1) === 'string' ? '' : '.content'}`;
  const limit = MAX_QUESTION_LENGTH;
  const message = `must have at most ${limit} characters where it is the question`;
  return fieldFailure(path, 'max-length', { limit, message });
}

function dialogueItemOf(item: NonNullable<Body['originalDialogue']>[number]): DialogueItem {
  if (typeof item === 'string') return { role: 'user', content: item };
  const { role, content, createdAt, name } = item;
  return {
    role,
    content,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(name === undefined ? {} : { name }),
  };
}

/** Values of the turn replace stored ones of the same name. */
export function mergeTurnData(conversation: Conversation, { globalData, userData }: Body): TurnData {
  return {
    globalData: { ...conversation.globalData, ...globalData },
    userData: mergeUserData(conversation.userData, userData),
  };
}

/** More than a turn uses: the connections to the disabled ones are closed. */
const MAX_MCP_CONFIGS = 128;
const MAX_MESSAGES = 60;
const MAX_CHARACTERS = 40_000;
const MAX_DIALOGUE_CHARACTERS = 2_000_000;
const MAX_BYTES_PER_CHARACTER = 4;

async function readSettings(scope: HostScope, claimed: ClaimedTurn): Promise<TurnSettings> {
  const { job } = claimed;
  const { subSlug, conversationId, reasoningConfig } = job.body;
  const agents = reasoningConfig?.changes?.flow?.chainJson.flatMap(step => step.agents ?? []);
  const agentNames = agents?.map(({ agentName }) => agentName);
  const ofTurn = { turnId: job.turnId, queueNow: () => job.deadline - job.remainingMs() };
  const approved = { key: () => approvedKeyOf(claimed), reader: READER };
  const search = { subSlug, conversationId, agentNames, maxMcpConfigs: MAX_MCP_CONFIGS, ...ofTurn, approved };
  const settings = await readTurnSettings(scope, search);
  if (!settings) throw new Error('The avatar of a turn is gone.');
  return settings;
}

/** Reads what the model is asked with: the settings, the dialogue so far, the passages that match the question. */
export async function readTurn(
  scope: HostScope,
  claimed: ClaimedTurn,
  findKnowledge: KnowledgeFinder,
): Promise<ReadTurn> {
  const { job, input, conversation } = claimed;
  const isReturned = isDialogueWanted(job.body);
  // Nothing is read for an answer then: the assistant stays silent.
  const { attended: isSilent } = conversation;
  const [settings, earlier] = await Promise.all([
    readSettings(scope, claimed),
    isSilent && !isReturned ? [] : readDialogue(scope, claimed, isReturned),
  ]);
  // With the changes of a rehearsal.
  const avatar = { ...settings.avatar, ...job.body.reasoningConfig?.changes?.avatar };
  const dialogue = recentOf(input.dialogue ? earlier : earlier.slice(-MAX_MESSAGES), MAX_CHARACTERS);
  const { host, filterKeys, mcpConfigs, restTools, knownCalls } = settings;
  const flow = readFlow(claimed, { ...settings, avatar }, dialogue);
  const { flowState, approved, data } = flow;
  const query = queryOf(dialogue, { ...input, question: flowState?.chosen?.title ?? input.question });
  const filterTerms = filterTermsOf(data.globalData, data.userData);
  const { maxChunks, modelFallbacks, mask: isMasked } = host;
  const spender = spenderOf(claimed, avatar, host);
  const search = { avatarId: avatar.avatar_id, ...query, filterTerms, limit: maxChunks, isMasked, spender };
  // No model, of words or of meaning, has a part in a quote.
  const meaning = avatar.answer_mode === 'quote' ? undefined : job.signal;
  const isAnswered = approved !== undefined || flowState?.asks?.needsModel === false;
  const isSearched = !isSilent && !isAnswered && !isWaitingForQuestion(claimed) && !input.attached?.unheard;
  const { coverage, ...found } = isSearched
    ? await job.time.during('knowledge', () => findKnowledge(scope, search, meaning))
    : { chunks: [], coverage: 1, fullMatch: 0 };
  const asked = input.question === undefined ? '' : query.query;
  const isRewritten = avatar.rewrite && meaning && findsLittle(asked, coverage);
  return {
    ...claimed,
    ...flow,
    avatar,
    dialogue,
    returnedDialogue: isReturned ? toReturnedDialogue(earlier, input) : undefined,
    retrievalQuery: joinQuery(query),
    ...found,
    searchByMeaning: found.searchByMeaning,
    foundLittle: isRewritten ? { ...search, coverage } : undefined,
    rewritten: undefined,
    searchCalls: [],
    ...(input.attached ?? NOTHING_ATTACHED),
    mayShowPictures: host?.maskImages === 'allow',
    keepsAttachments: host.keepAttachments > 0 && !job.body.reasoningConfig?.rehearsal,
    filterKeys,
    missingFilterKeys: filterKeys.filter(key => !Object.hasOwn(filterTerms, key)),
    modelFallbacks,
    isHostDisabled: host.disabled,
    hostSlug: host.slug,
    masking: isMasked ? maskingOf(input, conversation) : NO_MASKING,
    mcpConfigs,
    restTools,
    knownCalls: knownTo(job, knownCalls),
    teams: settings.teams,
    spender,
  };
}

/** A button answers its own question, and is no yes to a call. */
function knownTo({ body }: Pick<TurnJob, 'body'>, calls: readonly KnownCall[]): readonly KnownCall[] {
  return body.choice === undefined ? calls : calls.filter(({ state }) => state !== 'waiting');
}

/** The flow after the message of the person, and the data with the answers that it has to the flow's questions. */
function readFlow(
  claimed: ClaimedTurn,
  settings: TurnSettings,
  dialogue: readonly DialogueItem[],
): Pick<ReadTurn, 'clock' | 'flowState' | 'approved' | 'data'> {
  const { job, input, data } = claimed;
  const { timeZone, businessHours } = settings.host;
  const clock = { now: input.now ?? job.arrivedAt, timeZone, businessHours };
  const steps = job.body.reasoningConfig?.changes?.flow?.chainJson;
  const flowState = flowStateOf(
    settings,
    steps,
    talkOf(claimed, settings.knownCalls, dialogue, localTimeAt(clock.now, timeZone)),
  );
  const approved = findApproved(claimed, settings.givenAnswers, flowState);
  return {
    clock,
    // The approved text stands alone: nothing of the flow is said or done beside it.
    flowState: approved ? undefined : flowState,
    approved,
    data: { ...data, globalData: { ...data.globalData, ...flowState?.asks?.kept } },
  };
}

/** What the person says in this turn and said before; nothing where nobody is answered, or the question is not read yet. */
function talkOf(
  { job, input, conversation, data }: ClaimedTurn,
  knownCalls: readonly KnownCall[],
  dialogue: readonly DialogueItem[],
  today: number,
): FlowTalk {
  const isSilent = conversation.attended || isWaitingForQuestion({ job, input });
  const ofPerson = dialogue.filter(({ role }) => role === 'user');
  const open = ofPerson.filter(isOpenQuestion).map(({ content }) => content);
  const lastWord = dialogue.findLast(({ role }) => role === 'assistant' || role === 'human');
  return {
    messages: isSilent || input.question === undefined ? [] : [input.question, ...open.toReversed()],
    choice: isSilent ? undefined : job.body.choice,
    before: ofPerson.findLast(item => !isOpenQuestion(item))?.content,
    isAboutElse: lastWord?.role === 'human' || knownCalls.some(({ state }) => state === 'waiting'),
    lastAnswer: dialogue.findLast(({ role }) => role === 'assistant')?.content,
    globalData: data.globalData,
    today,
  };
}

/** Attachments are the question, or a part of it, and are not read at this point. */
export function isWaitingForQuestion({ job, input }: Pick<ClaimedTurn, 'job' | 'input'>): boolean {
  return job.attachments !== undefined && !input.attached;
}

function spenderOf({ job, attempt }: ClaimedTurn, avatar: Avatar, host: Host): Spender {
  return {
    hostId: job.hostId,
    avatarId: avatar.avatar_id,
    hasBudget: hasBudget(host),
    turn: { turnId: job.turnId, attempt },
    remainingMs: () => job.remainingMs(),
  };
}

/** A caller's own dialogue may belong to another person than earlier turns did, so its tokens are separate and not kept. */
function maskingOf({ dialogue }: TurnInput, { maskedValues }: Conversation): Masking {
  return dialogue ? { ...makeMasking(), findNewValues: () => undefined } : makeMasking(maskedValues);
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

/** Returns the caller's own dialogue or the stored one; the open questions stand at the end of both. */
async function readDialogue(
  scope: HostScope,
  { job, input, openQuestions }: ClaimedTurn,
  isReturned: boolean,
): Promise<readonly DialogueItem[]> {
  const { dialogue } = input;
  const { conversationId } = job.body;
  const open =
    openQuestions > 0 ? await readOpenQuestions(scope, { conversationId, turnId: job.turnId }) : [];
  const items = open.map(({ content, createdAt }) => openQuestionOf(content, createdAt));
  if (dialogue) return addOpenQuestions(dialogue, items);
  const left = new Set([job.turnId, ...open.map(({ turnId }) => turnId)]);
  return [...(await readStoredDialogue(scope, conversationId, left, isReturned)), ...items];
}

/** The open questions and the turn's own are searched as one text. */
function queryOf(dialogue: readonly DialogueItem[], { question }: TurnInput): RetrievalQuery {
  const asked = dialogue.filter(({ role }) => role === 'user');
  const textOf = ({ content }: DialogueItem) => content;
  const open = asked.filter(isOpenQuestion).map(textOf);
  const earlier = asked.filter(item => !isOpenQuestion(item)).flatMap(item => saidPartsOf(textOf(item)));
  const lastAnswer = dialogue.findLast(({ role }) => role === 'assistant')?.content;
  const said = question === undefined ? [] : saidPartsOf([...open, question].join('\n'));
  return retrievalQueryOf(said.at(-1), [...earlier, ...said.slice(0, -1)], lastAnswer);
}

async function readStoredDialogue(
  scope: HostScope,
  conversationId: string,
  withoutTurns: ReadonlySet<string>,
  isReturned: boolean,
): Promise<DialogueItem[]> {
  const limits = isReturned
    ? { messages: MAX_DIALOGUE_ITEMS, bytes: MAX_DIALOGUE_CHARACTERS * MAX_BYTES_PER_CHARACTER }
    : { messages: MAX_MESSAGES, bytes: MAX_CHARACTERS * MAX_BYTES_PER_CHARACTER };
  const messages = await readHistory(scope, conversationId, limits);
  const earlier = messages.filter(({ turnId }) => turnId === null || !withoutTurns.has(turnId));
  return earlier.map(({ author, content, createdAt, name, unanswered, unsupported }) => ({
    role: author,
    content,
    createdAt: createdAt.toISOString(),
    ...(name ? { name } : {}),
    ...(unanswered ? { isUnanswered: true } : {}),
    ...(unsupported ? { unsupported } : {}),
  }));
}

/** Adds the passages that are found by their meaning. Waits for the network, so it runs outside of any transaction. */
export async function searchByMeaning(turn: ReadTurn): Promise<ReadTurn> {
  if (!turn.searchByMeaning) return turn;
  const { chunks, calls } = await turn.searchByMeaning();
  return { ...turn, chunks, searchCalls: calls, searchByMeaning: undefined };
}

/*
 * A rehearsal may try changes of the assistant that are not saved: they are checked as where they are saved, and laid over
 * what the turn reads. `evaluate: true` makes the change itself, in transactions that are rolled back; a turn cannot,
 * because the transaction in which it reads commits its claim.
 */

const PATH = 'reasoningConfig.changes';

/** Returns why the changes of the request cannot be rehearsed, whatever the conversation. */
export async function findChangesFailure(
  directory: ModelDirectory,
  { hostId, body, caller, read }: JobOf<'reason'>,
): Promise<Failure | undefined> {
  const { changes, rehearsal } = body.reasoningConfig ?? {};
  if (!changes) return undefined;
  if (!caller.scopes.includes('manage'))
    return failure('forbidden', { hint: `${PATH} needs the scope manage` });
  if (!rehearsal) return fieldFailure(PATH, 'only-with', forRehearsals);
  const refused = await findModelFailure(directory, {
    model: changes.avatar?.model,
    hostId,
    path: `${PATH}.avatar.model`,
  });
  const steps = changes.flow?.chainJson;
  if (refused || !steps) return refused;
  const checked = await read(async scope => {
    const errors = await findStepErrors(scope, steps);
    const fields = errors.map(error => ({ ...error, path: `${PATH}.flow.${error.path}` }));
    return fields.length > 0 ? failure('body-invalid', { fields }) : { code: 200, data: steps };
  });
  return isFailure(checked) ? checked : undefined;
}
