export interface Token {
  readonly type: 'word' | 'number' | 'sign';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether white space precedes it. */
  readonly isApart: boolean;
  /** Whether it is the first of its line. */
  readonly isFirst: boolean;
}

/** Matches a currency, a number with the signs that it may contain, a word, or a sign. Marks of emphasis are left out. */
const TOKEN = /r\$|us\$|[0-9]+(?:[.,:/][0-9]+)*|[a-zß-\u1fff\u3040-\ud7ff]+|#+|[^\s*_`]/g;
const LINE_FEED = 0x0a;
const EMPHASIS = new Set(Array.from('*_`', mark => mark.charCodeAt(0)));
const MARKS = /[\u0300-\u036f]/;
const ALL_MARKS = /[\u0300-\u036f]/g;
const NOTHING: Token = { type: 'sign', text: '', start: 0, end: 0, isApart: true, isFirst: false };

export function tokensOf(folded: string): Token[] {
  const tokens: Token[] = [];
  const hasMarks = MARKS.test(folded);
  let end = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(folded); found; found = TOKEN.exec(folded)) {
    const { 0: text, index: start } = found;
    const gap = gapOf(folded, end, start);
    const isFirst = tokens.length === 0 || gap === 'line';
    const isApart = isFirst || gap === 'space';
    end = start + text.length;
    const type = typeOf(text.charCodeAt(0), text);
    const shown = hasMarks && type === 'word' ? text.replaceAll(ALL_MARKS, '') : text;
    tokens.push({ type, text: shown, start, end, isApart, isFirst });
  }
  return tokens;
}

/** Looks at the text between two tokens, which has only blanks and marks of emphasis. */
function gapOf(text: string, from: number, to: number): 'none' | 'space' | 'line' {
  let gap: 'none' | 'space' = 'none';
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) return 'line';
    if (!EMPHASIS.has(code)) gap = 'space';
  }
  return gap;
}

function typeOf(code: number, text: string): Token['type'] {
  if (code >= 0x30 && code <= 0x39) return 'number';
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0xdf && code < 0x2000) || code >= 0x3040;
  return isLetter && !text.endsWith('$') ? 'word' : 'sign';
}

/** The token at this index; before the first and after the last, one without text. */
export function tokenAt(tokens: readonly Token[], at: number): Token {
  return tokens[at] ?? NOTHING;
}
