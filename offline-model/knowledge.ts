import { foldText } from '../text/fold.ts';
import type { Message } from './chat-request.ts';

const OPENING_MARK = '<trecho';
const CLOSING_MARK = '</trecho>';

/** Searches forward only, so that unclosed marks take linear time. */
function findMarkedPassages(text: string): string[] {
  const passages: string[] = [];
  let from = text.indexOf(OPENING_MARK);
  while (from >= 0) {
    const begin = text.indexOf('>', from);
    const end = begin < 0 ? -1 : text.indexOf(CLOSING_MARK, begin);
    if (end < 0) break;
    passages.push(text.slice(begin + 1, end).trim());
    from = text.indexOf(OPENING_MARK, end);
  }
  return passages;
}

/** The text below a heading for knowledge, for prompts without marked passages. */
function findTextUnderHeading(text: string): string[] {
  const lines = text.split('\n');
  const headingIndex = lines.findIndex(
    line => /^\s*#{1,6}\s/.test(line) && /conhecimento|contexto/.test(foldText(line)),
  );
  if (headingIndex < 0) return [];
  const section = lines
    .slice(headingIndex + 1)
    .join('\n')
    .trim();
  return section ? [section] : [];
}

/** The distinct passages in the system messages, in their order. */
export function findKnowledge(messages: readonly Message[]): string[] {
  const systemTexts = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ text }) => text);
  const markedPassages = systemTexts.flatMap(findMarkedPassages);
  const passages = markedPassages.length > 0 ? markedPassages : systemTexts.flatMap(findTextUnderHeading);
  return [...new Set(passages.filter(Boolean))];
}
