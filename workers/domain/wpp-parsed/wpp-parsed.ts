import { CHAR } from '../../../text/char-kind.ts';
import { BlockReader, MAX_LENGTH_AT_ONCE } from './block-reader.ts';
import { type LinkDefinition, linkDefinitionOf } from './link-target.ts';
import { ParseContext, type PaymentTrust } from './parse-context.ts';
import type { WppItem } from './wpp-item.ts';

/*
 * Converts an answer in Markdown to WhatsApp items: text with WhatsApp's marks, and between the texts images, sites,
 * audios and payments, in the order of the answer.
 *
 *   line ─▶ BlockReader ─▶ paragraph, heading, cell ─▶ InlineReader ─▶ nodes ─▶ MessageWriter ─▶ items
 *
 * The grammar, in order of precedence at each position: Pix code and boleto (also where code contains nothing else),
 * other code, image, audio, site, bare address, emphasis. The text is read once from left to right. Every look-ahead
 * (the end of a code span, bracket, emphasis or Pix code) is bounded or uses a table that one pass computes, and
 * nothing is recursive, so the time is linear for any text. One step parses a few short lines, or one piece of a long
 * paragraph, so that the event loop is never blocked for a whole answer.
 *
 * Guarantees: every word of the answer is in exactly one item, but the name of a link inside a sentence is also in
 * its text; a mark without words (a bullet, an empty emphasis) is dropped; a payment is an item only when its check
 * digits match.
 */

export type { PaymentTrust, WppItem };

export interface WppParsed {
  items: WppItem[];
  /** Rejected payments, which stay text. */
  warnings: string[];
}

function* definitionsIn(markdown: string): Generator<void, Map<string, LinkDefinition>> {
  const definitions = new Map<string, LinkDefinition>();
  if (!markdown.includes(']:')) return definitions;
  for (const line of linesOf(markdown)) {
    const found = linkDefinitionOf(line.trim());
    if (found && !definitions.has(found.label)) definitions.set(found.label, found);
    yield;
  }
  return definitions;
}

function* read(markdown: string, context: ParseContext): Generator<void, WppParsed> {
  const reader = new BlockReader(context);
  let length = 0;
  for (const line of linesOf(markdown)) {
    reader.line(line);
    length += line.length + 1;
    if (length >= MAX_LENGTH_AT_ONCE || reader.hasUnwritten) {
      length = 0;
      yield;
      if (reader.hasUnwritten) yield* reader.write();
    }
  }
  return { items: yield* reader.finish(), warnings: context.warnings };
}

const STRIKE_TAG = /(?<!`)<(s|del|strike)>/gi;
/** The marks before the words of a line. */
const LINE_HEAD = /^\s{0,8}(?:(?:[-*+>]|[0-9]{1,3}[.)])\s{1,8})?/;

/** Repeats tags of struck text on each line after a blank one: a struck boleto there could be paid otherwise. */
function strikeEachLine(markdown: string): string {
  const lower = markdown.toLowerCase();
  let [struck, from] = ['', 0];
  const unclosed = new Set<string>();
  for (const { index, 0: tag, 1: name = '' } of lower.matchAll(STRIKE_TAG)) {
    const start = index + tag.length;
    if (index < from || unclosed.has(name)) continue;
    const end = lower.indexOf(`</${name}>`, start);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    const inner = markdown.slice(start, end);
    if (!/\n[^\S\n]*\n/.test(inner) || !/[0-9]{5}/.test(inner) || inner.includes('```')) continue;
    const strike = (line: string) => {
      const head = LINE_HEAD.exec(line)?.[0] ?? '';
      return line.length === head.length ? line : `${head}<${name}>${line.slice(head.length)}</${name}>`;
    };
    struck += markdown.slice(from, index) + inner.split('\n').map(strike).join('\n');
    from = end + name.length + 3;
  }
  return struck + markdown.slice(from);
}

/** Code and paths, in which a backslash is one, and the line ends, tabs and carriage returns that a template escaped twice. */
const WRITTEN_SIGNS =
  /```[^]*?(?:```|$)|`[^`\n]*`|(?<![a-z])[a-z]:\\(?!n[^a-z])\S*|\\\\[\w.-]{2,60}\\\S*|(?:\\r)?\\n|\\t(?![a-z])/gi;

/** Whether `n` and these letters are the name of a command in LaTeX; `e` is a word, too. */
function isCommandEnd(letters: string, before: string): boolean {
  const [, name = ''] = /^(e|eq|eg|ot|otin|u|abla|i)(?![\p{L}\p{N}])/u.exec(letters) ?? [];
  return name.length > 1 || (name !== '' && /^[\s\d]$/.test(before));
}

/** Reads `\n` as a line end, unless small letters follow that may belong to it, such as those of a folder or of `\neq`. */
function withLineEnds(answer: string): string {
  if (!answer.includes('\\n')) return answer;
  return answer.replaceAll(WRITTEN_SIGNS, (sign, at: number) => {
    if (!/^(?:\\r)?\\[nt]$/.test(sign)) return sign;
    if (sign === '\\t') return '\t';
    const [before, after] = [answer.charAt(at - 1), answer.slice(at + sign.length, at + sign.length + 8)];
    const isEndBefore = before === '' || /[\s.,:;!?)*_]/.test(before);
    const isWord = /^\p{Ll}/u.test(after)
      ? !isEndBefore || isCommandEnd(after, before)
      : /^ \p{Ll}/u.test(after);
    return isWord ? sign : '\n';
  });
}

/** Parses one answer in short steps, so that the caller can yield to the event loop between them. */
export function* parseWppSteps(answer: string, isTrusted?: PaymentTrust): Generator<void, WppParsed> {
  const markdown = strikeEachLine(withLineEnds(answer));
  const definitions = yield* definitionsIn(markdown);
  const context = new ParseContext(definitions, isTrusted);
  const parsed = yield* read(markdown, context);
  if (definitions.size === 0 || context.kept.size === definitions.size) return parsed;
  // A definition that no link uses is text of the answer, so it is parsed again and kept.
  return yield* read(markdown, new ParseContext(context.kept, isTrusted));
}

export function parseWpp(markdown: string, isTrusted?: PaymentTrust): WppParsed {
  const parsing = parseWppSteps(markdown, isTrusted);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
  }
}

const CARRIAGE_RETURN = 13;

/** CR and the Unicode separators end a line, too. */
function isBreak(code: number): boolean {
  return code === CHAR.newline || code === CARRIAGE_RETURN || code === 0x2028 || code === 0x2029;
}

/** A generator, so that callers can yield between lines. */
function* linesOf(text: string): Generator<string, void> {
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isBreak(text.charCodeAt(at))) continue;
    yield text.slice(from, at);
    if (text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === CHAR.newline) at++;
    from = at + 1;
  }
  yield text.slice(from);
}
