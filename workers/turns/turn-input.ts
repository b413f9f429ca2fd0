import { type Failure, failure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';

type Body = BodyOf<'reason'>;

/** What a request asks, and the dialogue that it brings along in place of the stored one. */
export interface TurnInput {
  /** Undefined when the assistant is to resume a conversation that fell silent. */
  readonly question: string | undefined;
  readonly dialogue: readonly DialogueItem[] | undefined;
  /** The question as that dialogue ends with it, with its time and its asker's name. */
  readonly askedLast?: DialogueItem;
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
      ? { question, dialogue: given?.slice(0, -1), askedLast: last }
      : { question, dialogue: given };
  }
  if (isAskedLast) return { question: last.content, dialogue: given?.slice(0, -1), askedLast: last };
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
