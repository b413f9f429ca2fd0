import type { Conversation, GlobalData } from '../../db/conversations.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { argumentNamesIn, userDataFor } from '../domain/known-arguments.ts';
import type { DialogueItem } from '../domain/prompt.ts';
import { mentionsIn, type PromptFacts, promptFactsOf } from '../domain/prompt-facts.ts';
import { type UserData, userDataWith } from '../domain/user-data.ts';
import type { FlowState } from './flow-state.ts';

type Body = BodyOf<'reason'>;

/** What a request asks, and the dialogue that it brings along in place of the stored one. */
export interface TurnInput {
  /** Undefined when the assistant is to resume a conversation that fell silent. */
  readonly question: string | undefined;
  readonly dialogue: readonly DialogueItem[] | undefined;
  /** The question as that dialogue ends with it, with its time and its asker's name. */
  readonly lastQuestion?: DialogueItem;
}

export function turnInputOf(body: Body): TurnInput | Failure {
  const given = body.originalDialogue?.map(dialogueItemOf);
  const last = given?.at(-1);
  const isAskedLast = last?.role === 'user' && last.content.trim() !== '';
  const question = body.question?.trim() ? body.question : undefined;
  if (question !== undefined) {
    // A client may send the question as the dialogue's last word, too.
    const isTwice = isAskedLast && last.content.trim() === question.trim();
    return isTwice
      ? { question, dialogue: given?.slice(0, -1), lastQuestion: last }
      : { question, dialogue: given };
  }
  if (isAskedLast) return { question: last.content, dialogue: given?.slice(0, -1), lastQuestion: last };
  if (body.reasoningConfig?.rebounce) return { question: undefined, dialogue: given };
  const message = 'is required unless reasoningConfig.rebounce is true or originalDialogue ends with a user';
  return failure('body-invalid', { fields: [{ path: 'question', message }] });
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

/** What the conversation remembers and this turn brings, as one. */
export interface TurnData {
  readonly globalData: GlobalData;
  readonly userData: UserData;
}

export function turnDataOf(
  conversation: Pick<Conversation, 'globalData' | 'userData'>,
  { globalData, userData }: Pick<BodyOf<'reason'>, 'globalData' | 'userData'>,
): TurnData {
  return {
    globalData: { ...conversation.globalData, ...globalData },
    userData: userDataWith(conversation.userData, userData),
  };
}

/** What the model reads of it to judge the conditions of a flow by and to fill in the arguments of its agents. */
export function factsFor(
  { globalData, userData }: TurnData,
  { flow, agents }: FlowState,
  filterKeys: readonly string[],
): PromptFacts {
  const schemas = agents.map(agent => agent.arguments);
  const facts = { ...userDataFor(schemas, userData), ...globalData };
  const texts = flow.steps.flatMap(({ content, description }) => [content, description]);
  const mentions = mentionsIn([...texts, ...schemas.flatMap(argumentNamesIn)]);
  const named = new Set([...filterKeys, ...Object.keys(userData)]);
  return promptFactsOf(facts, key => named.has(key) || mentions(key));
}
