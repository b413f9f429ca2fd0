import type { Conversation, GlobalData } from '../../db/conversations/conversations.ts';
import { type Failure, failure, isFailure } from '../../queues/contract/failure.ts';
import { MAX_QUESTION_LENGTH } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { isLongerThan } from '../../text/lines.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';
import { mergeUserData, type UserData } from '../domain/user-data.ts';

type Body = BodyOf<'reason'>;

/** The question of a request, and the dialogue that it sends in place of the stored one. */
export interface TurnInput {
  /** Undefined for a rebounce: the assistant resumes a conversation that fell silent. */
  readonly question: string | undefined;
  readonly dialogue: readonly DialogueItem[] | undefined;
  /** The question as the last item of that dialogue, with its time and the name of the end user. */
  readonly lastQuestion?: DialogueItem;
  /** Of a rehearsal at another time than the present, in milliseconds. */
  readonly now?: number;
}

export function turnInputOf(body: Body): TurnInput | Failure {
  const input = readQuestion(body);
  const { now, rehearsal } = body.reasoningConfig ?? {};
  if (now === undefined || isFailure(input)) return input;
  if (rehearsal) return { ...input, now: Date.parse(now) };
  const message = 'is for rehearsals only';
  return failure('body-invalid', { fields: [{ path: 'reasoningConfig.now', message }] });
}

function readQuestion(body: Body): TurnInput | Failure {
  const dialogue = body.originalDialogue?.map(dialogueItemOf);
  const last = dialogue?.at(-1);
  const endsWithQuestion = last?.role === 'user' && last.content.trim() !== '';
  const question = body.question?.trim() ? body.question : undefined;
  if (question !== undefined) {
    // A client may send the question as the last item of the dialogue, too.
    const isRepeated = endsWithQuestion && last.content.trim() === question.trim();
    return isRepeated
      ? { question, dialogue: dialogue?.slice(0, -1), lastQuestion: last }
      : { question, dialogue };
  }
  if (endsWithQuestion) {
    if (isLongerThan(MAX_QUESTION_LENGTH, last.content)) return refuseLastItem(body.originalDialogue ?? []);
    return { question: last.content, dialogue: dialogue?.slice(0, -1), lastQuestion: last };
  }
  if (body.reasoningConfig?.rebounce) return { question: undefined, dialogue };
  const message = 'is required unless reasoningConfig.rebounce is true or originalDialogue ends with a user';
  return failure('body-invalid', { fields: [{ path: 'question', message }] });
}

/** The last item of the dialogue becomes the question, and is as long as one at most. */
function refuseLastItem(items: NonNullable<Body['originalDialogue']>): Failure {
  const path = `originalDialogue[${items.length - 1}]${typeof items.at(-1) === 'string' ? '' : '.content'}`;
  const message = `must have at most ${MAX_QUESTION_LENGTH} characters where it is the question`;
  return failure('body-invalid', { fields: [{ path, message }] });
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

/** The stored data of the conversation, merged with the data of this turn. */
export interface TurnData {
  readonly globalData: GlobalData;
  readonly userData: UserData;
}

export function turnDataOf(
  conversation: Pick<Conversation, 'globalData' | 'userData'>,
  { globalData, userData }: Pick<Body, 'globalData' | 'userData'>,
): TurnData {
  return {
    globalData: { ...conversation.globalData, ...globalData },
    userData: mergeUserData(conversation.userData, userData),
  };
}
