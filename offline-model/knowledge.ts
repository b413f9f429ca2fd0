import type { Message } from './chat-request.ts';

const OPENING = '<trecho';
const CLOSING = '</trecho>';

/** The distinct passages that the system messages mark, in their order. */
export function findKnowledge(messages: readonly Message[]): string[] {
  const systemTexts = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const passages = systemTexts.flatMap(({ text }) => passagesIn(text));
  return [...new Set(passages.filter(Boolean))];
}

/** Searches forward only, so that marks that are not closed take linear time. */
function passagesIn(text: string): string[] {
  const passages: string[] = [];
  let from = text.indexOf(OPENING);
  while (from >= 0) {
    const begin = text.indexOf('>', from);
    const end = begin < 0 ? -1 : text.indexOf(CLOSING, begin);
    if (end < 0) break;
    passages.push(text.slice(begin + 1, end).trim());
    from = text.indexOf(OPENING, end);
  }
  return passages;
}
