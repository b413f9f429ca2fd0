import type { JsonObject } from '../../platform/json-object.ts';
import { foldText } from '../../text/fold.ts';

/*
 * The filter of a passage in a `filtered_rag` dataset tells whom it is for. The filter is a field; a text may have it at its
 * head instead, as `key: value` lines between two lines that are exactly `---`.
 */

/** Values of which a turn must have one, by key, normalized by `normalizeTerm`. A filter without keys is for everybody. */
export type PassageFilter = Readonly<Record<string, readonly string[]>>;

export type SentFilter = Readonly<Record<string, string | readonly string[]>>;

/** Normalizes a value, of a filter or of a turn, to compare them: without the marks of any script. */
export function normalizeTerm(text: string): string {
  return foldText(text, /\p{M}+/gu).trim();
}

/** Returns the filter in its stored form, or the first key without a value. */
export function filterOf(sent: SentFilter): { readonly filter: PassageFilter } | { readonly empty: string } {
  const filter = Object.entries(sent).map(([key, values]) => [key, termsIn(values)] as const);
  const empty = filter.find(([, terms]) => terms.length === 0);
  return empty ? { empty: empty[0] } : { filter: Object.fromEntries(filter) };
}

export interface Head {
  readonly filter: PassageFilter;
  /** The text after the head. */
  readonly body: string;
}

export interface HeadError {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly error: string;
}

const FENCE = '---';
const LINE_BREAK = /\r\n|\n|\r/;
/** Dashes, and signs and letters that are drawn as they are: `ー`, `一`, `_`. */
const DASHES =
  /[\p{Dash}_\u00af\u02c9\u02cd\u02d7\u0640\u06d4\u07fa\u1173\u1428\u180a\u203e\u203f\u2043\u23af\u23ba-\u23bd\u23e4\u2500-\u257f\u2581\u2594\u25ac\u25ad\u268a\u2796\u2f00\u30fc\u3127\u3161\u31d0\u4e00\ua7f7\ufe4d-\ufe4f\uff3f\uff70\uffda\uffe3]+/gu;
const THREE_DASHES = /^[\p{Pd}\u2212\u2500-\u257f]{3}/u;
const SIGNS = /^[\p{P}\p{Sc}\p{Sm}\p{Sk}\p{M}\u2500-\u25ff]*$/u;
const UNSEEN = /[\s\p{C}\p{DI}\u2800\ufffc\ufffd]/gu;
/** Precedes the first line that people see: blanks, tags, and the line that opens a block of code with its language. */
const BEFORE_LINE =
  /[\s\p{C}\p{DI}\u2800\ufffc\ufffd]+|<!--[^]{0,200}?-->|<[^<>]*>|(?:`{3,}|~{3,}|:{3,})[^\S\n]*[^\s`~:][^\n`]*\n/uy;
const LINE_END = /[\n\r\v\f\u0085\u2028\u2029]|<[a-z/!]/gi;
const REFERENCE =
  /&(?:(nbsp|shy|zwn?j|e[nm]sp|thinsp)|(?:[mn]?dash|minus|hyphen|horbar)|#(\d{1,7}|x[\da-f]{1,6}));/gi;
const INVISIBLE = /(?!\t)[\p{C}\p{DI}\u2800\ufffc\ufffd]/u;

const DECLARATION = /^([\p{L}\p{N}_][\p{L}\p{N}_.-]*)\s*:(.*)$/u;
/** A value up to the next comma; commas within quotes are text. */
const VALUE = /\s*(?:"([^"]*)"\s*|'([^']*)'\s*|([^,"'\s][^,]*))?(?:,|$)/gy;
/** Values that YAML would not read as text. */
const NEEDS_QUOTES = /^[[\]{}`&*!|>%@]|\s#/;

/**
 * Reads the filter at the head of a text. Undefined if there is none; an error if its first line is, or looks like, a fence and
 * no filter follows: in a filtered dataset that text would be open to everybody.
 */
export function headOf(text: string): Head | HeadError | undefined {
  const lines = text.split(LINE_BREAK);
  if (lines[0] !== FENCE) {
    const first = firstLineOf(text);
    if (!isLikeFence(first.text)) return undefined;
    return { line: first.line, error: 'a head begins with --- alone on the first line' };
  }
  const end = lines.indexOf(FENCE, 1);
  if (end < 0) return { line: 1, error: 'the head that begins here has no closing ---' };
  const read = readDeclarations(lines.slice(1, end));
  if ('error' in read) return { line: read.line + 1, error: read.error };
  const body = lines.slice(end + 1).join('\n');
  if (body.replaceAll(UNSEEN, '') === '') return { line: end + 1, error: 'there is no text after the head' };
  return { filter: read.filter, body: body.replace(/^\s*\n/, '') };
}

/** Whether a line may be meant as a fence: it begins with three dashes, or is signs alone, of which one is a dash or that are three. */
function isLikeFence(line: string): boolean {
  const others = line.replaceAll(DASHES, '');
  return THREE_DASHES.test(line) || (SIGNS.test(others) && (others !== line || others.length >= 3));
}

/** Returns the visible signs of the first line that has some, also within tags or a block of code. */
function firstLineOf(text: string): { readonly text: string; readonly line: number } {
  let at = 0;
  for (;;) {
    for (BEFORE_LINE.lastIndex = at; BEFORE_LINE.test(text); ) at = BEFORE_LINE.lastIndex;
    LINE_END.lastIndex = at + 1;
    const end = LINE_END.exec(text)?.index ?? text.length;
    const seen = text.slice(at, end).replace(REFERENCE, referredBy).replaceAll(UNSEEN, '');
    if (seen !== '' || end >= text.length)
      return { text: seen, line: text.slice(0, at).split(LINE_BREAK).length };
    at = end;
  }
}

function referredBy(_: string, blank: string | undefined, code: string | undefined): string {
  if (code === undefined) return blank === undefined ? FENCE : '';
  const number = Number(code.replace(/^x/i, '0x'));
  return number > 0x10_ffff ? '' : String.fromCodePoint(number);
}

function readDeclarations(lines: readonly string[]): { readonly filter: PassageFilter } | HeadError {
  const sent = new Map<string, string[]>();
  let open: string[] | undefined;
  for (const [at, line] of lines.entries()) {
    const wrong = (error: string) => ({ line: at + 1, error });
    if (INVISIBLE.test(line)) return wrong('there is an invisible or unreadable character in this line');
    if (line.trim() === '') continue;
    const [, listed] = /^\s*-\s(.*)$/.exec(line) ?? [];
    const [, key = '', text] = DECLARATION.exec(line.trim()) ?? [];
    if (listed !== undefined ? !open : text === undefined) return wrong('this is not in the form key: value');
    if (listed === undefined && sent.has(key)) return wrong('this key is declared twice');
    const values = valuesIn(listed ?? text ?? '');
    if (!values) return wrong('this value needs quotes: "…"');
    if (listed !== undefined) open?.push(...values);
    else sent.set(key, values);
    // A list of lines stands below a key without a value on its own line.
    if (listed === undefined) open = values.length === 0 ? values : undefined;
  }
  const read = filterOf(Object.fromEntries(sent));
  if ('empty' in read)
    return {
      line: lines.findIndex(line => line.trim().startsWith(read.empty)) + 1,
      error: 'this key has no value',
    };
  return sent.size === 0 ? { line: 0, error: 'the head declares nothing' } : read;
}

/** Reads `a, b` or `[a, b]`, with quotes or without; undefined if something is not plain text. */
function valuesIn(text: string): string[] | undefined {
  const inside = /^\[(.*)\]$/.exec(text.trim())?.[1] ?? text.trim();
  const values: string[] = [];
  let length = 0;
  for (const [whole, double, single, plain = ''] of inside.matchAll(VALUE)) {
    length += whole.length;
    if (NEEDS_QUOTES.test(plain)) return undefined;
    values.push(double ?? single ?? plain);
  }
  return length < inside.length ? undefined : values.filter(value => value.trim() !== '');
}

export type FilterTerms = PassageFilter;

/**
 * Returns the values that filters are compared with: from the data of the conversation, otherwise of the end user. Each array
 * item is one value; only strings, numbers and booleans count.
 */
export function filterTermsOf(globalData: JsonObject, userData: JsonObject): FilterTerms {
  const filterTerms = new Map<string, string[]>();
  for (const [key, value] of [...Object.entries(globalData), ...Object.entries(userData)]) {
    const terms = termsIn(value);
    if (terms.length > 0 && !filterTerms.has(key)) filterTerms.set(key, terms);
  }
  return Object.fromEntries(filterTerms);
}

function termsIn(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value];
  const terms = items.flatMap(item =>
    typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean'
      ? [normalizeTerm(String(item))]
      : [],
  );
  return [...new Set(terms.filter(Boolean))];
}
