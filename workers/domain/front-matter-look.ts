import { isDeclaration, isLooseDeclaration } from './declaration-look.ts';
import { isFencedDeclaration, readWrittenLines, type WrittenLine } from './front-matter-lines.ts';

/*
 * Whether the head of a text looks like front-matter to a reader, whatever a parser makes of it: something like
 * `key: value` next to something like a fence, or between two. Text that merely has a rule, a heading, a list or a
 * table does not.
 */

const heading = /^#{1,6}\s/;
/** A heading, and what is in a list or in bold, is part of the text unless it stands right at a rule. */
const ordinary = /^(?:#{1,6}\s|[-*+\u2022] |\d+[.)] |\*\*|__)/;
const listItem = /^[-*+\u2022] /;

/** The place of the line with which it begins. */
export function lookOfFrontMatter(lines: readonly string[]): number | undefined {
  const written = readWrittenLines(lines);
  const [first] = written;
  if (first && isFencedDeclaration(first.text)) return first.at;
  let fence: number | undefined;
  for (const [index, line] of written.entries()) {
    if (line.kind !== 'rule' && line.kind !== 'underline') continue;
    const begin = beginAbove(written, index, fence) ?? (declaresBelow(written, index) ? index : undefined);
    if (begin !== undefined) return written[begin]?.at;
    fence = index;
  }
  return undefined;
}

/** From the rule before, or from the first of the declarations right above this one. */
function beginAbove(
  written: readonly WrittenLine[],
  rule: number,
  fence: number | undefined,
): number | undefined {
  const within = written.slice((fence ?? -1) + 1, rule);
  const isHeading = written[rule]?.kind === 'underline';
  if (fence !== undefined && !(isHeading && written[fence]?.kind === 'underline'))
    if (within.some(declaresLoosely)) return fence;
  if (isHeading) return undefined;
  const touches = written[rule]?.touches === true;
  const end = lastDeclaration(within, touches);
  if (end === undefined) return undefined;
  const before = within.slice(0, end).findLastIndex(line => !declares(line, touches));
  return rule - within.length + before + 1;
}

/** Right above a rule: the last line, or the key of a list of values that ends there. */
function lastDeclaration(lines: readonly WrittenLine[], isRightAtRule: boolean): number | undefined {
  const last = lines.at(-1);
  if (last && declares(last, isRightAtRule)) return lines.length - 1;
  const at = isRightAtRule ? lines.findLastIndex(line => !listItem.test(line.text)) : -1;
  const key = lines[at];
  return key?.text.endsWith(':') && declares(key, isRightAtRule) ? at : undefined;
}

/** At the head of the text a rule has nothing else to part. */
function declaresBelow(written: readonly WrittenLine[], rule: number): boolean {
  const below = written[rule + 1];
  if (!below || (written[rule]?.kind === 'underline' && written[rule]?.text !== '---')) return false;
  return declares(below, below.touches || rule === 0);
}

function declares({ kind, text }: WrittenLine, isRightAtRule: boolean): boolean {
  return kind === 'text' && isDeclaration(text) && (isRightAtRule || !ordinary.test(text));
}

function declaresLoosely({ kind, text }: WrittenLine): boolean {
  return kind === 'text' && !heading.test(text) && (isDeclaration(text) || isLooseDeclaration(text));
}
