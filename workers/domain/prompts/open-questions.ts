import type { DialogueItem } from './prompt.ts';

/** A message of a turn that ended without an answer, for a later turn that answers it, too. */
export function openQuestionOf(content: string, createdAt: Date): DialogueItem {
  return { role: 'user', content, createdAt: createdAt.toISOString(), isOpen: true };
}

/**
 * Puts the open questions at the end of the caller's own dialogue. The caller may know some of them: messages of the end
 * user since the last answer that have the same text are theirs.
 */
export function addOpenQuestions(
  dialogue: readonly DialogueItem[],
  open: readonly DialogueItem[],
): DialogueItem[] {
  if (open.length === 0) return [...dialogue];
  const answeredUpTo = dialogue.findLastIndex(({ role }) => role === 'assistant' || role === 'human');
  const left = open.map(textOf);
  const isRepeated = (item: DialogueItem, at: number) => {
    const found = at > answeredUpTo && item.role === 'user' ? left.indexOf(textOf(item)) : -1;
    if (found >= 0) left.splice(found, 1);
    return found >= 0;
  };
  return [...dialogue.filter((item, at) => !isRepeated(item, at)), ...open];
}

function textOf({ content }: DialogueItem): string {
  return content.trim();
}
