import { visibleLine } from './visible-line.ts';

/*
 * Whether the head of a text looks like front-matter to a reader, whatever a parser makes of it: something like a
 * fence with something like `key: value` below it, or such lines right above something like a fence. Text that merely
 * begins with a rule, a heading, a list or a table does not.
 */

const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** Punctuation and mathematical signs, with lines and shapes that people draw rules with. */
const ruleOnly = /^[\p{P}\p{Sm}\p{Sk}\u2500-\u25ff\u2796]+$/u;
const oneCharacterRepeated = /^(.)\1{2,}$/u;
const htmlRule = /^<hr ?\/?>$/i;
/** A fence that has more on its line: `--- # comment`, three back-quotes with a language. */
const fenceWithText = /^(?:(?:[\p{Pd}\u2212=+~`%;:] ?){3,}|<!--|\{)/u;
const separator = /[:=\u2236\ua789\u2192\u21d2]|->/;
const notOfWords = /[^\p{L}\p{M}\p{N}_.-]+/u;
const MOST_DECLARATIONS = 20;
const LONGEST_KEY = 60;
const MOST_KEY_WORDS = 4;

export function looksLikeFrontMatter(text: string): boolean {
  const [first = '', ...below] = text
    .trimStart()
    .split(lineEnd, MOST_DECLARATIONS + 2)
    .map(line => visibleLine(line.normalize('NFKC')));
  if (isRule(first)) return declares(below);
  const fence = fenceWithText.exec(first)?.[0];
  if (fence !== undefined) return isDeclaration(first.slice(fence.length)) || declares(below);
  const lines = [first, ...below];
  const end = lines.findIndex(line => !isDeclaration(line));
  return end > 0 && isRule(lines[end] ?? '');
}

/** At once, or anywhere before another fence. */
function declares(lines: readonly string[]): boolean {
  const written = lines.filter(Boolean);
  if (isDeclaration(written[0] ?? '')) return true;
  const end = written.findIndex(isRule);
  return written.slice(0, Math.max(end, 0)).some(isDeclaration);
}

function isRule(line: string): boolean {
  const drawn = line.replaceAll(/\s/g, '');
  if (oneCharacterRepeated.test(drawn) || htmlRule.test(line)) return true;
  // What has a bar is part of a table.
  return ruleOnly.test(drawn) && !drawn.includes('|');
}

/** A key of a few words, and what parts it from a value; addresses and times of day have colons too. */
function isDeclaration(line: string): boolean {
  const head = line.slice(0, LONGEST_KEY);
  const at = head.search(separator);
  if (at < 1 || /^:(?:\/\/|\d)/.test(line.slice(at, at + 3))) return false;
  const words = head
    .slice(0, at)
    .split(notOfWords)
    .filter(word => /[\p{L}\p{N}_]/u.test(word));
  return words.length > 0 && words.length <= MOST_KEY_WORDS;
}
