import type { Message } from './chat-request.ts';
import { toComparableText } from './extraction/words.ts';

const opening = '<trecho';
const closing = '</trecho>';

/** Searches forward only, so that unclosed marks stay linear. */
function findMarkedPassages(text: string): string[] {
  const passages: string[] = [];
  let from = text.indexOf(opening);
  while (from >= 0) {
    const begin = text.indexOf('>', from);
    const end = begin < 0 ? -1 : text.indexOf(closing, begin);
    if (end < 0) break;
    passages.push(text.slice(begin + 1, end).trim());
    from = text.indexOf(opening, end);
  }
  return passages;
}

/** The text below a heading for knowledge, for prompts without marked passages. */
function underHeading(text: string): string[] {
  const lines = text.split('\n');
  const at = lines.findIndex(
    line => /^\s*#{1,6}\s/.test(line) && /conhecimento|contexto/.test(toComparableText(line)),
  );
  if (at < 0) return [];
  const rest = lines
    .slice(at + 1)
    .join('\n')
    .trim();
  return rest ? [rest] : [];
}

/** The distinct passages in the system messages, in their order. */
export function knowledgeIn(messages: readonly Message[]): string[] {
  const systems = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ text }) => text);
  const marked = systems.flatMap(findMarkedPassages);
  const passages = marked.length > 0 ? marked : systems.flatMap(underHeading);
  return [...new Set(passages.filter(Boolean))];
}
