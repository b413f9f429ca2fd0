import { isDeclaration, isLooseDeclaration } from './declaration-line.ts';
import { isFencedDeclaration, parseWrittenLines, type WrittenLine } from './front-matter-lines.ts';

/*
 * Whether the head of a text looks like front-matter to a reader, even if the parser rejects it: something like `key:
 * value` next to a fence, or between two. Text with a rule, a heading, a list or a table alone does not.
 */

const heading = /^#{1,6}\s/;
/** Headings, list items and bold text count as content unless they are directly at a rule. */
const ordinary = /^(?:#{1,6}\s|[-*+\u2022] |\d+[.)] |\*\*|__)/;
const listItem = /^[-*+\u2022] /;

/** The index of the line at which it starts. `mustEnd`: only where a fence stands below what it declares. */
export function frontMatterStartOf(lines: readonly string[], mustEnd = false): number | undefined {
  const written = parseWrittenLines(lines);
  const [first] = written;
  if (first && isFencedDeclaration(first.text)) return first.at;
  let fence: number | undefined;
  for (const [index, line] of written.entries()) {
    if (line.kind !== 'rule' && line.kind !== 'underline') continue;
    const isBegin = !mustEnd && declaresBelow(written, index);
    const begin = beginAbove(written, index, fence) ?? (isBegin ? index : undefined);
    if (begin !== undefined) return written[begin]?.at;
    fence = index;
  }
  return undefined;
}

/** Begins at the previous rule, or at the first of the declarations directly above this one. */
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

/** Directly above a rule it is the last line, or the key of a list that ends there. */
function lastDeclaration(lines: readonly WrittenLine[], isRightAtRule: boolean): number | undefined {
  const last = lines.at(-1);
  if (last && declares(last, isRightAtRule)) return lines.length - 1;
  const at = isRightAtRule ? lines.findLastIndex(line => !listItem.test(line.text)) : -1;
  const key = lines[at];
  return key?.text.endsWith(':') && declares(key, isRightAtRule) ? at : undefined;
}

/** A rule at the head of the text can only open front-matter. */
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
