import type { Conversation, GlobalData } from '../../db/conversations.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { argumentNamesIn, userDataFor } from '../domain/known-arguments.ts';
import { mentionsIn, type PromptFacts, promptFactsOf } from '../domain/prompts/prompt-facts.ts';
import { type UserData, userDataWith } from '../domain/user-data.ts';
import type { Steering } from './steering.ts';

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
  { flow, agents }: Steering,
  filterKeys: readonly string[],
): PromptFacts {
  const schemas = agents.map(agent => agent.arguments);
  const facts = { ...userDataFor(schemas, userData), ...globalData };
  const texts = flow.steps.flatMap(({ content, description }) => [content, description]);
  const mentions = mentionsIn([...texts, ...schemas.flatMap(argumentNamesIn)]);
  const named = new Set([...filterKeys, ...Object.keys(userData)]);
  return promptFactsOf(facts, key => named.has(key) || mentions(key));
}
