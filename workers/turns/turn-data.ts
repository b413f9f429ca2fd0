import type { Conversation, GlobalData } from '../../db/conversations.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { mergeUserData, type UserData } from '../domain/contact/user-data.ts';
import { mentionsIn, type PromptFacts, promptFactsOf } from '../domain/prompts/prompt-facts.ts';
import { argumentNamesIn, userDataFor } from '../domain/schemas/known-arguments.ts';
import type { FlowState } from './flow-state.ts';

/** The stored data of the conversation, merged with the data of this turn. */
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
    userData: mergeUserData(conversation.userData, userData),
  };
}

/** The facts that the model needs to judge the conditions of a flow and to fill in the arguments of its agents. */
export function buildFacts(
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
