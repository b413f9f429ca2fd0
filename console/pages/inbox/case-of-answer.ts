import type { CaseBegin } from '../assistants/case-form.tsx';
import type { Message } from './conversation.ts';

/** Limits of a case: its messages, the length of a message, and its passages. */
const MAX_DIALOGUE = 20;
const MAX_TEXT = 2_000;
const MAX_SOURCES = 20;

/** Makes a case that begins with this answer: the question right before it, and the messages before that. */
export function caseOf(items: readonly Message[], answer: Message): CaseBegin {
  const before = items.slice(0, items.indexOf(answer));
  const asked = before.slice(before.findLastIndex(({ author }) => author !== 'user') + 1);
  const dialogue = before.slice(0, before.length - asked.length).flatMap(({ author, content }) =>
    // A note is only for the team, a line of the service is of nobody, and an old text is deleted.
    author === 'note' || author === 'system' || content === ''
      ? []
      : [{ role: author, content: content.slice(0, MAX_TEXT) }],
  );
  return {
    question: asked
      .map(({ content }) => content)
      .join('\n')
      .slice(0, MAX_TEXT),
    dialogue: dialogue.slice(-MAX_DIALOGUE),
    sources: answer.sources.flatMap(({ chunkId }) => chunkId ?? []).slice(0, MAX_SOURCES),
    answer: answer.content,
  };
}
