import { normalizeText } from '../../../text/fold.ts';
import { isDeclaration, isLooseDeclaration } from './declaration-line.ts';
import { toVisibleLine } from './visible-line.ts';

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

/*
 * The lines at the head of a text as a reader sees them, each with its kind. Lines without visible content (blanks,
 * `&nbsp;`, comments) are left out.
 */

interface WrittenLine {
  /** The index of the line among those given. */
  readonly at: number;
  readonly text: string;
  /** Whether it directly follows the written line above, without a blank line. */
  readonly touches: boolean;
  /** A `rule` may be a fence. An `underline` makes the line above a heading, a `row` is part of a table. */
  readonly kind: 'rule' | 'underline' | 'row' | 'text';
}

const MAX_LINES = 20;
const otherLineEnd = /[\v\f\u0085\u2028\u2029]/;
const comment = /^(?:\/\/|\[\/\/\]:|<!--.*-->$)/;
const htmlRule = /<hr(?:\s[^<>]*)?\/?>/gi;
const htmlTag = /<\/?(?!(?:meta|yaml|front|filt))[a-z][a-z\d]*(?:\s[^<>]*)?\/?>/gi;
const entity = /&(?:#x?[\da-f]{1,6}|[a-z]{2,24}\d{0,2});/gi;
const blankEntity = /^&(?:nbsp|e[nm]sp|thinsp|zw\w+|#160|#xa0|#8203|#x200b);$/i;
const colonEntity = /^&(?:colon|#58|#x3a);$/i;
const letterEntity = /^&[a-z](?:acute|grave|circ|tilde|uml|cedil|ring|slash|lig|elig);$/i;
/** Punctuation, currency and mathematical signs, and line and shape characters that people use as rules. */
const ruleOnly = /^[\p{P}\p{Sc}\p{Sm}\p{Sk}\u2500-\u25ff\u2796]+$/u;
const oneCharacterRepeated = /^(.)\1{2,}$/u;
/** A fence with text on its line: `--- # comment`, three back-quotes with a language. */
const fenceWithText = /^(?:(?:[\p{Pd}\u2212=+~`%;:] ?){3,}|<!--|\{)/u;
/** `[meta]`, `=begin`, `%YAML 1.2`. */
const fenceOfWords = /^(?:\[[^[\]]+\]|[=%\\]\p{L}.*)$/u;
const label =
  /^[^\p{L}]*(?:(?:begin|end|start|in[ií]cio|fim)[ _:-](?:d[aeo]s? )?)?(?:meta|metadados?|metadata|front[- ]?matter|yaml)[^\p{L}\p{N}]*$/iu;

/** The first lines; comment lines, which begin with #, do not count. */
function parseWrittenLines(lines: readonly string[]): WrittenLine[] {
  const written: WrittenLine[] = [];
  let counted = 0;
  let touches = false;
  for (const [at, line] of lines.entries())
    for (const part of line.split(otherLineEnd)) {
      const text = toVisibleText(part);
      if (text !== '') add(written, { at, text, touches });
      touches = text !== '';
      if (text !== '' && !text.startsWith('#')) counted += 1;
      if (counted >= MAX_LINES) return written;
    }
  return written;
}

/** `--- campus: x ---`: a fence and its content on one line. */
function isFencedDeclaration(text: string): boolean {
  const fence = fenceWithText.exec(text)?.[0];
  return fence !== undefined && isDeclaration(text.slice(fence.length));
}

function toVisibleText(line: string): string {
  const text = toVisibleLine(normalizeText(line, 'NFKC'));
  if (comment.test(text) && !isDeclaration(text) && !ruleOnly.test(withoutBlanks(text))) return '';
  return text.replaceAll(htmlRule, '---').replaceAll(htmlTag, '').replaceAll(entity, characterFor).trim();
}

function characterFor(entity: string): string {
  if (blankEntity.test(entity)) return ' ';
  if (colonEntity.test(entity)) return ':';
  return letterEntity.test(entity) ? 'x' : '-';
}

function add(written: WrittenLine[], line: Omit<WrittenLine, 'kind'>): void {
  const above = line.touches ? written.at(-1) : undefined;
  if (!isRule(line.text)) {
    written.push({ ...line, kind: above?.kind === 'row' && line.text.includes('|') ? 'row' : 'text' });
  } else if (line.text.includes('|') && above && isTableHead(above, written.at(-2))) {
    written.splice(-1, 1, { ...above, kind: 'row' });
    written.push({ ...line, kind: 'row' });
  } else written.push({ ...line, kind: isUnderline(line.text, above) ? 'underline' : 'rule' });
}

/** A line between two rules with bars is no table head. */
function isTableHead({ kind, text, touches }: WrittenLine, above: WrittenLine | undefined): boolean {
  const isBetween = touches && above?.kind === 'rule' && above.text.includes('|');
  return kind === 'text' && text.includes('|') && !isBetween;
}

function isRule(text: string): boolean {
  const drawn = withoutBlanks(text);
  if (oneCharacterRepeated.test(drawn) || ruleOnly.test(drawn)) return true;
  if (fenceOfWords.test(text) || label.test(text)) return true;
  return fenceWithText.test(text) && !isFencedDeclaration(text);
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '');
}

function isUnderline(text: string, above: WrittenLine | undefined): boolean {
  if (above?.kind !== 'text' || !/^(?:-+|=+)$/.test(text)) return false;
  return /^[\p{L}\p{N}]/u.test(above.text) && !isDeclaration(above.text) && !isLooseDeclaration(above.text);
}
