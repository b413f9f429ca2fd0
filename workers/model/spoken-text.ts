/*
 * What of a model's text is meant for a person. Reasoning models begin with what they think, between tags; some serving
 * programs swallow the opening tag. Models that were asked for Markdown may put their whole answer into a fence of it. A tag in a
 * sentence is a word like others.
 */

const OPENING = /^\s*(?:<think(?:ing)?>|\[THINK\])/i;
const CLOSING = /<\/think(?:ing)?>|\[\/THINK\]/i;
const ANY_OPENING = /<think(?:ing)?>|\[THINK\]/i;
/** A closing tag that begins or ends its line. */
const LONE_CLOSING =
  /(?:^|\n)[^\S\n]{0,8}(?:<\/think(?:ing)?>|\[\/THINK\])|(?:<\/think(?:ing)?>|\[\/THINK\])(?=\s{0,8}(?:\n|$))/i;
const OPENING_TAGS = ['<think>', '<thinking>', '[think]'];
const LONGEST_CLOSING = '</thinking>'.length;

/** The text without the thoughts that it begins with, and without a fence of Markdown around all of it. */
export function spokenTextOf(text: string): string {
  return withoutFence(withoutThoughts(text));
}

function withoutThoughts(text: string): string {
  let rest = text;
  for (;;) {
    const [opening] = OPENING.exec(rest) ?? [];
    if (opening === undefined) break;
    const closing = CLOSING.exec(rest);
    if (!closing) return '';
    rest = rest.slice(closing.index + closing[0].length).trimStart();
  }
  const lone = LONE_CLOSING.exec(rest);
  if (!lone || ANY_OPENING.test(rest.slice(0, lone.index))) return rest;
  const answer = rest.slice(lone.index + lone[0].length).trimStart();
  // A tag behind the whole answer ends no thoughts.
  return answer === '' ? rest.slice(0, lone.index).trimEnd() : answer;
}

const MARKDOWN_FENCE = /^(`{3,10}|~{3,10})(?:markdown|md)$/i;

function withoutFence(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map(line => line.trimEnd());
  const [, fence] = MARKDOWN_FENCE.exec(lines[0] ?? '') ?? [];
  if (fence === undefined || lines.length < 2 || lines.at(-1)?.trim() !== fence) return text;
  const inner = lines.slice(1, -1);
  let isInside = false;
  for (const line of inner) {
    const mark = line.trim();
    if (!mark.startsWith(fence)) continue;
    // A fence without a name ends the outer one: the answer is more than one fence.
    if (!isInside && mark === fence) return text;
    isInside = mark !== fence;
  }
  return inner.join('\n');
}

/** Passes on the pieces of a text without the thoughts that it begins with: what may be a tag is held back until it is known. */
export function makeThoughtFilter(): (piece: string) => string {
  let held = '';
  /** Before what is held: read once, where 100,000 of them, each a piece, took 12 s. */
  let blanks = '';
  let state: 'undecided' | 'thinking' | 'speaking' = 'undecided';
  let hasThought = false;

  function decide(): string {
    const begun = held.trimStart();
    if (!hasThought) blanks += held.slice(0, held.length - begun.length);
    held = begun;
    if (OPENING.test(held)) {
      state = 'thinking';
      return think();
    }
    if (OPENING_TAGS.some(tag => tag.startsWith(begun.toLowerCase()))) return '';
    state = 'speaking';
    return blanks + held;
  }

  function think(): string {
    const closing = CLOSING.exec(held);
    if (!closing) {
      held = held.slice(-LONGEST_CLOSING);
      return '';
    }
    held = held.slice(closing.index + closing[0].length);
    hasThought = true;
    blanks = '';
    state = 'undecided';
    return decide();
  }

  return piece => {
    if (state === 'speaking') return piece;
    held += piece;
    return state === 'thinking' ? think() : decide();
  };
}
