import { makeMarkFilter } from './spoken-marks.ts';

/*
 * Extracts the part of a model's text that is meant for a person. Reasoning models begin with their thoughts, between tags;
 * some serving programs swallow the opening tag. Models that were asked for Markdown may put their whole answer into a fence of
 * it. A tag of thoughts within a sentence is plain text.
 */

const NAMES =
  'think thinking thought thoughts reasoning reflection scratchpad analysis antthinking seed:think'.split(
    ' ',
  );

interface Tag {
  readonly opening: string;
  readonly closing: RegExp;
}

const THOUGHTS: readonly Tag[] = [
  ...NAMES.map(name => [`<${name}>`, `</${name}>`] as const),
  ['[think]', '[/think]'] as const,
  ['[thinking]', '[/thinking]'] as const,
  ['◁think▷', '◁/think▷'] as const,
  ['<|begin_of_thought|>', '<|end_of_thought|>'] as const,
  ['<|channel|>analysis<|message|>', '<|channel|>final<|message|>'] as const,
].map(tagOf);
/** Some serving programs leave the head of the answer's turn before it. */
const HEADS: readonly Tag[] = [
  ['<|im_start|>', 'assistant\n'] as const,
  ['<|start_header_id|>', '<|end_header_id|>'] as const,
  ['<|start|>', 'final<|message|>'] as const,
  ['<|assistant', '|>'] as const,
  ['<|begin_of_text', '|>'] as const,
].map(tagOf);
const TAGS: readonly Tag[] = [...THOUGHTS, ...HEADS];
const LONGEST_CLOSING = Math.max(...TAGS.map(({ closing }) => closing.source.length));
const ANY_OPENING = new RegExp(THOUGHTS.map(({ opening }) => literal(opening)).join('|'), 'i');
const ANY_CLOSING = THOUGHTS.map(({ closing }) => closing.source).join('|');
/** A closing tag that begins or ends its line. */
const LONE_CLOSING = new RegExp(
  `(?:^|\\n)[^\\S\\n]{0,8}(?:${ANY_CLOSING})|(?:${ANY_CLOSING})(?=\\s{0,8}(?:\\n|$))`,
  'i',
);
/** Some models put their own tag around all of an answer. */
const ANSWER = /^\s*<(answer|response|output|final|s)>([^]*)<\/\1>\s*$/i;

/** A call that a model writes as its answer, in JSON: `{"name": "busca", "arguments": {…}}`. */
const BEGUN_CALL =
  /^(?:(?:```\w{0,10}|<tools>)\s{0,8})?(?:\[\s{0,8})?\{\s{0,8}"(?:name|tool_calls|function)"/;
const ARGUMENTS = /"(?:arguments|parameters|tool_calls)"\s{0,8}:/;
/** Matches a text that may still begin one, up to its key. */
const BEFORE_KEY =
  /^(?:`{0,2}|<t?o?o?l?s?|(?:(?:```\w{0,10}|<tools>)\s{0,8})?(?:\[\s{0,8})?(?:\{\s{0,8}("\w{0,10})?)?)$/;
const KEYS = ['"name"', '"tool_calls"', '"function"'];

function mayBeginCall(text: string): boolean {
  const [found, key = ''] = BEFORE_KEY.exec(text) ?? [];
  return found !== undefined && KEYS.some(each => each.startsWith(key));
}

/**
 * Removes the thoughts that the text begins with, calls and whatever follows its end, and a tag of answers or a fence of Markdown
 * around all of it. What looks like a mark within JSON is data.
 */
export function spokenTextOf(text: string, isJson = false): string {
  const answer = withoutThoughts(text);
  if (!isJson && BEGUN_CALL.test(answer.trimStart()) && ARGUMENTS.test(answer)) return '';
  const marksFrom = isJson ? answer.lastIndexOf('}') + 1 : 0;
  const said = answer.slice(0, marksFrom) + makeMarkFilter()(answer.slice(marksFrom), true);
  const spoken = said === answer ? said : said.trim().replace(EMPTY_FENCE, '');
  return withoutFence(ANSWER.exec(spoken)?.[2]?.trim() ?? spoken);
}

function withoutThoughts(text: string): string {
  let rest = text;
  for (;;) {
    const tag = openingOf(rest.trimStart());
    if (tag === undefined) break;
    const closing = tag.closing.exec(rest);
    if (!closing) return '';
    rest = rest.slice(closing.index + closing[0].length).trimStart();
  }
  const lone = LONE_CLOSING.exec(rest);
  if (!lone || ANY_OPENING.test(rest.slice(0, lone.index))) return rest;
  const answer = rest.slice(lone.index + lone[0].length).trimStart();
  // A tag behind the whole answer does not end thoughts.
  return answer === '' ? rest.slice(0, lone.index).trimEnd() : answer;
}

function openingOf(text: string): Tag | undefined {
  return TAGS.find(({ opening }) => text.slice(0, opening.length).toLowerCase() === opening);
}

function tagOf([opening, closing]: readonly [string, string]): Tag {
  return { opening, closing: new RegExp(literal(closing), 'i') };
}

function literal(text: string): string {
  return text.replaceAll(/[[\]|/]/g, '\\$&');
}

/** The empty fence that is left where a call stood in it. */
const EMPTY_FENCE = /^(`{3}|~{3})\w{0,20}\s*\1$/;
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

/**
 * Passes on the pieces of a text without the thoughts that it begins with, and without calls and what follows its end. A possible
 * tag is held back until it is complete.
 */
export function makeThoughtFilter(): (piece: string) => string {
  let held = '';
  /** Blanks before the held text, read once: 100,000 of them, each a piece, took 12 s otherwise. */
  let blanks = '';
  let state: 'undecided' | 'speaking' | 'calling' | Tag = 'undecided';
  let hasThought = false;
  const withoutMarks = makeMarkFilter();

  /** Returns what is spoken so far, or undefined where the thoughts of a tag have begun. */
  function decide(): string | undefined {
    const begun = held.trimStart();
    if (!hasThought) blanks += held.slice(0, held.length - begun.length);
    held = begun;
    const tag = openingOf(held);
    if (tag) {
      state = tag;
      return undefined;
    }
    if (TAGS.some(({ opening }) => opening.startsWith(begun.toLowerCase())) || mayBeginCall(begun)) return '';
    // The rest of it is said when the answer is whole, if it is none.
    if (BEGUN_CALL.test(begun)) {
      state = 'calling';
      held = '';
      return '';
    }
    state = 'speaking';
    return blanks + held;
  }

  function think(tag: Tag): boolean {
    const closing = tag.closing.exec(held);
    if (!closing) {
      held = held.slice(-LONGEST_CLOSING);
      return false;
    }
    held = held.slice(closing.index + closing[0].length);
    hasThought = true;
    blanks = '';
    state = 'undecided';
    return true;
  }

  return piece => {
    if (state === 'speaking') return withoutMarks(piece);
    if (state === 'calling') return '';
    held += piece;
    for (;;) {
      if (state !== 'undecided' && !think(state)) return '';
      const spoken = decide();
      if (spoken !== undefined) return withoutMarks(spoken);
    }
  };
}
